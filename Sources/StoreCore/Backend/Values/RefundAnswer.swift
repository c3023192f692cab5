/// A store's answer to a request for a refund.
public enum RefundAnswer: String, Hashable, Codable, Sendable {
    /// The request was taken; what becomes of it is the operator's decision.
    case taken
    /// The transaction is refunded already, or a request for it waits or was refused.
    case duplicate
    /// The transaction cannot be refunded: it cost nothing, or another member of the family bought it.
    case ineligible
}
