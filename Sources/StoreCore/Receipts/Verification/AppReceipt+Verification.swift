import Foundation

extension AppReceipt {
    /// Reads a receipt that ``data(signedBy:)`` made, and verifies its signature.
    ///
    /// Every byte counts: a receipt of which a single bit was changed is refused as
    /// ``ReceiptVerification/Status/malformed`` or ``ReceiptVerification/Status/notAuthentic``. Never fails otherwise,
    /// whatever the data; takes a time proportional to its length. An expired receipt, or one of another device, is
    /// authentic all the same: compare ``expirationDate``, and ``deviceHash`` with ``hash(forDevice:signer:)``.
    ///
    /// An ``AppReceiptSigner`` opens the App Store's form. Its certificates are judged as of the receipt's creation date.
    /// Attributes may come in any order then, and unknown ones are ignored.
    ///
    /// - Parameters:
    ///   - data: the receipt itself, not its Base64 form.
    ///   - signer: the signer that must have signed it.
    /// - Throws: the reason of the refusal.
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

    /// Returns nil unless every required attribute is there, once, and of its type.
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
            // Without a kind, as in Xcode's receipts, nothing but a subscription shows.
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
            webOrderLineItemIdentifier: attributes.numberOrNil(.webOrderLineItemIdentifier).map { String($0) },
            isTrialPeriod: attributes.number(.isTrialPeriod) == 1,
            isInIntroductoryOfferPeriod: attributes.number(.isInIntroductoryOfferPeriod) == 1,
            promotionalOfferIdentifier: attributes.text(.promotionalOfferIdentifier)
        )
    }
}
