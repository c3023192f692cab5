import Foundation

extension AppReceipt {
    /// Returns the encoded and signed receipt for an app, in DER.
    ///
    /// Its length is a few hundred bytes, and as many again for each purchase. With a deterministic signer, the same
    /// receipt always has the same bytes.
    ///
    /// An ``AppReceiptSigner`` seals the receipt in its own form, in which all attributes are sorted by their bytes, as
    /// DER requires for a set. For such a signer, first set ``deviceHash`` to ``hash(forDevice:signer:)``. With any
    /// other signer, the purchases come first, in their order, followed by the attributes that change with each
    /// receipt.
    ///
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999, a web order line item that is not a number, a
    ///   signature whose length is not the signer's, and a signer that has a certificate but is not an
    ///   ``AppReceiptSigner``; also the errors that the signer throws.
    package func data(signedBy signer: any ReceiptSigner) throws -> Data {
        try image(after: ReceiptEntries(signer: signer), signedBy: signer).data
    }

    /// Returns the receipt, in which other, already encoded purchases precede its own.
    ///
    /// If the signer can continue from a saved state, the cost is only that of the receipt's own purchases.
    func image(after entries: ReceiptEntries, signedBy signer: any ReceiptSigner) throws -> ReceiptImage {
        if let signer = signer as? any AppReceiptSigner {
            let payload = try sealedPayload(after: entries, for: signer)
            return ReceiptImage(try signer.seal(payload))
        }
        guard signer.certificate.isEmpty else {
            throw ReceiptError("Only an AppReceiptSigner signs an app receipt with a certificate.")
        }
        let remaining =
            try Array(purchases.map(Self.entry(for:)).joined()) + particulars(environment: signer.environment)
        let signature = try entries.signature(with: remaining, by: signer)
        guard signature.count == signer.signatureLength else {
            throw ReceiptError("The signer made \(signature.count) bytes, but promises \(signer.signatureLength).")
        }
        let back = SignedPayload.back(signature)
        let front = SignedPayload.front(attributes: entries.byteCount + remaining.count, back: back.count)
        return ReceiptImage(front: front, entries: entries, back: remaining + back)
    }

    /// Returns the encoded attribute of a purchase.
    static func entry(for purchase: Purchase) throws -> [UInt8] { attribute(.purchase, try Self.purchase(purchase)) }

    /// Returns all attributes except the purchases.
    private func particulars(environment: String) throws -> [UInt8] {
        var attributes: [[UInt8]] = [
            Self.attribute(.environment, DER.utf8(Self.environment(environment, isVolumePurchase: isVolumePurchase))),
            Self.attribute(.bundleIdentifier, DER.utf8(bundleIdentifier)),
            Self.attribute(.bundleVersion, DER.utf8(bundleVersion)),
            Self.attribute(.opaqueValue, [UInt8](opaqueValue), version: 2),
            Self.attribute(.deviceHash, [UInt8](deviceHash)),
            Self.attribute(.creationDate, try Self.date(creationDate)),
            Self.attribute(.originalPurchaseDate, try Self.date(originalPurchaseDate)),
            Self.attribute(.originalBundleVersion, DER.utf8(originalBundleVersion)),
        ]
        if let appAppleIdentifier {
            attributes.append(Self.attribute(.appAppleIdentifier, DER.integer(appAppleIdentifier)))
        }
        if let expirationDate { attributes.append(Self.attribute(.expirationDate, try Self.date(expirationDate))) }
        if let revocationDate { attributes.append(Self.attribute(.revocationDate, try Self.date(revocationDate))) }
        return DER.sorted(attributes)
    }

