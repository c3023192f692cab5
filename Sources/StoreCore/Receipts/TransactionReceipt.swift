import Foundation

/// The receipt for one transaction, in the format that came with every transaction from 2009 to 2013.
///
/// ``data(signedBy:)`` encodes and signs it, ``ReceiptVerification`` decodes it. Its text is a property list of the old
/// style; each property below names its key. No value is validated: a receipt states what its store states.
public struct TransactionReceipt: Hashable, Sendable {
    /// `quantity`: the quantity.
    public var quantity: Int
    /// `product-id`: the product identifier.
    public var productIdentifier: String
    /// `transaction-id`: the transaction that this receipt came with.
    public var transactionIdentifier: String
    /// `original-transaction-id`: the first purchase, for a restored transaction or a renewal; otherwise the same as
    /// ``transactionIdentifier``.
    public var originalTransactionIdentifier: String
    /// `purchase-date`, `purchase-date-ms` and `purchase-date-pst`: the date of the transaction, to the millisecond.
    public var purchaseDate: Date
    /// `original-purchase-date`, `-ms` and `-pst`: the date of the first purchase.
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
    /// The attributes of an auto-renewable subscription; nil for all other kinds.
    public var subscription: Subscription?
    /// `application-username`: the app's own name for its user in the payment.
    ///
    /// The historical format has no such key; it is StoreCore's own.
    public var applicationUsername: String?
    /// `cancellation-date`, `-ms` and `-pst`: the date since which the transaction is refunded or no longer shared; nil
    /// while it is valid.
    public var cancellationDate: Date?

    /// One period of an auto-renewable subscription in a receipt.
    public struct Subscription: Hashable, Sendable {
        /// `expires-date` (milliseconds since 1970), `expires-date-formatted` and `expires-date-formatted-pst`: the first
        /// moment after the paid period.
        public var expirationDate: Date
        /// `web-order-line-item-id`: the store's own number for this period.
        ///
        /// In a ``SandboxStore`` it is the identifier of the transaction that began the period, the same in receipts and in
        /// JWS.
        public var webOrderLineItemIdentifier: String?
        /// `is-trial-period`: whether this period is free.
        public var isTrialPeriod: Bool
        /// `is-in-intro-offer-period`: whether this period has an introductory price.
        public var isInIntroductoryOfferPeriod: Bool
        /// `promotional-offer-id`: the promotional offer that this period is under, nil for none.
        public var promotionalOfferIdentifier: String?
        /// `offer-code-ref-name`: the reference name of the offer whose code was redeemed for this period, nil for none.
        public var codeReferenceName: String?

        /// Creates a period that ends on a date; by default at the full price.
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

    /// Creates a receipt for a transaction, by default its own original.
    ///
    /// Omitted values do not appear in the receipt.
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
        applicationUsername: String? = nil,
        cancellationDate: Date? = nil
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
        self.cancellationDate = cancellationDate
    }

    /// Returns the encoded receipt for an app: ASCII text, signed.
    ///
    /// Its length is usually 1 to 2 KB. The same receipt has the same bytes with a deterministic signer.
    ///
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999 or a signature of another length than the
    ///   signer's, and the signer's errors.
    public func data(signedBy signer: any ReceiptSigner) throws -> Data {
        try ReceiptEnvelope.encoded(signing: try purchaseInformation(behind: signer.signatureVersion), with: signer)
    }
}

extension TransactionReceipt {
    private typealias Key = PurchaseInformationKey

    /// Returns the text to sign: the version byte, if any, then each key that is present, in the keys' order.
    func purchaseInformation(behind version: UInt8? = nil) throws -> Data {
        var list = OldStylePropertyList.Writer(behind: version, capacity: 1536)
        list.add(Key.quantity.opening, String(quantity))
        list.add(Key.productIdentifier.opening, productIdentifier)
        list.add(Key.transactionIdentifier.opening, transactionIdentifier)
        list.add(Key.originalTransactionIdentifier.opening, originalTransactionIdentifier)
        let purchased = try ReceiptDate(purchaseDate)
        list.add(Key.purchaseDate.opening, writing: purchased.writeUniversal)
        list.add(Key.purchaseDateMilliseconds.opening, writing: purchased.writeMilliseconds)
        list.add(Key.purchaseDatePacific.opening, writing: purchased.writePacific)
        let originally = try ReceiptDate(originalPurchaseDate)
        list.add(Key.originalPurchaseDate.opening, writing: originally.writeUniversal)
        list.add(Key.originalPurchaseDateMilliseconds.opening, writing: originally.writeMilliseconds)
        list.add(Key.originalPurchaseDatePacific.opening, writing: originally.writePacific)
        if let itemIdentifier { list.add(Key.itemIdentifier.opening, itemIdentifier) }
        list.add(Key.bundleIdentifier.opening, bundleIdentifier)
        list.add(Key.bundleVersion.opening, bundleVersion)
        if let deviceIdentifier { list.add(Key.uniqueIdentifier.opening, deviceIdentifier) }
        if let vendorDeviceIdentifier { list.add(Key.uniqueVendorIdentifier.opening, vendorDeviceIdentifier) }
        if let appItemIdentifier { list.add(Key.appItemIdentifier.opening, appItemIdentifier) }
        if let versionExternalIdentifier { list.add(Key.versionExternalIdentifier.opening, versionExternalIdentifier) }
        if let subscription { try add(subscription, to: &list) }
        if let applicationUsername { list.add(Key.applicationUsername.opening, applicationUsername) }
        if let cancellationDate {
            let cancelled = try ReceiptDate(cancellationDate)
            list.add(Key.cancellationDate.opening, writing: cancelled.writeUniversal)
            list.add(Key.cancellationDateMilliseconds.opening, writing: cancelled.writeMilliseconds)
            list.add(Key.cancellationDatePacific.opening, writing: cancelled.writePacific)
        }
        return list.end()
    }

    private func add(_ subscription: Subscription, to list: inout OldStylePropertyList.Writer) throws {
        let expires = try ReceiptDate(subscription.expirationDate)
        list.add(Key.expiresDate.opening, writing: expires.writeMilliseconds)
        list.add(Key.expiresDateFormatted.opening, writing: expires.writeUniversal)
        list.add(Key.expiresDateFormattedPacific.opening, writing: expires.writePacific)
        if let identifier = subscription.webOrderLineItemIdentifier {
            list.add(Key.webOrderLineItemIdentifier.opening, identifier)
        }
        list.add(Key.isTrialPeriod.opening, String(subscription.isTrialPeriod))
        list.add(Key.isInIntroductoryOfferPeriod.opening, String(subscription.isInIntroductoryOfferPeriod))
        if let identifier = subscription.promotionalOfferIdentifier {
            list.add(Key.promotionalOfferIdentifier.opening, identifier)
        }
        if let name = subscription.codeReferenceName { list.add(Key.codeReferenceName.opening, name) }
    }
}
