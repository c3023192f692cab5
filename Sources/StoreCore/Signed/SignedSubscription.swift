/// An account's subscription in a group: its newest transaction and its renewal, signed.
public struct SignedSubscription: Sendable {
    /// The transaction that began the running period, or the last one.
    public let transaction: SignedValue<TransactionPayload>
    /// The renewal.
    public let renewal: SignedValue<RenewalPayload>

    /// Creates a subscription from its parts.
    public init(transaction: SignedValue<TransactionPayload>, renewal: SignedValue<RenewalPayload>) {
        self.transaction = transaction
        self.renewal = renewal
    }

    /// The subscription's state as of the signing.
    public var state: SubscriptionState {
        SubscriptionState(transaction: transaction.content, renewal: renewal.content)
    }
}
