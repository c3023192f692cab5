import Foundation

extension AppReceipt {
    /// Reads a receipt that ``data(signedBy:)`` made, and verifies its signature.
    ///
    /// Every byte counts: a receipt of which a single bit was changed is refused as
    /// ``ReceiptVerification/Status/malformed`` or ``ReceiptVerification/Status/notAuthentic``. Never fails otherwise,
    /// whatever the data; takes a time proportional to its length. An expired receipt, or one of another device, is
    /// authentic all the same: compare ``expirationDate``, and ``deviceHash`` with ``hash(forDevice:)``.
    ///
    /// - Parameters:
    ///   - data: the receipt itself, not its Base64 form.
    ///   - signer: the signer that must have signed it.
    /// - Throws: the reason of the refusal.
    public init(verifying data: Data, signer: any ReceiptSigner) throws(ReceiptRefusal) {
        guard let envelope = SignedPayload(data), let attributes = Attributes(envelope.attributes) else {
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
        guard let receipt = AppReceipt(attributes) else {
            throw ReceiptRefusal(.malformed, "The store signed this, but it is not an app receipt.")
        }
        self = receipt
        self.isVolumePurchase = isVolumePurchase
    }

    /// Returns nil unless every required attribute is there, once, and of its type.
    private init?(_ attributes: Attributes) {
        guard let bundleIdentifier = attributes.text(.bundleIdentifier),
            let bundleVersion = attributes.text(.bundleVersion),
            let opaqueValue = attributes.only(.opaqueValue),
            let deviceHash = attributes.only(.deviceHash),
            let creationDate = attributes.date(.creationDate),
            let originalPurchaseDate = attributes.date(.originalPurchaseDate),
            let originalBundleVersion = attributes.text(.originalBundleVersion)
        else { return nil }
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.opaqueValue = Data(opaqueValue)
        self.deviceHash = Data(deviceHash)
        self.creationDate = creationDate
        self.originalPurchaseDate = originalPurchaseDate
        self.originalBundleVersion = originalBundleVersion
        expirationDate = nil
        if attributes.has(.expirationDate) {
            guard let date = attributes.date(.expirationDate) else { return nil }
            expirationDate = date
        }
        revocationDate = nil
        if attributes.has(.revocationDate) {
            guard let date = attributes.date(.revocationDate) else { return nil }
            revocationDate = date
        }
        isVolumePurchase = false
        purchases = []
        for value in attributes.all(.purchase) {
            var reader = DERReader(value)
            guard let set = reader.read(.set), reader.isAtEnd,
                let purchase = Attributes(Array(set)).flatMap(Purchase.init)
            else { return nil }
            purchases.append(purchase)
        }
    }
}

extension AppReceipt.Purchase {
    fileprivate init?(_ attributes: AppReceipt.Attributes) {
        guard let quantity = attributes.number(.quantity).flatMap({ Int(exactly: $0) }),
            let productIdentifier = attributes.text(.productIdentifier),
            let transactionIdentifier = attributes.text(.transactionIdentifier),
            let purchaseDate = attributes.date(.purchaseDate),
            let originalTransactionIdentifier = attributes.text(.originalTransactionIdentifier),
            let originalPurchaseDate = attributes.date(.firstPurchaseDate),
            let kind = attributes.number(.kind).flatMap(AppReceipt.kind),
            let end = attributes.ascii(.subscriptionEnd)
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
        // Apple's receipts have it, empty, where there is none.
        if attributes.has(.cancellationDate), attributes.ascii(.cancellationDate) != "" {
            guard let date = attributes.date(.cancellationDate) else { return nil }
            cancellationDate = date
        }
        // A period without an end is no subscription.
        guard !end.isEmpty else { return }
        guard let expirationDate = attributes.date(.subscriptionEnd) else { return nil }
        subscription = TransactionReceipt.Subscription(
            expirationDate: expirationDate,
            webOrderLineItemIdentifier: attributes.number(.webOrderLineItemIdentifier).map { String($0) },
            isTrialPeriod: attributes.number(.isTrialPeriod) == 1,
            isInIntroductoryOfferPeriod: attributes.number(.isInIntroductoryOfferPeriod) == 1,
            promotionalOfferIdentifier: attributes.text(.promotionalOfferIdentifier)
        )
    }
}

extension AppReceipt {
    /// The attributes of a receipt or of a purchase in it, in any order, known and unknown.
    fileprivate struct Attributes {
        private var values: [Int64: [ArraySlice<UInt8>]] = [:]

        /// Returns nil unless the bytes are attributes from end to end.
        init?(_ bytes: [UInt8]) {
            var set = DERReader(bytes)
            while !set.isAtEnd {
                guard var attribute = set.open(.sequence), let type = attribute.integer(),
                    attribute.integer() != nil, let value = attribute.read(.octetString), attribute.isAtEnd
                else { return nil }
                values[type, default: []].append(value)
            }
        }

        func has(_ type: Attribute) -> Bool { values[type.rawValue] != nil }

        func all(_ type: Attribute) -> [ArraySlice<UInt8>] { values[type.rawValue] ?? [] }

        /// Returns the only attribute of a type; nil also if there are several.
        func only(_ type: Attribute) -> ArraySlice<UInt8>? {
            let values = all(type)
            return values.count == 1 ? values[0] : nil
        }

        func text(_ type: Attribute) -> String? { element(type) { $0.utf8() } }

        func ascii(_ type: Attribute) -> String? { element(type) { $0.ia5() } }

        func number(_ type: Attribute) -> Int64? { element(type) { $0.integer() } }

        /// Returns a date attribute; nil unless it is written just as ``ReceiptDate`` writes it.
        func date(_ type: Attribute) -> Date? {
            guard let text = ascii(type), let date = try? Date(text, strategy: .iso8601),
                (try? ReceiptDate(date))?.internet == text
            else { return nil }
            return date
        }

        private func element<Value>(_ type: Attribute, _ read: (inout DERReader) -> Value?) -> Value? {
            guard let bytes = only(type) else { return nil }
            var reader = DERReader(bytes)
            guard let value = read(&reader), reader.isAtEnd else { return nil }
            return value
        }
    }
}
