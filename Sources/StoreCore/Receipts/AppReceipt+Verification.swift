import Foundation

extension AppReceipt {
    /// Decodes a receipt that ``data(signedBy:)`` created, and verifies its signature.
    ///
    /// Every byte counts: a receipt with a single changed bit is refused as ``ReceiptVerification/Status/malformed`` or
    /// ``ReceiptVerification/Status/notAuthentic``. Never fails otherwise, whatever the data; takes time proportional to
    /// its length. An expired receipt, or one of another device, is still authentic: compare ``expirationDate``, and
    /// ``deviceHash`` with ``hash(forDevice:signer:)``.
    ///
    /// An ``AppReceiptSigner`` opens the App Store's form. Its certificates must be valid at the receipt's creation date.
    /// Attributes may then be in any order, and unknown ones are ignored.
    ///
    /// - Parameters:
    ///   - data: the receipt itself, not its Base64 form.
    ///   - signer: the signer that must have signed it.
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
        // Another program may have sealed other content with the same certificates.
        guard let content = AppReceiptPayload(payload) else { throw .notAnAppReceipt }
        guard content.environment == signer.appReceiptEnvironment else {
            throw ReceiptRefusal(environment: content.environment, judgedIn: signer.appReceiptEnvironment)
        }
        self = content.receipt
    }

    /// Verifies a receipt in the form of HMAC.
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
        // This happens when another program uses the same key.
        guard let receipt = AppReceipt(attributes) else { throw .notAnAppReceipt }
        self = receipt
        self.isVolumePurchase = isVolumePurchase
    }

    /// Returns nil unless every required attribute is present, once, and of its type.
    init?(_ attributes: ReceiptAttributes) {
        guard let bundleIdentifier = attributes.text(.bundleIdentifier),
            let bundleVersion = attributes.text(.bundleVersion),
            let opaqueValue = attributes.only(.opaqueValue),
            let deviceHash = attributes.only(.deviceHash),
            let creationDate = attributes.date(.creationDate),
            let originalPurchaseDate = attributes.lacks(.originalPurchaseDate)
                ? Self.testPurchaseDate : attributes.date(.originalPurchaseDate),
            let originalBundleVersion = attributes.lacks(.originalBundleVersion)
                ? "1.0" : attributes.text(.originalBundleVersion)
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
            // Without a kind, as in Xcode's receipts, only a subscription can be recognized.
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
        // Apple's receipts have an empty date where there is none.
        if attributes.has(.cancellationDate), attributes.ascii(.cancellationDate) != "" {
            guard let date = attributes.date(.cancellationDate) else { return nil }
            cancellationDate = date
        }
        // A purchase without a period's end is not a subscription.
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

/// The attributes of a receipt or of a purchase in it, in any order, known and unknown.
struct ReceiptAttributes {
    private var values: [Int64: [ArraySlice<UInt8>]] = [:]
    /// Whether the receipt is in the form of HMAC, in which every attribute has one encoding.
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

    /// Returns the only attribute of a type; nil also if there are several.
    func only(_ type: AppReceipt.Attribute) -> ArraySlice<UInt8>? {
        let values = all(type)
        return values.count == 1 ? values[0] : nil
    }

    func text(_ type: AppReceipt.Attribute) -> String? { element(type) { $0.utf8() } }

    func ascii(_ type: AppReceipt.Attribute) -> String? { element(type) { $0.ia5() } }

    func number(_ type: AppReceipt.Attribute) -> Int64? { element(type) { $0.integer() } }

    /// Returns a number that may be missing, which the App Store's form represents by 0.
    func numberOrNil(_ type: AppReceipt.Attribute) -> Int64? {
        number(type).flatMap { $0 == 0 && !isExact ? nil : $0 }
    }

    /// Returns a date attribute; nil for text that is not a date in this form.
    func date(_ type: AppReceipt.Attribute) -> Date? { ascii(type).flatMap { Self.date($0, isExact: isExact) } }

    /// Returns whether an attribute is missing or empty; always false in the exact form.
    func lacks(_ type: AppReceipt.Attribute) -> Bool { !isExact && (!has(type) || ascii(type) == "") }

    /// Returns a date; in the exact form, nil unless it is formatted as by ``ReceiptDate``.
    private static func date(_ text: String, isExact: Bool) -> Date? {
        guard let date = try? Date(text, strategy: .iso8601),
            !isExact || (try? ReceiptDate(date))?.internet == text
        else { return nil }
        return date
    }

    private func element<Value>(
        _ type: AppReceipt.Attribute,
        _ read: (inout DERReader) -> Value?
    ) -> Value? {
        guard let bytes = only(type) else { return nil }
        var reader = DERReader(bytes)
        guard let value = read(&reader), reader.isAtEnd else { return nil }
        return value
    }
}

extension ReceiptAttributes {
    /// Reads the creation date from a receipt's attributes, without the values of the others.
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
    /// Reads an attribute: its type, its version, which is ignored, and its value.
    fileprivate mutating func attribute() -> (type: Int64, value: ArraySlice<UInt8>)? {
        guard var attribute = open(.sequence), let type = attribute.integer(), attribute.integer() != nil,
            let value = attribute.read(.octetString), attribute.isAtEnd
        else { return nil }
        return (type, value)
    }
}

/// The payload of a sealed app receipt, read into fields.
///
/// Attributes may be in any order, and may include unknown ones. Attributes that Xcode's receipts leave out have the values
/// of a test.
package struct AppReceiptPayload {
    /// The receipt.
    package let receipt: AppReceipt
    /// The environment's name, without the mark of a volume purchase.
    package let environment: String

    /// Returns nil unless every required attribute is present, once, and of its type.
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
    package static func creationDate(of payload: Data) -> Date? {
        set(payload).flatMap(ReceiptAttributes.creationDate)
    }

    private static func set(_ payload: Data) -> ArraySlice<UInt8>? {
        var reader = DERReader([UInt8](payload))
        guard let set = reader.read(.set), reader.isAtEnd else { return nil }
        return set
    }
}
