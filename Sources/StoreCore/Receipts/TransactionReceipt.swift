import Foundation

/// What a store attests about one transaction: the receipt that came with every transaction from 2009 to 2013.
///
/// ``data(signedBy:)`` writes and signs it, ``ReceiptVerification`` reads it back. Its text is a property list of the
/// old style; each property below names the key it is written under. Nothing is checked for sense: a receipt says what
/// its store says.
public struct TransactionReceipt: Hashable, Sendable {
    /// `quantity`: how many were bought.
    public var quantity: Int
    /// `product-id`: what was bought.
    public var productIdentifier: String
    /// `transaction-id`: the transaction that this receipt came with.
    public var transactionIdentifier: String
    /// `original-transaction-id`: the first purchase behind a restored transaction or a renewal; else the same as
    /// ``transactionIdentifier``.
    public var originalTransactionIdentifier: String
    /// `purchase-date`, `purchase-date-ms` and `purchase-date-pst`: when the transaction took place, kept to the
    /// millisecond.
    public var purchaseDate: Date
    /// `original-purchase-date`, `-ms` and `-pst`: when the first purchase took place.
    public var originalPurchaseDate: Date
    /// `item-id`: the store's own number for the product.
    public var itemIdentifier: String?
    /// `bid`: the app's bundle identifier.
    public var bundleIdentifier: String
    /// `bvrs`: the app's version.
    public var bundleVersion: String
    /// `unique-identifier`: the device, in receipts from 2012 on.
    public var deviceIdentifier: String?
    /// `unique-vendor-identifier`: the device as the developer's apps know it, in receipts from 2013 on.
    public var vendorDeviceIdentifier: String?
    /// `app-item-id`: the store's own number for the app, in production only.
    public var appItemIdentifier: String?
    /// `version-external-identifier`: the store's own number for the app's version, in production only.
    public var versionExternalIdentifier: String?
    /// What only auto-renewable subscriptions have; nil for everything else.
    public var subscription: Subscription?
    /// `application-username`: what the app named its user in the payment.
    ///
    /// The historical format has no place for it; the key is StoreCore's own.
    public var applicationUsername: String?

    /// What a receipt says about one period of an auto-renewable subscription.
    public struct Subscription: Hashable, Sendable {
        /// `expires-date` (milliseconds since 1970), `expires-date-formatted` and `expires-date-formatted-pst`: the
        /// first moment that is not paid for.
        public var expirationDate: Date
        /// `web-order-line-item-id`: the store's own number for this period.
        public var webOrderLineItemIdentifier: String?
        /// `is-trial-period`: this period is free.
        public var isTrialPeriod: Bool
        /// `is-in-intro-offer-period`: this period has an introductory price.
        public var isInIntroductoryOfferPeriod: Bool
        /// `promotional-offer-id`: the promotional offer that this period is under, nil for none.
        public var promotionalOfferIdentifier: String?
        /// `offer-code-ref-name`: the reference name of the offer behind the code that brought this period, nil for none.
        public var codeReferenceName: String?

        /// Describes a period that ends at a date; by default it is paid for in full.
        public init(
            expirationDate: Date,
            webOrderLineItemIdentifier: String? = nil,
            isTrialPeriod: Bool = false,
            isInIntroductoryOfferPeriod: Bool = false,
            promotionalOfferIdentifier: String? = nil,
            codeReferenceName: String? = nil
        ) {
            self.expirationDate = expirationDate
            self.webOrderLineItemIdentifier = webOrderLineItemIdentifier
            self.isTrialPeriod = isTrialPeriod
            self.isInIntroductoryOfferPeriod = isInIntroductoryOfferPeriod
            self.promotionalOfferIdentifier = promotionalOfferIdentifier
            self.codeReferenceName = codeReferenceName
        }
    }

