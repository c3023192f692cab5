/// What becomes of a request for a refund that an app's user makes.
public enum RefundDecision: String, Hashable, Codable, Sendable {
    /// The purchase is refunded at once, as Xcode's store does.
    case approve
    /// The request waits in ``SandboxStore/refundRequests`` until the operator refunds the purchase or declines.
    case ask
    /// Nothing is refunded; a second request is a duplicate.
    case decline
}
