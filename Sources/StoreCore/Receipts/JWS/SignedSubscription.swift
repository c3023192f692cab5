/// An account's subscription in a group: its newest transaction and its renewal, signed.
public struct SignedSubscription: Sendable {
    /// The transaction that began the running period, or the last one.
    public let transaction: SignedValue<TransactionPayload>
    /// The renewal.
    public let renewal: SignedValue<RenewalPayload>
}
