/// The authorizer's answer.
public enum Authorization: Hashable, Sendable {
    /// The payment is charged.
    case approve
    /// The user cancels: the transaction fails with `paymentCancelled`.
    case cancel
    /// The payment is declined: the transaction fails. The code is `unknown` unless another failure is given.
    case decline(StoreFailure? = nil)
    /// The payment needs somebody else's approval: the transaction is deferred until ``SandboxStore/decide(_:_:)``.
    case askSomebodyElse
    /// The payment is undecided: the transaction stays purchasing until ``SandboxStore/decide(_:_:)``.
    case later
}
