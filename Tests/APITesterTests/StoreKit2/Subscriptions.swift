import StoreKit

// Compiles, and so shows that what a client may write about the status of subscriptions compiles.

func best(of product: Product) async throws -> Product.SubscriptionInfo.RenewalInfo? {
    guard let statuses = try await product.subscription?.status else { return nil }
    for status: Product.SubscriptionInfo.Status in statuses {
        switch status.state {
        case .expired, .revoked: continue
        case .subscribed, .inGracePeriod, .inBillingRetryPeriod: return try status.renewalInfo.payloadValue
        default: print(status.state.localizedDescription, status.state.rawValue)
        }
        let _: VerificationResult<Transaction> = status.transaction
        let _: VerificationResult<Product.SubscriptionInfo.RenewalInfo> = status.renewalInfo
    }
    let _ = Product.SubscriptionInfo.RenewalState(rawValue: 7)
    return nil
}

func readStatuses() async throws {
    for await status in Product.SubscriptionInfo.Status.updates { print(status.state) }
    for await (groupID, statuses) in Product.SubscriptionInfo.Status.all { print(groupID, statuses.count) }
    let all: AsyncStream<(groupID: String, statuses: [Product.SubscriptionInfo.Status])> = SubscriptionStatus.all
    var groups = all.makeAsyncIterator()
    let _: String? = await groups.next()?.groupID
    let updates: Product.SubscriptionInfo.Status.Statuses = SubscriptionStatus.updates
    var iterator: Product.SubscriptionInfo.Status.Statuses.AsyncIterator = updates.makeAsyncIterator()
    let next: Product.SubscriptionInfo.Status.Statuses.AsyncIterator.Element? = await iterator.next()
    let _: Product.SubscriptionInfo.Status.Statuses.Element? = next
}

func useRenewal(_ renewal: Product.SubscriptionInfo.RenewalInfo) {
    let _: (UInt64, String, String?, Bool) = (
        renewal.originalTransactionID, renewal.currentProductID, renewal.autoRenewPreference, renewal.willAutoRenew
    )
    let _: (Date?, Decimal?, Locale.Currency?) = (renewal.renewalDate, renewal.renewalPrice, renewal.currency)
    let _: (Transaction.Offer?, [String]) = (renewal.offer, renewal.eligibleWinBackOfferIDs)
    let _: (Bool, Date?, Date) = (
        renewal.isInBillingRetry, renewal.gracePeriodExpirationDate, renewal.recentSubscriptionStartDate
    )
    let _: (UUID?, String, AppStore.Environment) = (
        renewal.appAccountToken, renewal.appTransactionID, renewal.environment
    )
    let _: (Date, Data, UUID) = (renewal.signedDate, renewal.deviceVerification, renewal.deviceVerificationNonce)
    let _: (Data, String) = (renewal.jsonRepresentation, renewal.debugDescription)
    var hasher = Hasher()
    renewal.hash(into: &hasher)
    let _: (Int, Bool) = (renewal.hashValue, renewal == renewal)

    if let reason = renewal.expirationReason {
        switch reason {
        case .autoRenewDisabled, .billingError, .didNotConsentToPriceIncrease, .productUnavailable, .unknown,
            .unbundled:
            print(reason.localizedDescription)
        default: print(Product.SubscriptionInfo.RenewalInfo.ExpirationReason(rawValue: reason.rawValue))
        }
    }
    // Frozen: without a default.
    switch renewal.priceIncreaseStatus {
    case .noIncreasePending: break
    case .pending, .agreed: print(renewal.priceIncreaseStatus.localizedDescription)
    }

    let _: Bool = renewal.willUnbundle
    let _: [String?] = [
        renewal.bundleProductID, renewal.bundleOriginalTransactionID, renewal.bundleSubscriptionGroupID,
    ]
    let _: SubscriptionInfo.BillingPlanType? = renewal.renewalBillingPlanType
    if let commitment: Product.SubscriptionInfo.RenewalInfo.CommitmentInfo = renewal.commitmentInfo {
        let _: (Bool, String, Date, Decimal) = (
            commitment.willAutoRenew, commitment.autoRenewPreference, commitment.renewalDate, commitment.renewalPrice
        )
        let _: SubscriptionInfo.BillingPlanType = commitment.renewalBillingPlanType
    }
}

@available(*, deprecated)
func useOldRenewal(_ renewal: Product.SubscriptionInfo.RenewalInfo) {
    let _: [String?] = [
        renewal.environmentStringRepresentation, renewal.currencyCode, renewal.offerID,
        renewal.offerPaymentModeStringRepresentation, renewal.offerPeriodStringRepresentation,
    ]
    let _: Transaction.OfferType? = renewal.offerType
}
