import Foundation

/// The receipt for all purchases in an app on one device, in Apple's format of 2013.
///
/// A store encodes and signs a receipt, see ``ReceiptService/appReceipt``, and ``init(verifying:signer:)`` decodes it.
/// A receipt is a set of numbered attributes in DER, signed as CMS SignedData; the properties below name their
/// attributes' numbers. An `AppStoreSigner` of the module StoreCrypto encodes and seals it as the App Store does. With
/// any other signer, the set is not sorted: the purchases come first, in their order. Values are not validated.
public struct AppReceipt: Hashable, Sendable {
    /// Attribute 2: the app's bundle identifier.
    public var bundleIdentifier: String
    /// Attribute 3: the app's version.
    public var bundleVersion: String
    /// Attribute 4: arbitrary bytes, which are included in the ``deviceHash``.
    public var opaqueValue: Data
    /// Attribute 5: the hash that binds the receipt to one device; see ``hash(forDevice:signer:)``.
    public var deviceHash: Data
    /// Attribute 12: the receipt's creation date, to the second.
    public var creationDate: Date
    /// Attribute 17, once for each purchase: the purchases in order; in the App Store's form, sorted by bytes.
    public var purchases: [Purchase]
    /// Attribute 18: the date of the app's own purchase, to the second.
    public var originalPurchaseDate: Date
    /// Attribute 19: the app's version at the ``originalPurchaseDate``.
    public var originalBundleVersion: String
    /// Attribute 21: the date on which the receipt expires, to the second; nil if it never does.
    ///
    /// Verification does not check this date: the app must do that.
    public var expirationDate: Date?
    /// Attribute 3001: the date since which the receipt is revoked, to the second; nil if it is not.
    ///
    /// The number is StoreCore's own, as the historical format has none. The app must check this date too.
    public var revocationDate: Date?
    /// Attribute 0: whether the app belongs to a volume purchase, shown as `VPP` in the environment's name.
    public var isVolumePurchase: Bool
    /// Attribute 1: the app's Apple ID, a number of App Store Connect; nil in every receipt from a test.
    ///
    /// In the App Store's form, nil is encoded as 0.
    public var appAppleIdentifier: Int64?

    /// The date of the app's own purchase unless an ``AppPurchase`` is set: 1 August 2013, 7:00 UTC.
    package static let testPurchaseDate = AppTransactionPayload.testPurchaseDate

