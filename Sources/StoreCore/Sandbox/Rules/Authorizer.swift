/// An authorizer of payments in a sandbox store.
public struct Authorizer: Sendable {
    /// The function to ask, nil to approve at once.
    let body: (@Sendable (AuthorizationRequest) -> Authorization)?

    /// An authorizer that approves every payment.
    ///
    /// It is the default.
    public static let approving = Authorizer(body: nil)

    /// Returns an authorizer that gives the same answer to every payment.
    public static func always(_ authorization: Authorization) -> Authorizer { Authorizer { _ in authorization } }

    /// Creates an authorizer that asks a function.
    ///
    /// It is called once for each order that the store would sell, on the thread that submits (with a queue on the same
    /// process's store, inside `add`), without a lock held, and may block. Orders that an earlier store on the ledger
    /// accepted and could not ask about are asked about when the next one is opened, before its initializer returns.
    public init(_ body: @escaping @Sendable (AuthorizationRequest) -> Authorization) { self.init(body: body) }

    private init(body: (@Sendable (AuthorizationRequest) -> Authorization)?) { self.body = body }
}
