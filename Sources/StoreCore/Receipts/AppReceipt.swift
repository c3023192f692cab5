import Foundation

/// What a store attests about everything that was bought in an app on one device: the receipt that came in 2013.
///
/// ``data(signedBy:)`` writes and signs it, ``init(verifying:signer:)`` reads it back. It is a set of numbered attributes,
/// each in DER, signed as CMS SignedData; each property below names its attribute. The set is not sorted: the purchases come
/// first, in their order. Nothing is checked for sense: a receipt says what its store says.
public struct AppReceipt: Hashable, Sendable {
    /// Attribute 2: the app's bundle identifier.
    public var bundleIdentifier: String
    /// Attribute 3: the app's version.
    public var bundleVersion: String
    /// Attribute 4: any bytes, which go into ``deviceHash``.
    public var opaqueValue: Data
    /// Attribute 5: what ties the receipt to one device, see ``hash(forDevice:)``.
    public var deviceHash: Data
    /// Attribute 12: when the receipt was made, kept to the second.
    public var creationDate: Date
    /// Attribute 17, once for each: what was bought, in an order that is kept.
    public var purchases: [Purchase]
    /// Attribute 18: when the app itself was bought, kept to the second.
    public var originalPurchaseDate: Date
    /// Attribute 19: the app's version then.
    public var originalBundleVersion: String
    /// Attribute 21: the first moment from which the receipt is not to be used any more, kept to the second; nil for never.
    ///
    /// For the app to judge: verifying does not.
    public var expirationDate: Date?
    /// Attribute 3001: since when the receipt is revoked, kept to the second; nil where it is not.
    ///
    /// The historical format has no place for it; the number is StoreCore's own. For the app to judge, as
    /// ``expirationDate``.
    public var revocationDate: Date?
    /// Attribute 0: whether the app belongs to a volume purchase, which stands as `VPP` in the environment's name.
    public var isVolumePurchase: Bool

    /// What every receipt from a test says of the app's own purchase: 1 August 2013, 7:00 UTC.
    public static let testPurchaseDate = Date(timeIntervalSince1970: 1_375_340_400)

    /// Describes what was bought on a device.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: the app.
    ///   - bundleVersion: its version.
    ///   - device: the bytes that the device is known by, such as the 16 of an identifier for the vendor.
    ///   - opaqueValue: any bytes; 16 by custom.
    ///   - creationDate: when the receipt is made.
    ///   - purchases: what was bought, in an order that is kept.
    ///   - originalPurchaseDate: when the app itself was bought; what every test says, unless given.
    ///   - originalBundleVersion: the app's version then.
    ///   - expirationDate: from when the receipt is not to be used any more; never, unless given.
    ///   - revocationDate: since when it is revoked; it is not, unless given.
    ///   - isVolumePurchase: whether the app belongs to a volume purchase.
    public init(
        bundleIdentifier: String,
        bundleVersion: String,
        device: Data,
        opaqueValue: Data,
        creationDate: Date,
        purchases: [Purchase] = [],
        originalPurchaseDate: Date = AppReceipt.testPurchaseDate,
        originalBundleVersion: String = "1.0",
        expirationDate: Date? = nil,
        revocationDate: Date? = nil,
        isVolumePurchase: Bool = false
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.opaqueValue = opaqueValue
        self.creationDate = creationDate
        self.purchases = purchases
        self.originalPurchaseDate = originalPurchaseDate
        self.originalBundleVersion = originalBundleVersion
        self.expirationDate = expirationDate
        self.revocationDate = revocationDate
        self.isVolumePurchase = isVolumePurchase
        deviceHash = Data()
        deviceHash = hash(forDevice: device)
    }

    /// What ``deviceHash`` is in a receipt of a device: the SHA-256 of the device's bytes, ``opaqueValue``, and the bundle
    /// identifier as attribute 2 has it, tag and length included.
    ///
    /// Receipts since 2013 have SHA-1 here, which is older than what else is used today and would be needed for nothing
    /// else. An app compares this hash with the receipt's to know that it was not copied from another device.
    ///
    /// - Parameter device: as given to the initializer.
    /// - Returns: 32 bytes.
    public func hash(forDevice device: Data) -> Data {
        Data(SHA256.digest(of: device + opaqueValue + Data(DER.utf8(bundleIdentifier))))
    }
}

extension AppReceipt {
    /// One purchase in an app receipt.
    public struct Purchase: Hashable, Sendable {
        /// 1701: how many were bought.
        public var quantity: Int
        /// 1702: what was bought.
        public var productIdentifier: String
        /// 1703: the transaction.
        public var transactionIdentifier: String
        /// 1704: when it took place, kept to the second.
        public var purchaseDate: Date
        /// 1705: the first purchase behind a renewal; else the same as ``transactionIdentifier``.
        public var originalTransactionIdentifier: String
        /// 1706: when the first purchase took place, kept to the second.
        public var originalPurchaseDate: Date
        /// 1707: the product's kind.
        ///
        /// 0 for a non-consumable, 1 for a consumable, 2 for a non-renewing subscription, 3 for an auto-renewable one. A
        /// free subscription is 4 here, a number of StoreCore's own.
        public var kind: SandboxProduct.Kind
        /// 1708, 1711, 1713, 1719 and 1721: what only auto-renewable subscriptions have; nil for everything else.
        ///
        /// There is no attribute for ``TransactionReceipt/Subscription/codeReferenceName``.
        public var subscription: TransactionReceipt.Subscription?
        /// 1712: since when the purchase does not count any more, because it was paid back or is not shared any more; kept
        /// to the second, nil while it counts.
        public var cancellationDate: Date?

        /// Describes a purchase; without an original it is its own.
        public init(
            quantity: Int = 1,
            productIdentifier: String,
            transactionIdentifier: String,
            purchaseDate: Date,
            originalTransactionIdentifier: String? = nil,
            originalPurchaseDate: Date? = nil,
            kind: SandboxProduct.Kind,
            subscription: TransactionReceipt.Subscription? = nil,
            cancellationDate: Date? = nil
        ) {
            self.quantity = quantity
            self.productIdentifier = productIdentifier
            self.transactionIdentifier = transactionIdentifier
            self.purchaseDate = purchaseDate
            self.originalTransactionIdentifier = originalTransactionIdentifier ?? transactionIdentifier
            self.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
            self.kind = kind
            self.subscription = subscription
            self.cancellationDate = cancellationDate
        }
    }
}
