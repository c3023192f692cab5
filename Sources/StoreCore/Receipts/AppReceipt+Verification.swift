import Foundation

extension AppReceipt {
    /// Decodes a receipt that a store has issued, and verifies its signature.
    ///
    /// A receipt in which a single bit was changed is refused as ``ReceiptVerification/Status/malformed`` or
    /// ``ReceiptVerification/Status/notAuthentic``. The data may be anything; the time taken is proportional to its
    /// length. A receipt that has expired or belongs to another device is still authentic: check ``expirationDate``,
    /// and compare ``deviceHash`` with ``hash(forDevice:signer:)``.
    ///
    /// An `AppStoreSigner` verifies the App Store's form. Its certificates must have been valid at the receipt's
    /// creation date. In this form, attributes may be in any order, and unknown attributes are ignored.
    ///
    /// - Parameters:
    ///   - data: the receipt's bytes, not in Base64.
    ///   - signer: the signer that must have signed the receipt.
    /// - Throws: the reason for the refusal.
    public init(verifying data: Data, signer: any ReceiptSigner) throws(ReceiptRefusal) {
        if let signer = signer as? any AppReceiptSigner {
            try self.init(opening: data, by: signer)
        } else {
            try self.init(data, signer)
        }
    }

    private init(opening data: Data, by signer: any AppReceiptSigner) throws(ReceiptRefusal) {
        let payload: Data
        do {
            payload = try signer.open(data, creationDate: AppReceiptPayload.creationDate)
        } catch {
            throw ReceiptRefusal(error)
        }
        // Nil if another program has sealed other content with the same certificates.
        guard let content = AppReceiptPayload(payload) else { throw .notAnAppReceipt }
        guard content.environment == signer.appReceiptEnvironment else {
            throw ReceiptRefusal(environment: content.environment, judgedIn: signer.appReceiptEnvironment)
        }
        self = content.receipt
    }

    /// Verifies a receipt in the HMAC form.
    private init(_ data: Data, _ signer: any ReceiptSigner) throws(ReceiptRefusal) {
        guard let envelope = SignedPayload(data),
            let attributes = ReceiptAttributes(envelope.attributes[...], isExact: true)
        else {
            throw ReceiptRefusal(.malformed, "The data is not an app receipt in its exact form.")
        }
        guard let environment = attributes.text(.environment) else {
            throw ReceiptRefusal(.malformed, "The app receipt does not say which environment it comes from.")
        }
        let isVolumePurchase = environment != signer.environment
        guard !isVolumePurchase || environment == Self.environment(signer.environment, isVolumePurchase: true) else {
            let production = ReceiptEnvelope.production
            let isProduction = environment == Self.environment(production, isVolumePurchase: true)
            throw ReceiptRefusal(environment: isProduction ? production : environment, judgedIn: signer.environment)
        }
        let isAuthentic = signer.isValid(
            signature: Data(envelope.signature),
            certificate: Data(),
            for: Data(envelope.attributes)
        )
        guard isAuthentic else { throw ReceiptRefusal(.notAuthentic, "The receipt's signature is not this store's.") }
        // Nil if another program has signed other content with the same key.
        guard let receipt = AppReceipt(attributes) else { throw .notAnAppReceipt }
        self = receipt
        self.isVolumePurchase = isVolumePurchase
    }

