import Foundation

// The forms of sealed receipts.
//
// In the App Store's, attributes 6, 7, 9, 10, 13 and 14 are left out: their values are the App Store's own, differ between its
// receipts, and mean nothing to a store that does not have them. All others have the values of every sandbox receipt where
// the store knows none.
//
// Xcode's has few of them (A17c): nothing says when and in which version the app was bought, nor which kind a product is of
// and with which purchase a subscription began; a free trial has the flag of an introductory price; and the receipt itself
// expires in the year 4001.
extension AppReceipt {
    /// Returns a receipt's payload for a signer that seals it: a set of attributes in DER, in the order of their bytes.
    ///
    /// - Parameters:
    ///   - entries: the purchases before the receipt's own, encoded in the signer's form.
    ///   - signer: the signer.
    /// - Returns: the payload, to be sealed.
    /// - Throws: a ``ReceiptError`` for what ``data(signedBy:)`` names.
    func sealedPayload(behind entries: ReceiptEntries, for signer: any AppReceiptSigner) throws -> Data {
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

    /// Returns a purchase's attribute in the form of a signer that seals receipts, encoded.
    static func sealedEntry(for purchase: Purchase, _ form: Form) throws -> [UInt8] {
        var set = AttributeSet()
        set.add(Attribute.purchase.rawValue, try attributes(of: purchase, form))
        return [UInt8](set.unsorted())
    }

    /// Adds the attributes that are in both forms, but the purchases.
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

    /// Adds the attributes that are in the App Store's form alone.
    private func addAppStoreParticulars(to set: inout AttributeSet) throws {
        for type in Self.zeros { set.add(type, integer: 0) }
        try set.add(.originalPurchaseDate, originalPurchaseDate)
        set.add(.originalBundleVersion, .utf8String, originalBundleVersion)
        set.add(20, .utf8String, "")
        if let expirationDate { try set.add(.expirationDate, expirationDate) }
        set.add(25, integer: 3)
    }

    /// Numbers of the App Store for the developer, the download and the app's version, 0 in a sandbox.
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

    /// Adds a purchase's attributes that are in the App Store's form alone.
    private static func addAppStoreAttributes(of purchase: Purchase, to set: inout AttributeSet) throws {
        let subscription = purchase.subscription
        // About in the order of their lengths, which sorts faster.
        for type in emptyTexts { set.add(type, .utf8String, "") }
        if subscription == nil { set.add(.subscriptionEnd, .ia5String, "") }
        if purchase.cancellationDate == nil { set.add(.cancellationDate, .ia5String, "") }
        // There is no number for a free subscription, which is owned for good.
        set.add(.kind, number(of: purchase.kind == .freeSubscription ? .nonConsumable : purchase.kind))
        // The product's own number, and one without a name.
        set.add(1710, integer: 0)
        set.add(1722, integer: 0)
        set.add(.isTrialPeriod, subscription?.isTrialPeriod ?? false ? 1 : 0)
        set.add(.webOrderLineItemIdentifier, try webOrderLineItem(subscription?.webOrderLineItemIdentifier ?? "0"))
        set.add(.originalTransactionIdentifier, .utf8String, purchase.originalTransactionIdentifier)
        try set.add(.firstPurchaseDate, purchase.originalPurchaseDate)
    }

    /// Attributes of purchases that are empty in every receipt.
    private static let emptyTexts: [Int64] = [1709, 1714, 1715, 1716, 1717, 1718]

    /// Returns a web order line item's number.
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
