import StoreCore

/// What tells two states of a subscription apart: all but what differs with each signature.
struct SubscriptionSummary: Hashable, Sendable {
    let state: SubscriptionState
    private let transaction: TransactionPayload
    private let renewal: RenewalPayload

    init(_ subscription: SignedSubscription) {
        state = subscription.state
        var (transaction, renewal) = (subscription.transaction.content, subscription.renewal.content)
        let never = PayloadDate(milliseconds: 0)
        (transaction.signedDate, renewal.signedDate) = (never, never)
        (transaction.deviceVerification, transaction.deviceVerificationNonce) = (nil, nil)
        (renewal.deviceVerification, renewal.deviceVerificationNonce) = (nil, nil)
        (self.transaction, self.renewal) = (transaction, renewal)
    }

    /// The messages that a store has for the user on the way from an earlier state.
    func messages(since earlier: SubscriptionSummary?) -> [Message.Reason] {
        var reasons: [Message.Reason] = []
        if renewal.priceIncreaseStatus == .pending, earlier?.renewal.priceIncreaseStatus != .pending {
            reasons.append(.priceIncreaseConsent)
        }
        if renewal.isInBillingRetryPeriod == true, earlier?.renewal.isInBillingRetryPeriod != true {
            reasons.append(.billingIssue)
        }
        if renewal.eligibleWinBackOfferIds?.isEmpty == false,
            earlier?.renewal.eligibleWinBackOfferIds?.isEmpty != false
        {
            reasons.append(.winBackOffer)
        }
        return reasons
    }
}