    /// Creates a receipt; nil unless every required attribute is present exactly once and has the required type.
    init?(_ attributes: ReceiptAttributes) {
        guard let bundleIdentifier = attributes.text(.bundleIdentifier),
            let bundleVersion = attributes.text(.bundleVersion),
            let opaqueValue = attributes.only(.opaqueValue),
            let deviceHash = attributes.only(.deviceHash),
            let creationDate = attributes.date(.creationDate),
            let originalPurchaseDate = attributes.lacks(.originalPurchaseDate)
                ? Self.testPurchaseDate : attributes.date(.originalPurchaseDate),
            let originalBundleVersion = attributes.lacks(.originalBundleVersion)
                ? AppTransactionPayload.testVersion : attributes.text(.originalBundleVersion)
        else { return nil }
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.opaqueValue = Data(opaqueValue)
        self.deviceHash = Data(deviceHash)
        self.creationDate = creationDate
        self.originalPurchaseDate = originalPurchaseDate
        self.originalBundleVersion = originalBundleVersion
        expirationDate = nil
        if attributes.has(.expirationDate), !attributes.lacks(.expirationDate) {
            guard let date = attributes.date(.expirationDate) else { return nil }
            expirationDate = date
        }
        revocationDate = nil
        if attributes.has(.revocationDate) {
            guard let date = attributes.date(.revocationDate) else { return nil }
            revocationDate = date
        }
        isVolumePurchase = false
        appAppleIdentifier = attributes.numberOrNil(.appAppleIdentifier)
        purchases = []
        for value in attributes.all(.purchase) {
            var reader = DERReader(value)
            guard let set = reader.read(.set), reader.isAtEnd,
                let purchase = ReceiptAttributes(set, isExact: attributes.isExact).flatMap(Purchase.init)
            else { return nil }
            purchases.append(purchase)
        }
    }
}

extension AppReceipt.Purchase {
    fileprivate init?(_ attributes: ReceiptAttributes) {
        guard let quantity = attributes.number(.quantity).flatMap({ Int(exactly: $0) }),
            let productIdentifier = attributes.text(.productIdentifier),
            let transactionIdentifier = attributes.text(.transactionIdentifier),
            let purchaseDate = attributes.date(.purchaseDate),
            let originalTransactionIdentifier = attributes.lacks(.originalTransactionIdentifier)
                ? transactionIdentifier : attributes.text(.originalTransactionIdentifier),
            let originalPurchaseDate = attributes.lacks(.firstPurchaseDate)
                ? purchaseDate : attributes.date(.firstPurchaseDate),
            let end = attributes.lacks(.subscriptionEnd) ? "" : attributes.ascii(.subscriptionEnd),
            // Xcode's receipts do not contain the kind; in them, only subscriptions can be recognized.
            let kind = attributes.lacks(.kind)
                ? end.isEmpty ? .nonConsumable : .autoRenewable : attributes.number(.kind).flatMap(AppReceipt.kind)
        else { return nil }
        self.init(
            quantity: quantity,
            productIdentifier: productIdentifier,
            transactionIdentifier: transactionIdentifier,
            purchaseDate: purchaseDate,
            originalTransactionIdentifier: originalTransactionIdentifier,
            originalPurchaseDate: originalPurchaseDate,
            kind: kind
        )
        // In Apple's receipts, the attribute is an empty date if the purchase is not canceled.
        if attributes.has(.cancellationDate), attributes.ascii(.cancellationDate) != "" {
            guard let date = attributes.date(.cancellationDate) else { return nil }
            cancellationDate = date
        }
        // A purchase without the end of a period is not a subscription.
        guard !end.isEmpty else { return }
        guard let expirationDate = attributes.date(.subscriptionEnd) else { return nil }
        subscription = TransactionReceipt.Subscription(
            expirationDate: expirationDate,
            webOrderLineItemIdentifier: attributes.numberOrNil(.webOrderLineItemIdentifier).map { String($0) },
            isTrialPeriod: attributes.number(.isTrialPeriod) == 1,
            isInIntroductoryOfferPeriod: attributes.number(.isInIntroductoryOfferPeriod) == 1,
            promotionalOfferIdentifier: attributes.text(.promotionalOfferIdentifier)
        )
    }
}

/// The attributes of a receipt, or of a purchase in a receipt, by type.
struct ReceiptAttributes {
    private var values: [Int64: [ArraySlice<UInt8>]] = [:]
    /// Whether the attributes are in the HMAC form, in which each has exactly one encoding.
    ///
    /// In other forms, dates may be in any time zone, and some attributes may be missing.
    let isExact: Bool

    /// Returns nil unless the bytes consist of attributes only.
    init?(_ bytes: ArraySlice<UInt8>, isExact: Bool) {
        self.isExact = isExact
        var set = DERReader(bytes)
        while !set.isAtEnd {
            guard let (type, value) = set.attribute() else { return nil }
            values[type, default: []].append(value)
        }
    }

    func has(_ type: AppReceipt.Attribute) -> Bool { values[type.rawValue] != nil }

    func all(_ type: AppReceipt.Attribute) -> [ArraySlice<UInt8>] { values[type.rawValue] ?? [] }

