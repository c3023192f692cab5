import Foundation

/// The receipt for all purchases in an app on one device, in the format of 2013.
///
/// ``data(signedBy:)`` encodes and signs it, ``init(verifying:signer:)`` decodes it. It is a set of numbered attributes,
/// each in DER, signed as CMS SignedData; each property below names its attribute. With an ``AppReceiptSigner``, it is
/// encoded and sealed as the App Store's. With any other signer the set is not sorted: the purchases come first, in their
/// order. No value is validated: a receipt states what its store states.
public struct AppReceipt: Hashable, Sendable {
    /// Attribute 2: the app's bundle identifier.
    public var bundleIdentifier: String
    /// Attribute 3: the app's version.
    public var bundleVersion: String
    /// Attribute 4: any bytes, which are part of the ``deviceHash``.
    public var opaqueValue: Data
    /// Attribute 5: the hash that ties the receipt to one device; see ``hash(forDevice:signer:)``.
    public var deviceHash: Data
    /// Attribute 12: the receipt's creation date, to the second.
    public var creationDate: Date
    /// Attribute 17, once for each: the purchases, in the given order; in the App Store's form, sorted by their bytes.
    public var purchases: [Purchase]
    /// Attribute 18: the date of the app's own purchase, to the second.
    public var originalPurchaseDate: Date
    /// Attribute 19: the app's version at that date.
    public var originalBundleVersion: String
    /// Attribute 21: the moment at which the receipt expires, to the second; nil for never.
    ///
    /// Verification does not check it: the app does.
    public var expirationDate: Date?
    /// Attribute 3001: the moment since which the receipt is revoked, to the second; nil if it is not.
    ///
    /// The historical format has no such attribute; the number is StoreCore's own. The app checks it, as
    /// ``expirationDate``.
    public var revocationDate: Date?
    /// Attribute 0: whether the app belongs to a volume purchase, shown as `VPP` in the environment's name.
    public var isVolumePurchase: Bool
    /// Attribute 1: the app's Apple ID, the App Store's number for it; nil in every receipt from a test.
    ///
    /// In the App Store's form the number is 0 if this is nil.
    public var appAppleIdentifier: Int64?

    /// The date of the app's own purchase in every receipt from a test: 1 August 2013, 7:00 UTC.
    public static let testPurchaseDate = AppTransactionPayload.testPurchaseDate

    /// Creates a receipt for the purchases on a device.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: the app.
    ///   - bundleVersion: its version.
    ///   - device: the bytes that identify the device, such as the 16 of an identifier for the vendor.
    ///   - opaqueValue: any bytes; usually 16.
    ///   - creationDate: the receipt's creation date.
    ///   - purchases: the purchases, in an order that is preserved.
    ///   - originalPurchaseDate: the date of the app's own purchase; by default that of every test.
    ///   - originalBundleVersion: the app's version at that date.
    ///   - expirationDate: the moment at which the receipt expires; by default never.
    ///   - revocationDate: the moment since which it is revoked; by default it is not.
    ///   - isVolumePurchase: whether the app belongs to a volume purchase.
    ///   - appAppleIdentifier: the app's Apple ID; by default none.
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
        isVolumePurchase: Bool = false,
        appAppleIdentifier: Int64? = nil
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
        self.appAppleIdentifier = appAppleIdentifier
        deviceHash = Data()
        deviceHash = hash(forDevice: device)
    }

    /// Returns the ``deviceHash`` of a receipt for a device: the SHA-256 of the device's bytes, ``opaqueValue``, and
    /// the bundle identifier as attribute 2 has it, tag and length included.
    ///
    /// The App Store and any ``AppReceiptSigner`` use SHA-1 instead: see ``hash(forDevice:signer:)``. An app compares this
    /// hash with the receipt's to verify that it was not copied from another device.
    ///
    /// - Parameter device: the bytes given to the initializer.
    /// - Returns: 32 bytes.
    public func hash(forDevice device: Data) -> Data { Data(SHA256.digest(of: hashedBytes(forDevice: device))) }

    /// Returns the ``deviceHash`` of a receipt for a device, by the algorithm of a signer's receipts.
    ///
    /// - Parameters:
    ///   - device: the bytes given to the initializer.
    ///   - signer: the signer of the receipt.
    /// - Returns: the hash of ``AppReceiptSigner/deviceHash(of:)``, 20 bytes in the App Store's form; for any other
    ///   signer that of ``hash(forDevice:)``.
    public func hash(forDevice device: Data, signer: any ReceiptSigner) -> Data {
        guard let signer = signer as? any AppReceiptSigner else { return hash(forDevice: device) }
        return signer.deviceHash(of: hashedBytes(forDevice: device))
    }

    /// Returns the bytes that a device's hash covers.
    package func hashedBytes(forDevice device: Data) -> Data {
        device + opaqueValue + Data(DER.utf8(bundleIdentifier))
    }
}

extension AppReceipt {
    /// One purchase in an app receipt.
    public struct Purchase: Hashable, Sendable {
        /// 1701: the quantity.
        public var quantity: Int
        /// 1702: the product identifier.
        public var productIdentifier: String
        /// 1703: the transaction identifier.
        public var transactionIdentifier: String
        /// 1704: the purchase date, to the second.
        public var purchaseDate: Date
        /// 1705: the identifier of a renewal's first purchase; otherwise the same as ``transactionIdentifier``.
        public var originalTransactionIdentifier: String
        /// 1706: the date of the first purchase, to the second.
        public var originalPurchaseDate: Date
        /// 1707: the product's kind.
        ///
        /// 0 for a non-consumable, 1 for a consumable, 2 for a non-renewing subscription, 3 for an auto-renewable one.
        /// The App Store has no number for a free subscription: its form uses 0, which is read as a non-consumable, as in
        /// JWS. With any other signer it is 4, a number of StoreCore's own.
        public var kind: SandboxProduct.Kind
        /// 1708, 1711, 1713, 1719 and 1721: the attributes of auto-renewable subscriptions; nil for all other kinds.
        ///
        /// In the App Store's form a subscription without a web order line item has the number 0.
        ///
        /// There is no attribute for ``TransactionReceipt/Subscription/codeReferenceName``.
        public var subscription: TransactionReceipt.Subscription?
        /// 1712: the date since which the purchase is refunded or no longer shared, to the second; nil while it is valid.
        public var cancellationDate: Date?

        /// Creates a purchase, by default its own original.
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
