import Foundation

/// A function that approves, declines or postpones the payments in a sandbox store.
public struct Authorizer: Sendable {
    /// The function that decides each payment; nil to approve every payment at once.
    let body: (@Sendable (AuthorizationRequest) -> Authorization)?

    /// The default authorizer, which approves every payment.
    public static let approving = Authorizer(body: nil)

    /// Returns an authorizer that decides every payment in the same way.
    public static func always(_ authorization: Authorization) -> Authorizer { Authorizer { _ in authorization } }

    /// Creates an authorizer that calls a function.
    ///
    /// The function is called once for each order that the store would sell, without a lock held, and may block. It
    /// runs on the thread that submits the order. For a queue in the store's own process, that is the thread that adds
    /// the payment, inside `add`, unless the store's ledger has another ``DurableLedger/lane``. If an earlier store on
    /// the same ledger accepted orders without calling its authorizer, the new store passes them to this function
    /// before its initializer returns.
    ///
    /// Renewals, and purchases by ``SandboxAccount/buy(_:quantity:applicationUsername:)``, are not authorized. Ask to
    /// Buy applies to what the function approves, see ``SandboxAccount/setAsksToBuy(_:)``.
    public init(_ body: @escaping @Sendable (AuthorizationRequest) -> Authorization) { self.init(body: body) }

    private init(body: (@Sendable (AuthorizationRequest) -> Authorization)?) { self.body = body }
}

/// An authorizer's decision.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum Authorization: Hashable, Sendable {
    /// The payment is charged.
    case approve
    /// The user cancels: the transaction fails with `paymentCancelled`.
    case cancel
    /// The payment is declined: the transaction fails with the given failure, or else with the code `unknown`.
    case decline(StoreFailure? = nil)
    /// The payment needs another person's approval: the transaction is deferred until ``SandboxStore/decide(_:as:)``.
    ///
    /// It waits for any length of time.
    case askToBuy
    /// The payment is undecided: the transaction stays purchasing until ``SandboxStore/decide(_:as:)``.
    ///
    /// It waits for any length of time. As a decision about an order that waits already, this has no effect.
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