    private static func purchase(_ purchase: Purchase) throws -> [UInt8] {
        let subscription = purchase.subscription
        var attributes: [[UInt8]] = [
            attribute(.quantity, DER.integer(Int64(purchase.quantity))),
            attribute(.productIdentifier, DER.utf8(purchase.productIdentifier)),
            attribute(.transactionIdentifier, DER.utf8(purchase.transactionIdentifier)),
            attribute(.purchaseDate, try date(purchase.purchaseDate)),
            attribute(.originalTransactionIdentifier, DER.utf8(purchase.originalTransactionIdentifier)),
            attribute(.firstPurchaseDate, try date(purchase.originalPurchaseDate)),
            attribute(.kind, DER.integer(number(of: purchase.kind))),
            attribute(.subscriptionEnd, try subscription.map { try date($0.expirationDate) } ?? DER.ia5("")),
        ]
        if let date = purchase.cancellationDate { attributes.append(attribute(.cancellationDate, try Self.date(date))) }
        if let subscription {
            attributes.append(attribute(.isTrialPeriod, DER.integer(subscription.isTrialPeriod ? 1 : 0)))
            let isIntroductory = subscription.isInIntroductoryOfferPeriod
            attributes.append(attribute(.isInIntroductoryOfferPeriod, DER.integer(isIntroductory ? 1 : 0)))
            if let identifier = subscription.promotionalOfferIdentifier {
                attributes.append(attribute(.promotionalOfferIdentifier, DER.utf8(identifier)))
            }
            if let identifier = subscription.webOrderLineItemIdentifier {
                let number = DER.integer(try webOrderLineItem(identifier))
                attributes.append(attribute(.webOrderLineItemIdentifier, number))
            }
        }
        return DER.setOf(attributes)
    }

    private static func attribute(_ type: Attribute, _ value: [UInt8], version: Int64 = 1) -> [UInt8] {
        DER.sequence(DER.integer(type.rawValue), DER.integer(version), DER.element(.octetString, value))
    }

    private static func date(_ date: Date) throws -> [UInt8] { DER.ia5(try ReceiptDate(date).internet) }
}

extension AppReceipt {
    /// The form of a receipt, which determines its attributes and depends on the signer.
    enum Form {
        /// The HMAC form, for signers other than an ``AppReceiptSigner``: each attribute has exactly one valid
        /// encoding.
        case hmac
        /// The form of the App Store.
        case appStore
        /// The form of Xcode.
        case xcode

        init(_ signer: any ReceiptSigner) {
            self =
                switch (signer as? any AppReceiptSigner)?.appReceiptEnvironment {
                case nil: .hmac
                case ReceiptEnvelope.xcode: .xcode
                default: .appStore
                }
        }
    }

    /// The attributes, by their numbers; those of a purchase begin at 1701.
    enum Attribute: Int64 {
        case environment = 0
        case appAppleIdentifier = 1
        case bundleIdentifier = 2
        case bundleVersion = 3
        case opaqueValue = 4
        case deviceHash = 5
        case creationDate = 12
        case purchase = 17
        case originalPurchaseDate = 18
        case originalBundleVersion = 19
        case expirationDate = 21
        case revocationDate = 3001

        case quantity = 1701
        case productIdentifier = 1702
        case transactionIdentifier = 1703
        case purchaseDate = 1704
        case originalTransactionIdentifier = 1705
        case firstPurchaseDate = 1706
        case kind = 1707
        case subscriptionEnd = 1708
        case webOrderLineItemIdentifier = 1711
        case cancellationDate = 1712
        case isTrialPeriod = 1713
        case isInIntroductoryOfferPeriod = 1719
        case promotionalOfferIdentifier = 1721
    }

    /// Returns an environment's name in a receipt, with `VPP` for a volume purchase: `ProductionVPP`,
    /// `ProductionVPPSandbox`.
    static func environment(_ name: String, isVolumePurchase: Bool) -> String {
        guard isVolumePurchase else { return name }
        return name == "ProductionSandbox" ? "ProductionVPPSandbox" : name + "VPP"
    }

