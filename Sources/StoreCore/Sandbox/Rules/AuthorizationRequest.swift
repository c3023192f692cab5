import Foundation

/// A request to authorize a payment, made before anything is charged.
public struct AuthorizationRequest: Hashable, Sendable {
    /// The store's identifier for the transaction.
    public let transaction: String
    /// The name of the account that pays.
    public let account: String
    /// The name of the device that ordered it.
    public let device: String
    /// The product.
    public let productIdentifier: String
    /// The quantity.
    public let quantity: Int
    /// The amount to charge, in the storefront's currency; zero for a product that the account owns already.
    public let total: Decimal
    /// The app's own name for its user, nil if the payment carries none.
    public let applicationUsername: String?
}
