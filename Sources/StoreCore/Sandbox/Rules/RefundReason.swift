/// A reason why a customer asks for a refund, as a server is told.
public enum RefundReason: String, Hashable, Codable, Sendable, CaseIterable {
    /// The customer had not meant to buy.
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    /// The customer has not received what was bought, or it does not work.
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    /// The customer is not satisfied with it.
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    /// The law demands the refund.
    case legal = "LEGAL"
    /// The customer has another reason.
    case other = "OTHER"
}