    /// Creates a receipt for the purchases on a device.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: the app's bundle identifier.
    ///   - bundleVersion: the app's version.
    ///   - device: bytes that identify the device, such as the 16 of an identifier for the vendor.
    ///   - opaqueValue: arbitrary bytes, usually 16.
    ///   - creationDate: the receipt's creation date.
    ///   - purchases: the purchases, whose order is preserved.
    ///   - originalPurchaseDate: the date of the app's own purchase; by default that of a test.
    ///   - originalBundleVersion: the app's version at that date.
    ///   - expirationDate: the date on which the receipt expires; by default never.
    ///   - revocationDate: the date since which the receipt is revoked; by default it is not.
    ///   - isVolumePurchase: whether the app belongs to a volume purchase.
    ///   - appAppleIdentifier: the app's Apple ID; by default none.
    package init(
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

    /// Returns the ``deviceHash`` of this receipt for a device in the HMAC form.
    ///
    /// The hash is the SHA-256 of the device's bytes, the ``opaqueValue``, and the encoded value of attribute 2.
    ///
    /// For the App Store and an `AppStoreSigner`, which use SHA-1, see ``hash(forDevice:signer:)``. If an app's hash
    /// differs from the receipt's ``deviceHash``, the receipt was copied from another device.
    ///
    /// - Parameter device: the bytes that identify the device: in a ``SandboxStore``, the 16 of
    ///   ``SandboxDevice/identifierForVendor``.
    /// - Returns: 32 bytes.
    public func hash(forDevice device: Data) -> Data { Data(SHA256.digest(of: hashedBytes(forDevice: device))) }

    /// Returns the ``deviceHash`` of this receipt for a device, by the algorithm that a signer requires.
    ///
    /// - Parameters:
    ///   - device: the bytes that identify the device: in a ``SandboxStore``, the 16 of
    ///     ``SandboxDevice/identifierForVendor``.
    ///   - signer: the signer of the receipt.
    /// - Returns: the 20 bytes of SHA-1 for an `AppStoreSigner`, as in the App Store's form; for any other signer, the
    ///   result of ``hash(forDevice:)``.
    public func hash(forDevice device: Data, signer: any ReceiptSigner) -> Data {
        guard let signer = signer as? any AppReceiptSigner else { return hash(forDevice: device) }
        return signer.deviceHash(of: hashedBytes(forDevice: device))
    }

    /// Returns the bytes of which a device's hash is computed.
    package func hashedBytes(forDevice device: Data) -> Data { device + opaqueValue + Data(DER.utf8(bundleIdentifier)) }
}

extension AppReceipt {
    /// A purchase in an app receipt; each property below names its attribute's number.
    public struct Purchase: Hashable, Sendable {
        /// 1701: the quantity.
        public var quantity: Int
        /// 1702: the product identifier.
        public var productIdentifier: String
        /// 1703: the transaction identifier.
        public var transactionIdentifier: String
        /// 1704: the purchase date, to the second.
        public var purchaseDate: Date
        /// 1705: the transaction identifier of the first purchase; that of this purchase if it is not a renewal.
        public var originalTransactionIdentifier: String
        /// 1706: the date of the first purchase, to the second.
        public var originalPurchaseDate: Date
        /// 1707: the kind of the product.
        ///
        /// A non-consumable is 0, a consumable 1, a non-renewing subscription 2, an auto-renewable one 3. The App Store
        /// has no number for free subscriptions. Its form uses 0, so they are decoded as non-consumables, as in a JWS.
        /// With any other signer, a free subscription is 4, a number of StoreCore's own.
        public var kind: StoreProduct.Kind
        /// 1708, 1711, 1713, 1719 and 1721: the attributes of an auto-renewable subscription; nil for all other kinds.
        ///
        /// In the App Store's form, a missing web order line item is encoded as 0. No attribute contains the
        /// ``AppReceipt/Subscription/codeReferenceName``.
        public var subscription: Subscription?
        /// 1712: the date since which the purchase is refunded or no longer shared, to the second; nil if it is valid.
        public var cancellationDate: Date?

        /// Creates a purchase; by default, it is not a renewal.
        package init(
            quantity: Int = 1,
            productIdentifier: String,
            transactionIdentifier: String,
            purchaseDate: Date,
            originalTransactionIdentifier: String? = nil,
            originalPurchaseDate: Date? = nil,
            kind: StoreProduct.Kind,
            subscription: Subscription? = nil,
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

extension AppReceipt {
    /// One period of an auto-renewable subscription in a receipt.
    public struct Subscription: Hashable, Sendable {
        /// `expires-date`, `-formatted` and `-formatted-pst`: the end of the paid period.
        ///
        /// The first of the three is in milliseconds since 1970.
        public var expirationDate: Date
        /// `web-order-line-item-id`: the store's number for this period.
        ///
        /// In a ``SandboxStore``, it is the identifier of the transaction that began the period, also in JWSs.
        public var webOrderLineItemIdentifier: String?
        /// `is-trial-period`: whether this period is free.
        public var isTrialPeriod: Bool
        /// `is-in-intro-offer-period`: whether this period has an introductory price.
        public var isInIntroductoryOfferPeriod: Bool
        /// `promotional-offer-id`: the promotional offer that applies to this period; nil if none does.
        public var promotionalOfferIdentifier: String?
        /// `offer-code-ref-name`: the reference name of the offer redeemed by code for this period; nil if none.
        public var codeReferenceName: String?

        /// Creates a period; by default, it is sold at the full price.
        package init(
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
}
