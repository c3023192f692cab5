import Foundation

/// The receipt for one transaction, in the format that each transaction included from 2009 to 2013.
///
/// ``data(signedBy:)`` encodes and signs a receipt, and ``ReceiptVerification`` decodes it. The text is a property list
/// in the old NeXT format; the properties below name their keys. Values are not validated.
package struct TransactionReceipt: Hashable, Sendable {
    /// `quantity`: the quantity.
    package var quantity: Int
    /// `product-id`: the product identifier.
    package var productIdentifier: String
    /// `transaction-id`: the identifier of the transaction that includes this receipt.
    package var transactionIdentifier: String
    /// `original-transaction-id`: the identifier of the first purchase.
    ///
    /// That is the ``transactionIdentifier``, unless the transaction was restored or is a renewal.
    package var originalTransactionIdentifier: String
    /// `purchase-date`, `purchase-date-ms` and `purchase-date-pst`: the date of the transaction, to the millisecond.
    package var purchaseDate: Date
    /// `original-purchase-date`, `-ms` and `-pst`: the date of the first purchase, to the millisecond.
    package var originalPurchaseDate: Date
    /// `item-id`: the store's number for the product.
    package var itemIdentifier: String?
    /// `bid`: the app's bundle identifier.
    package var bundleIdentifier: String
    /// `bvrs`: the app's version.
    package var bundleVersion: String
    /// `unique-identifier`: the device's identifier, in receipts since 2012.
    package var deviceIdentifier: String?
    /// `unique-vendor-identifier`: the device's identifier for the developer's apps, in receipts since 2013.
    package var vendorDeviceIdentifier: String?
    /// `app-item-id`: the store's number for the app, in production only.
    package var appItemIdentifier: String?
    /// `version-external-identifier`: the store's number for the app's version, in production only.
    package var versionExternalIdentifier: String?
    /// The properties of an auto-renewable subscription; nil for all other kinds.
    package var subscription: Subscription?
    /// `application-username`: the payment's application username.
    ///
    /// The historical format has no such key; it is StoreCore's own.
    package var applicationUsername: String?
    /// `cancellation-date`, `-ms` and `-pst`: the date of the refund or the end of sharing; nil if there is neither.
    package var cancellationDate: Date?

    package typealias Subscription = AppReceipt.Subscription

    /// Creates a receipt for a transaction; by default, the transaction is neither restored nor a renewal.
    ///
    /// Properties that are nil do not appear in the receipt.
    package init(
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

    /// Returns the encoded and signed receipt, as ASCII text for an app.
    ///
    /// Its length is usually 1 to 2 KB. With a deterministic signer, the same receipt always has the same bytes.
    ///
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999, or for a signature that does not have
    ///   ``ReceiptSigner/signatureLength`` bytes; also the errors that the signer throws.
    package func data(signedBy signer: any ReceiptSigner) throws -> Data {
        try ReceiptEnvelope.encoded(signing: try purchaseInformation(version: signer.signatureVersion), with: signer)
    }
}

extension TransactionReceipt {
    private typealias Key = PurchaseInformationKey

    /// Returns the text to sign: the version byte, if it is given, then the keys with values, in the order of the keys.
    func purchaseInformation(version: UInt8? = nil) throws -> ByteWriter {
        var list = OldStylePropertyList.Writer(prefix: version, capacity: 1536)
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
        list.add(Key.isTrialPeriod.opening, subscription.isTrialPeriod ? "true" : "false")
        list.add(
            Key.isInIntroductoryOfferPeriod.opening,
            subscription.isInIntroductoryOfferPeriod ? "true" : "false"
        )
        if let identifier = subscription.promotionalOfferIdentifier {
            list.add(Key.promotionalOfferIdentifier.opening, identifier)
        }
        if let name = subscription.codeReferenceName { list.add(Key.codeReferenceName.opening, name) }
    }
}
