/// The decision about a refund request by an app's user.
public enum RefundDecision: String, Hashable, Codable, Sendable {
    /// The whole price is refunded at once, as in Xcode's store.
    case approve
    /// The request is pending in ``SandboxStore/refundRequests`` until the operator refunds the purchase or declines.
    case ask
    /// The request is declined at once; a second request for the transaction is a duplicate.
    case decline
    /// The request is pending until the app's server reports on the consumption, and the report decides.
    ///
    /// `GRANT_FULL` refunds the whole price and `DECLINE` nothing. `GRANT_PRORATED` refunds the part that was not
    /// consumed: by the report's percentage, or by what remains of a subscription's period; if nothing remains, the
    /// request is declined. A report without a preference refunds the whole price. Apple's decision takes more into
    /// account than the server's preference. Until there is a report, the operator can decide as in ``ask``.
    case followServer = "follow-server"
}

/// The preference of an app's server in its report on the consumption of a purchase.
package enum ServerRefundPreference: Hashable, Sendable {
    /// Nothing is refunded.
    case decline
    /// The whole price is refunded; also if the server has no preference.
    case grant
    /// The part that was not consumed is refunded.
    ///
    /// The consumed share is in thousandths of a percent; nil for a subscription, whose period determines it.
    case prorate(consumed: Int?)
}

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
