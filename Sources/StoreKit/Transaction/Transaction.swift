import Foundation
import StoreCore

/// A purchase of a product, a renewal of a subscription, or either one restored or shared by the family.
///
/// A transaction is a snapshot: what happens to a purchase later, such as a refund, is in another value with the same
/// ``id``. Two transactions are equal if all properties are, ``signedDate`` included; signing the same information again
/// makes no difference.
///
/// A property that the store does not tell has the value that its documentation names.
public struct Transaction: Identifiable, Sendable, SignedInformation {
    let signed: SignedValue<TransactionPayload>
    /// The store that it came from and is finished in; nil for a value from elsewhere.
    let origin: StoreOrigin?

    init(_ signed: SignedValue<TransactionPayload>, _ origin: StoreOrigin?) {
        self.signed = signed
        self.origin = origin
    }

    /// The JSON that the properties were read from: the payload of the JWS.
    ///
    /// A store in the process signs when it is first read.
    public var jsonRepresentation: Data { signed.json }

    /// The transaction's identifier, the same as Store Kit 1's `transactionIdentifier`; 0 if the store's is not a number.
    public var id: UInt64 { UInt64(payload.transactionId) ?? 0 }

    /// The identifier of the purchase that a subscription began with or that was restored; else the same as ``id``.
    public var originalID: UInt64 { UInt64(payload.originalTransactionId) ?? 0 }

    /// The identifier of a subscription's period, the same in each transaction that restores it; nil for other products.
    public var webOrderLineItemID: String? { payload.webOrderLineItemId }

    /// The product's identifier.
    public var productID: String { payload.productId }

    /// The product's kind.
    public var productType: Product.ProductType { Product.ProductType(rawValue: payload.type.rawValue) }

    /// The subscription group of an auto-renewable product; nil for other products.
    public var subscriptionGroupID: String? { payload.subscriptionGroupIdentifier }

    /// The app's bundle identifier.
    public var appBundleID: String { payload.bundleId }

    /// The quantity.
    public var purchasedQuantity: Int { payload.quantity }

    /// The date of the transaction.
    public var purchaseDate: Date { payload.purchaseDate.date }

    /// The date of the purchase that ``originalID`` identifies.
    public var originalPurchaseDate: Date { payload.originalPurchaseDate.date }

    /// The end of an auto-renewable subscription's period; nil for other products.
    public var expirationDate: Date? { payload.expiresDate?.date }

    /// Whether another subscription of the group took the place of this one before its period was over.
    public var isUpgraded: Bool { payload.isUpgraded ?? false }

    /// The UUID that the app gave the purchase for its user; nil for none, and for what the family shares.
    public var appAccountToken: UUID? { UUID(payload: payload.appAccountToken) }

    /// The identifier of the account in this app; empty if the store does not tell.
    public var appTransactionID: String { payload.appTransactionId ?? "" }

    /// The environment that the store signed in.
    public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.environment) }

    /// The storefront of the purchase; its properties are empty if the store does not tell.
    public var storefront: Storefront {
        Storefront(countryCode: payload.storefront ?? "", id: payload.storefrontId ?? "")
    }

    /// The amount charged for the whole quantity; nil if the store does not tell, and for what the family shares.
    public var price: Decimal? { payload.price.map { Decimal(thousandths: $0) } }

    /// The currency of the ``price``.
    public var currency: Locale.Currency? { payload.currency.map { Locale.Currency($0) } }

    /// The date of the signature.
    public var signedDate: Date { signed.payload.signedDate.date }

    /// The SHA-384 that ties the transaction to a device; empty if there is none.
    ///
    /// It is the hash of ``deviceVerificationNonce`` and ``AppStore/deviceVerificationID``, both in lowercase.
    public var deviceVerification: Data { deviceHash }

    /// The UUID that ``deviceVerification`` begins with; zeros if there is none.
    public var deviceVerificationNonce: UUID { deviceNonce }
}

extension Transaction: Hashable, CustomDebugStringConvertible {
    /// Returns whether two transactions have the same properties.
    public static func == (lhs: Transaction, rhs: Transaction) -> Bool { lhs.signed.payload == rhs.signed.payload }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(signed.payload) }

    /// The JSON of ``jsonRepresentation``.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}
