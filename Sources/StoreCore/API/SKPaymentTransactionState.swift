/// What has become of a payment.
///
/// Later versions may add states: a `switch` needs `@unknown default`.
@nonexhaustive
public enum SKPaymentTransactionState: Int, Sendable {
    /// The store is working on it.
    case purchasing = 0
    /// Paid for: the app should deliver, then finish the transaction.
    case purchased = 1
    /// Refused, see ``SKPaymentTransaction/error``.
    case failed = 2
    /// Brings back something bought earlier, see ``SKPaymentTransaction/original``.
    case restored = 3
    /// Waits for somebody else's decision, such as a parent's.
    case deferred = 4
}