    /// Returns the number of a product's kind in receipts; 0 to 3 are the App Store's numbers.
    static func number(of kind: StoreProduct.Kind) -> Int64 {
        switch kind {
        case .nonConsumable: 0
        case .consumable: 1
        case .nonRenewing: 2
        // Receipts are older than suites and bundles, and have no numbers for them.
        case .autoRenewable, .subscriptionSuite, .subscriptionBundle: 3
        case .freeSubscription: 4
        }
    }

    /// Returns the kind that a number represents; nil for an unknown number.
    static func kind(_ number: Int64) -> StoreProduct.Kind? {
        StoreProduct.Kind.allCases.first { Self.number(of: $0) == number }
    }
}

// The two forms of sealed receipts.
//
// The App Store's form leaves out attributes 6, 7, 9, 10, 13 and 14: their values are specific to the App Store, differ
// between its receipts, and are meaningless to other stores. For an attribute whose value this store does not know, it
// uses the value that every sandbox receipt has.
//
// Xcode's form has fewer attributes (A17c): it lacks the date and version of the app's purchase, the kind of a product,
// and a subscription's original purchase. A free trial has the flag of an introductory price. The receipt itself
// expires in the year 4001.
extension AppReceipt {
    /// Returns a receipt's payload, to be sealed by a signer: a set of attributes in DER, sorted by their bytes.
    ///
    /// - Parameters:
    ///   - entries: the purchases that precede the receipt's own, encoded in the signer's form.
    ///   - signer: the signer that will seal the payload.
    /// - Returns: the payload.
    /// - Throws: a ``ReceiptError`` in the cases that ``data(signedBy:)`` lists.
    func sealedPayload(after entries: ReceiptEntries, for signer: any AppReceiptSigner) throws -> Data {
        let form = Form(signer)
        var set = AttributeSet(capacity: entries.byteCount + 512 * (purchases.count + 1))
        entries.forEach { set.add(encoded: $0) }
        for purchase in purchases { set.add(Attribute.purchase.rawValue, try Self.attributes(of: purchase, form)) }
        try addParticulars(signer.appReceiptEnvironment, to: &set)
        if form == .xcode {
            try set.add(.expirationDate, expirationDate ?? .distantFuture)
        } else {
            try addAppStoreParticulars(to: &set)
        }
        return set.encoded()
    }

    /// Returns the encoded attribute of a purchase, in the form of a signer that seals receipts.
    static func sealedEntry(for purchase: Purchase, _ form: Form) throws -> [UInt8] {
        var set = AttributeSet()
        set.add(Attribute.purchase.rawValue, try attributes(of: purchase, form))
        return [UInt8](set.unsorted())
    }

    /// Adds the attributes that both sealed forms have, except the purchases.
    private func addParticulars(_ environment: String, to set: inout AttributeSet) throws {
        set.add(.environment, .utf8String, Self.environment(environment, isVolumePurchase: isVolumePurchase))
        set.add(.appAppleIdentifier, appAppleIdentifier ?? 0)
        set.add(.bundleIdentifier, .utf8String, bundleIdentifier)
        set.add(.bundleVersion, .utf8String, bundleVersion)
        set.add(Attribute.opaqueValue.rawValue, version: 2, raw: opaqueValue)
        set.add(Attribute.deviceHash.rawValue, raw: deviceHash)
        set.add(8, .ia5String, "")
        try set.add(.creationDate, creationDate)
        if let revocationDate { try set.add(.revocationDate, revocationDate) }
    }

    /// Adds the attributes of a receipt that only the App Store's form has.
    private func addAppStoreParticulars(to set: inout AttributeSet) throws {
        for type in Self.zeros { set.add(type, integer: 0) }
        try set.add(.originalPurchaseDate, originalPurchaseDate)
        set.add(.originalBundleVersion, .utf8String, originalBundleVersion)
        set.add(20, .utf8String, "")
        if let expirationDate { try set.add(.expirationDate, expirationDate) }
        set.add(25, integer: 3)
    }

    /// Attributes that are 0 in a sandbox: numbers of the developer, the download and the app's version.
    private static let zeros: [Int64] = [11, 15, 16]