    /// Returns the attribute of a type; nil if there is none or more than one.
    func only(_ type: AppReceipt.Attribute) -> ArraySlice<UInt8>? {
        let values = all(type)
        return values.count == 1 ? values[0] : nil
    }

    func text(_ type: AppReceipt.Attribute) -> String? { element(type) { $0.utf8() } }

    func ascii(_ type: AppReceipt.Attribute) -> String? { element(type) { $0.ia5() } }

    func number(_ type: AppReceipt.Attribute) -> Int64? { element(type) { $0.integer() } }

    /// Returns an optional number; outside the HMAC form, 0 represents a missing number.
    func numberOrNil(_ type: AppReceipt.Attribute) -> Int64? { number(type).flatMap { $0 == 0 && !isExact ? nil : $0 } }

    /// Returns a date attribute; nil if its text is not a date in this form.
    func date(_ type: AppReceipt.Attribute) -> Date? { ascii(type).flatMap { Self.date($0, isExact: isExact) } }

    /// Returns whether an attribute is missing or empty; always false in the HMAC form.
    func lacks(_ type: AppReceipt.Attribute) -> Bool { !isExact && (!has(type) || ascii(type) == "") }

    /// Returns the date of a text; in the HMAC form, nil unless the text is formatted exactly as by ``ReceiptDate``.
    private static func date(_ text: String, isExact: Bool) -> Date? {
        guard let date = try? Date(text, strategy: .iso8601),
            !isExact || (try? ReceiptDate(date))?.internet == text
        else { return nil }
        return date
    }

    private func element<Value>(_ type: AppReceipt.Attribute, _ read: (inout DERReader) -> Value?) -> Value? {
        guard let bytes = only(type) else { return nil }
        var reader = DERReader(bytes)
        guard let value = read(&reader), reader.isAtEnd else { return nil }
        return value
    }
}

extension ReceiptAttributes {
    /// Reads only the creation date from a receipt's attributes.
    static func creationDate(_ bytes: ArraySlice<UInt8>) -> Date? {
        var set = DERReader(bytes)
        while let (type, value) = set.attribute() {
            guard type == AppReceipt.Attribute.creationDate.rawValue else { continue }
            var reader = DERReader(value)
            return reader.ia5().flatMap { date($0, isExact: false) }
        }
        return nil
    }
}

extension DERReader {
    /// Reads an attribute, and returns its type and value; the version, between them, is ignored.
    fileprivate mutating func attribute() -> (type: Int64, value: ArraySlice<UInt8>)? {
        guard var attribute = open(.sequence), let type = attribute.integer(), attribute.integer() != nil,
            let value = attribute.read(.octetString), attribute.isAtEnd
        else { return nil }
        return (type, value)
    }
}

/// The payload of a sealed app receipt, decoded.
///
/// The attributes may be in any order, and unknown ones are ignored. Attributes missing in Xcode's receipts have the
/// values of a test.
package struct AppReceiptPayload {
    /// The receipt.
    package let receipt: AppReceipt
    /// The environment's name, without the suffix for volume purchases.
    package let environment: String

    /// Decodes a payload; nil unless every required attribute is present exactly once and has the required type.
    package init?(_ payload: Data) {
        guard let set = Self.set(payload), let attributes = ReceiptAttributes(set, isExact: false),
            let name = attributes.text(.environment), var receipt = AppReceipt(attributes)
        else { return nil }
        if name == AppReceipt.environment("ProductionSandbox", isVolumePurchase: true) {
            (environment, receipt.isVolumePurchase) = ("ProductionSandbox", true)
        } else if name.hasSuffix("VPP") {
            (environment, receipt.isVolumePurchase) = (String(name.dropLast(3)), true)
        } else {
            environment = name
        }
        self.receipt = receipt
    }

    /// Reads the creation date from a payload; nil if there is none.
    package static func creationDate(of payload: Data) -> Date? { set(payload).flatMap(ReceiptAttributes.creationDate) }

    private static func set(_ payload: Data) -> ArraySlice<UInt8>? {
        var reader = DERReader([UInt8](payload))
        guard let set = reader.read(.set), reader.isAtEnd else { return nil }
        return set
    }
}