    /// Describes a transaction.
    ///
    /// Without an original it is its own; what else is left out does not appear in the receipt.
    public init(
        quantity: Int = 1,
        productIdentifier: String,
        transactionIdentifier: String,
        originalTransactionIdentifier: String? = nil,
        purchaseDate: Date,
        originalPurchaseDate: Date? = nil,
        itemIdentifier: String? = nil,
        bundleIdentifier: String,
        bundleVersion: String,
        deviceIdentifier: String? = nil,
        vendorDeviceIdentifier: String? = nil,
        appItemIdentifier: String? = nil,
        versionExternalIdentifier: String? = nil,
        subscription: Subscription? = nil,
        applicationUsername: String? = nil
    ) {
        self.quantity = quantity
        self.productIdentifier = productIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.originalTransactionIdentifier = originalTransactionIdentifier ?? transactionIdentifier
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
        self.itemIdentifier = itemIdentifier
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.deviceIdentifier = deviceIdentifier
        self.vendorDeviceIdentifier = vendorDeviceIdentifier
        self.appItemIdentifier = appItemIdentifier
        self.versionExternalIdentifier = versionExternalIdentifier
        self.subscription = subscription
        self.applicationUsername = applicationUsername
    }

    /// The receipt as an app gets it: ASCII text, signed.
    ///
    /// 1 to 2 KB usually. The same receipt gives the same bytes from a signer that always signs alike.
    ///
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999 or a signature that is not as long as the signer
    ///   promised, and what the signer throws.
    public func data(signedBy signer: any ReceiptSigner) throws -> Data {
        let information = try purchaseInformation()
        return try ReceiptEnvelope(signing: information, with: signer).encoded
    }
}

extension TransactionReceipt {
    /// The keys that a receipt cannot do without.
    static let indispensableKeys: Set<String> = [
        "quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date", "bid",
    ]

    /// What a receipt says under the names that verification has for it, nil if a key comes twice.
    static func fields(_ entries: [OldStylePropertyList.Entry]) -> [String: String]? {
        let (hyphen, underscore) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
        var fields = [String: String](minimumCapacity: entries.count)
        for entry in entries {
            let name = String(decoding: entry.key.utf8.map { $0 == hyphen ? underscore : $0 }, as: UTF8.self)
            guard fields.updateValue(entry.value, forKey: name) == nil else { return nil }
        }
        return fields
    }

    /// The historical order was that of a hash table and so of no meaning; this one is ours, and always the same.
    func purchaseInformation() throws -> [UInt8] {
        var list = OldStylePropertyList.Writer(capacity: 1536)
        list.add("quantity", plain: String(quantity).utf8)
        list.add("product-id", productIdentifier)
        list.add("transaction-id", transactionIdentifier)
        list.add("original-transaction-id", originalTransactionIdentifier)
        let purchased = try ReceiptDate(purchaseDate)
        list.add("purchase-date", writing: purchased.writeUniversal)
        list.add("purchase-date-ms", plain: String(purchased.milliseconds).utf8)
        list.add("purchase-date-pst", writing: purchased.writePacific)
        let originally = try ReceiptDate(originalPurchaseDate)
        list.add("original-purchase-date", writing: originally.writeUniversal)
        list.add("original-purchase-date-ms", plain: String(originally.milliseconds).utf8)
        list.add("original-purchase-date-pst", writing: originally.writePacific)
        if let itemIdentifier { list.add("item-id", itemIdentifier) }
        list.add("bid", bundleIdentifier)
        list.add("bvrs", bundleVersion)
        if let deviceIdentifier { list.add("unique-identifier", deviceIdentifier) }
        if let vendorDeviceIdentifier { list.add("unique-vendor-identifier", vendorDeviceIdentifier) }
        if let appItemIdentifier { list.add("app-item-id", appItemIdentifier) }
        if let versionExternalIdentifier { list.add("version-external-identifier", versionExternalIdentifier) }
        if let subscription { try add(subscription, to: &list) }
        if let applicationUsername { list.add("application-username", applicationUsername) }
        return list.end()
    }

    private func add(_ subscription: Subscription, to list: inout OldStylePropertyList.Writer) throws {
        let expires = try ReceiptDate(subscription.expirationDate)
        list.add("expires-date", plain: String(expires.milliseconds).utf8)
        list.add("expires-date-formatted", writing: expires.writeUniversal)
        list.add("expires-date-formatted-pst", writing: expires.writePacific)
        if let identifier = subscription.webOrderLineItemIdentifier { list.add("web-order-line-item-id", identifier) }
        list.add("is-trial-period", plain: String(subscription.isTrialPeriod).utf8)
        list.add("is-in-intro-offer-period", plain: String(subscription.isInIntroductoryOfferPeriod).utf8)
        if let identifier = subscription.promotionalOfferIdentifier { list.add("promotional-offer-id", identifier) }
        if let name = subscription.codeReferenceName { list.add("offer-code-ref-name", name) }
    }
}
