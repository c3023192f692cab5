/// A customer's reason for a refund request, as servers receive it.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum RefundReason: String, Hashable, Codable, Sendable, CaseIterable {
    /// The customer did not intend the purchase.
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    /// The customer has not received the purchase, or it does not work.
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    /// The customer is not satisfied with the purchase.
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    /// The law requires the refund.
    case legal = "LEGAL"
    /// The customer has another reason.
    case other = "OTHER"
}