    /// Returns the set of a purchase's attributes.
    private static func attributes(of purchase: Purchase, _ form: Form) throws -> AttributeSet {
        var set = AttributeSet()
        if form != .xcode { try addAppStoreAttributes(of: purchase, to: &set) }
        set.add(.quantity, Int64(purchase.quantity))
        set.add(.transactionIdentifier, .utf8String, purchase.transactionIdentifier)
        set.add(.productIdentifier, .utf8String, purchase.productIdentifier)
        try set.add(.purchaseDate, purchase.purchaseDate)
        if let date = purchase.cancellationDate { try set.add(.cancellationDate, date) }
        if let subscription = purchase.subscription {
            let isFree = form == .xcode && subscription.isTrialPeriod
            try set.add(.subscriptionEnd, subscription.expirationDate)
            set.add(.isInIntroductoryOfferPeriod, subscription.isInIntroductoryOfferPeriod || isFree ? 1 : 0)
            if let identifier = subscription.promotionalOfferIdentifier {
                set.add(.promotionalOfferIdentifier, .utf8String, identifier)
            }
        }
        return set
    }

    /// Adds the attributes of a purchase that only the App Store's form has.
    private static func addAppStoreAttributes(of purchase: Purchase, to set: inout AttributeSet) throws {
        let subscription = purchase.subscription
        // Added roughly in the order of their lengths, since that makes sorting faster.
        for type in emptyTexts { set.add(type, .utf8String, "") }
        if subscription == nil { set.add(.subscriptionEnd, .ia5String, "") }
        if purchase.cancellationDate == nil { set.add(.cancellationDate, .ia5String, "") }
        // This form has no number for a free subscription, which is owned permanently, like a non-consumable.
        set.add(.kind, number(of: purchase.kind == .freeSubscription ? .nonConsumable : purchase.kind))
        // 1710 is the App Store's number of the product; 1722 has no known name.
        set.add(1710, integer: 0)
        set.add(1722, integer: 0)
        set.add(.isTrialPeriod, subscription?.isTrialPeriod ?? false ? 1 : 0)
        set.add(.webOrderLineItemIdentifier, try webOrderLineItem(subscription?.webOrderLineItemIdentifier ?? "0"))
        set.add(.originalTransactionIdentifier, .utf8String, purchase.originalTransactionIdentifier)
        try set.add(.firstPurchaseDate, purchase.originalPurchaseDate)
    }

    /// Attributes of a purchase whose text is empty in every receipt.
    private static let emptyTexts: [Int64] = [1709, 1714, 1715, 1716, 1717, 1718]

    /// Returns the number of a web order line item; throws an error if the identifier is not a number.
    static func webOrderLineItem(_ identifier: String) throws -> Int64 {
        guard let number = Int64(identifier), String(number) == identifier else {
            throw ReceiptError("An app receipt's web order line items are numbers.")
        }
        return number
    }
}

extension AttributeSet {
    fileprivate mutating func add(_ type: AppReceipt.Attribute, _ number: Int64) { add(type.rawValue, integer: number) }

    fileprivate mutating func add(_ type: AppReceipt.Attribute, _ tag: DER.Tag, _ text: String) {
        add(type.rawValue, tag, text)
    }

    fileprivate mutating func add(_ type: AppReceipt.Attribute, _ date: Date) throws {
        add(type.rawValue, try ReceiptDate(date))
    }
}

extension AppReceipt {
    /// Returns the historical verification response for an authentic app receipt, a JSON object.
    ///
    /// `status` is 0, and `receipt` has the receipt's content: each date as three strings (in UTC, in milliseconds
    /// since 1970, in Californian time; in whole seconds, except the date of the request), the purchases under
    /// `in_app`, and ``appAppleIdentifier`` as `adam_id` and `app_item_id`. Numbers that the store does not know are 0.
    /// The keys are sorted, so equal responses have the same bytes.
    ///
    /// - Parameters:
    ///   - environment: the store's environment, as in ``ReceiptSigner/environment``. A receipt of `Sandbox` has the
    ///     type `ProductionSandbox`.
    ///   - moment: the date of the request.
    /// - Returns: the object, in UTF-8.
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999.
    public func json(environment: String, requestedAt moment: Date) throws -> Data {
        AnswerValue.object(try answer(environment: environment, requestedAt: moment)).json
    }

