import Foundation

/// What is asked of whoever authorizes payments, before anything is charged.
public struct AuthorizationRequest: Hashable, Sendable {
    /// The store's name for the transaction.
    public let transaction: String
    /// The name of the account that pays.
    public let account: String
    /// The name of the device on which it was ordered.
    public let device: String
    /// The product.
    public let productIdentifier: String
    /// How many of it.
    public let quantity: Int
    /// What will be charged, in the storefront's currency; zero for what the account owns already.
    public let total: Decimal
    /// The app's own name for its user, if the payment carries one.
    public let applicationUsername: String?
}

/// What the authorizer says.
public enum Authorization: Hashable, Sendable {
    /// Charge it.
    case approve
    /// The user does not want to after all: the transaction fails with `paymentCancelled`.
    case cancel
    /// It cannot be paid for: the transaction fails. The code is `unknown` unless another failure is given.
    case decline(StoreFailure? = nil)
    /// Somebody else has to be asked: the transaction is deferred until ``SandboxStore/decide(_:_:)``.
    case askSomebodyElse
    /// Not decided yet: the transaction stays purchasing until ``SandboxStore/decide(_:_:)``.
    case later
}

/// Who authorizes payments in a sandbox store.
public struct Authorizer: Sendable {
    /// Nil says yes at once.
    let body: (@Sendable (AuthorizationRequest) -> Authorization)?

    /// Approves everything.
    ///
    /// The default.
    public static let approving = Authorizer(body: nil)

    /// Says the same to everything.
    public static func always(_ authorization: Authorization) -> Authorizer { Authorizer { _ in authorization } }

    /// Asks a function.
    ///
    /// It is called once for each order that the store would sell, on the thread that submits (with a queue on the same
    /// process's store, inside `add`), without a lock held, and may take its time. What an earlier store on the ledger
    /// took in and could not ask about is asked when the next one is opened, before its initializer returns.
    public init(_ body: @escaping @Sendable (AuthorizationRequest) -> Authorization) { self.init(body: body) }

    private init(body: (@Sendable (AuthorizationRequest) -> Authorization)?) { self.body = body }
}
