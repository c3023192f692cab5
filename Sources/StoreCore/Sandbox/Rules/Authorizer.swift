import Foundation

/// An authorizer of payments in a sandbox store.
public struct Authorizer: Sendable {
    /// The function that decides each payment; nil to approve every payment at once.
    let body: (@Sendable (AuthorizationRequest) -> Authorization)?

    /// An authorizer that approves every payment.
    ///
    /// It is the default.
    public static let approving = Authorizer(body: nil)

    /// Returns an authorizer that decides every payment in the same way.
    public static func always(_ authorization: Authorization) -> Authorizer { Authorizer { _ in authorization } }

    /// Creates an authorizer that calls a function.
    ///
    /// The function is called once for each order that the store would sell, without a lock held, and may block. It
    /// runs on the thread that submits the order: for a queue in the store's own process, inside `add`. Orders that an
    /// earlier store on the ledger accepted without calling its authorizer are passed to this one before the new
    /// store's initializer returns.
    public init(_ body: @escaping @Sendable (AuthorizationRequest) -> Authorization) { self.init(body: body) }

    private init(body: (@Sendable (AuthorizationRequest) -> Authorization)?) { self.body = body }
}

/// An authorizer's decision.
public enum Authorization: Hashable, Sendable {
    /// The payment is charged.
    case approve
    /// The user cancels: the transaction fails with `paymentCancelled`.
    case cancel
    /// The payment is declined: the transaction fails. The code is `unknown` unless another failure is given.
    case decline(StoreFailure? = nil)
    /// The payment needs another person's approval: the transaction is deferred until ``SandboxStore/decide(_:_:)``.
    case askSomebodyElse
    /// The payment is undecided: the transaction stays purchasing until ``SandboxStore/decide(_:_:)``.
    case later
}

/// A request to authorize a payment, made before anything is charged.
public struct AuthorizationRequest: Hashable, Sendable {
    /// The store's identifier for the transaction.
    public let transaction: String
    /// The name of the account that pays.
    public let account: String
    /// The name of the device that ordered the product.
    public let device: String
    /// The product.
    public let productIdentifier: String
    /// The quantity.
    public let quantity: Int
    /// The amount to charge, in the storefront's currency; zero for a product that the account owns already.
    public let total: Decimal
    /// The app's own name for its user, nil if the payment has none.
    public let applicationUsername: String?
}