    /// Returns the members of the object that ``json(environment:requestedAt:)`` returns, to which others may be added.
    ///
    /// - Parameters:
    ///   - environment: the store's environment.
    ///   - moment: the date of the request.
    ///   - details: returns further members for a purchase, by their names in JSON.
    /// - Returns: the members, including a `status` of 0.
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999.
    package func answer(
        environment: String,
        requestedAt moment: Date,
        details: (Purchase) -> [String: AnswerValue] = { _ in [:] }
    ) throws -> [String: AnswerValue] {
        // With room for all members: growing a dictionary moves those that it has.
        var receipt = [String: AnswerValue](minimumCapacity: 24)
        let type = Self.environment(
            environment == "Sandbox" ? "ProductionSandbox" : environment,
            isVolumePurchase: isVolumePurchase
        )
        receipt["receipt_type"] = .text(type)
        receipt["bundle_id"] = .text(bundleIdentifier)
        receipt["application_version"] = .text(bundleVersion)
        receipt["original_application_version"] = .text(originalBundleVersion)
        try ReceiptDate.add(creationDate, as: "receipt_creation_date", to: &receipt)
        try ReceiptDate.add(originalPurchaseDate, as: "original_purchase_date", to: &receipt)
        try ReceiptDate.add(moment, as: "request_date", isExact: true, to: &receipt)
        if let expirationDate { try ReceiptDate.add(expirationDate, as: "expiration_date", to: &receipt) }
        if let revocationDate { try ReceiptDate.add(revocationDate, as: "revocation_date", to: &receipt) }
        receipt["in_app"] = .list(
            try purchases.map { purchase in
                var fields = try Self.fields(of: purchase)
                fields.merge(details(purchase)) { $1 }
                return .object(fields)
            }
        )
        for number in ["adam_id", "app_item_id"] { receipt[number] = .number(Int(appAppleIdentifier ?? 0)) }
        for number in ["download_id", "version_external_identifier"] { receipt[number] = .number(0) }
        let status = ReceiptVerification.Status.valid.rawValue
        return ["status": .number(status), "environment": .text(environment), "receipt": .object(receipt)]
    }

    private static func fields(of purchase: Purchase) throws -> [String: AnswerValue] {
        var fields = [String: AnswerValue](minimumCapacity: 20)
        fields["quantity"] = .text(String(purchase.quantity))
        fields["product_id"] = .text(purchase.productIdentifier)
        fields["transaction_id"] = .text(purchase.transactionIdentifier)
        fields["original_transaction_id"] = .text(purchase.originalTransactionIdentifier)
        fields["is_trial_period"] = .text(String(purchase.subscription?.isTrialPeriod ?? false))
        try ReceiptDate.add(purchase.purchaseDate, as: "purchase_date", to: &fields)
        try ReceiptDate.add(purchase.originalPurchaseDate, as: "original_purchase_date", to: &fields)
        if let date = purchase.cancellationDate { try ReceiptDate.add(date, as: "cancellation_date", to: &fields) }
        if let subscription = purchase.subscription {
            try ReceiptDate.add(subscription.expirationDate, as: "expires_date", to: &fields)
            fields["web_order_line_item_id"] = subscription.webOrderLineItemIdentifier.map(AnswerValue.text)
            fields["is_in_intro_offer_period"] = .text(String(subscription.isInIntroductoryOfferPeriod))
            fields["promotional_offer_id"] = subscription.promotionalOfferIdentifier.map(AnswerValue.text)
        }
        return fields
    }
}
