import Foundation

/// A snapshot of an account's subscription in one group.
public struct SandboxSubscription: Hashable, Codable, Sendable {
    /// The group's identifier.
    public let groupIdentifier: String
    /// The product of the running period, or of the last one.
    public let productIdentifier: String
    /// The first transaction of the subscription.
    ///
    /// The transaction stays the same when the subscription renews, changes to another product of the group, or begins
    /// again after it ended. It changes when the subscription becomes a member of a bundle, or was one and begins by
    /// itself.
    public let originalTransaction: String
    /// The beginning of the account's time as a subscriber, which continues over gaps of up to 60 days.
    public let recentSubscriptionStartDate: Date
    /// The start of the running period, or of the last one.
    public let periodStart: Date
    /// The end of the period: the first moment after it.
    ///
    /// A grace period does not move it, see ``gracePeriodExpirationDate``.
    public let expirationDate: Date
    /// The offer that applies to the period, nil for the full price.
    public let offer: Offer?
    /// The offer that begins at the first renewal to which no other offer applies; nil for none.
    public let waitingOffer: Offer?
    /// Whether the subscription will renew at the end of the period; false once it has ended.
    ///
    /// True while payments of a ``commitment`` remain, even if auto-renewal is off.
    public let willRenew: Bool
    /// The product of the next renewal, nil if the subscription will not renew.
    public let renewsAs: String?
    /// The reason for the end; nil while the subscription has not ended, even if its last renewal failed.
    public let endReason: SubscriptionEndReason?

    /// The state of the subscription at the time of the snapshot.
    public let state: State
    /// The end of the grace period, nil outside of one.
    public let gracePeriodExpirationDate: Date?
    /// The state of the price consent request, nil if none has been made.
    public let priceConsent: PriceConsent?
    /// The commitment to monthly payments that the period is a part of; nil if there is none, or if the subscription
    /// has ended.
    public let commitment: Commitment?

    /// Whether auto-renewal is on; within a commitment, it concerns the renewal of the commitment.
    package var isAutoRenewOn: Bool { commitment?.willRenew ?? willRenew }
    /// The product of the bundle that includes the period, nil for a subscription by itself.
    public let bundleProductIdentifier: String?

    /// Whether the subscription gives access: its period is paid for, or it is in a grace period.
    public var isRunning: Bool { state == .subscribed || state == .inGracePeriod }

    /// The reason why the subscription has ended or is unpaid, nil if neither.
    public var expirationReason: SubscriptionEndReason? {
        switch state {
        case .subscribed: nil
        case .inGracePeriod, .inBillingRetryPeriod: .billingError
        case .expired: endReason
        }
    }

    /// A commitment to the monthly payments of a year.
    public struct Commitment: Hashable, Codable, Sendable {
        /// The number of the running period, counted from 1.
        public let billingPeriodNumber: Int
        /// The number of periods, which are paid one by one.
        public let totalBillingPeriods: Int
        /// The price of each payment, without an offer; it stays the same until the last one.
        public let price: Decimal
        /// The price of all periods, without an offer.
        public let totalPrice: Decimal
        /// The end of the last period.
        public let expirationDate: Date
        /// Whether the subscription renews after the last period.
        public let willRenew: Bool
        /// The product that follows the commitment, nil if the subscription will not renew.
        public let renewsAs: String?

        /// The number of payments that are still due, whether or not the subscription renews.
        public var remainingPayments: Int { totalBillingPeriods - billingPeriodNumber }
    }

    /// The state of a subscription, with the number that Apple's servers use.
    ///
    /// A subscription that a refund has ended is ``expired`` here, with ``SubscriptionEndReason/revoked``. Apple's
    /// servers, and the signed status of this store, have the number 5 for it.
    public enum State: Int, Hashable, Codable, Sendable, CaseIterable {
        /// The period is paid for.
        case subscribed = 1
        /// The subscription has ended.
        case expired = 2
        /// The last renewal failed and is retried; the subscription gives no access.
        case inBillingRetryPeriod = 3
        /// The last renewal failed and is retried; the subscription still gives access.
        case inGracePeriod = 4
    }

    /// The payment mode of the period's introductory offer; nil for the full price and for every other offer.
    public var introductoryOffer: StoreProduct.Offer.PaymentMode? {
        offer?.kind == .introductory ? offer?.paymentMode : nil
    }

    /// An offer that applies to a subscription, or will.
    public struct Offer: Hashable, Codable, Sendable {
        /// The kind of the offer.
        public let kind: OfferKind
        /// The offer's identifier, which for a code is the code; nil for an introductory offer.
        public let identifier: String?
        /// The payment mode of the offer.
        public let paymentMode: StoreProduct.Offer.PaymentMode
    }
}

extension SandboxSubscription {
    private enum CodingKeys: String, CodingKey {
        case groupIdentifier, productIdentifier, originalTransaction
        case recentSubscriptionStartDate = "since"
        case periodStart, expirationDate, offer, waitingOffer, willRenew, renewsAs
        case endReason = "end"
        case state, gracePeriodExpirationDate, priceConsent, commitment, bundleProductIdentifier
    }

    init(_ index: SubscriptionIndex, _ subscriptions: Subscriptions, _ catalog: Catalog) {
        let subscription = subscriptions[index]
        let term = subscription.term
        groupIdentifier = subscription.group
        productIdentifier = catalog[term.product].identifier
        originalTransaction = term.original.identifier
        recentSubscriptionStartDate = subscription.since
        periodStart = term.start
        expirationDate = term.end
        offer = (term.offer?.offer).map(Offer.init)
        waitingOffer = subscriptions.waitingOffer(of: index).map(Offer.init)
        let parent = subscriptions.bundle(of: index)
        let member = parent.flatMap { subscriptions.nextProduct(ofMember: index, in: $0, catalog) }
        let isByItself = parent.map { !subscriptions[$0].continues } ?? true
        willRenew = member != nil || isByItself && subscription.isRunning && subscription.continues
        renewsAs = willRenew ? catalog[member ?? subscription.nextProduct].identifier : nil
        commitment = Commitment(subscription, catalog)
        endReason = subscription.end
        let trouble = subscriptions.trouble(of: index)
        gracePeriodExpirationDate = trouble?.graceEnd
        state =
            switch trouble {
            case nil: subscription.isRunning ? .subscribed : .expired
            case let trouble?: trouble.graceEnd == nil ? .inBillingRetryPeriod : .inGracePeriod
            }
        priceConsent = subscriptions.increase(of: index)?.consent
        bundleProductIdentifier = (term.bundle?.period).map { catalog[$0.product].identifier }
    }
}

extension SandboxSubscription.Commitment {
    fileprivate init?(_ subscription: Subscriptions.Subscription, _ catalog: Catalog) {
        guard subscription.isRunning, let commitment = subscription.term.commitment, commitment.number > 0 else {
            return nil
        }
        billingPeriodNumber = commitment.number
        totalBillingPeriods = StoreCore.Commitment.count
        price = commitment.price
        totalPrice = commitment.total
        expirationDate = commitment.end
        willRenew = subscription.willRenew
        renewsAs = willRenew ? catalog[subscription.renewsAs].identifier : nil
    }
}

extension SandboxSubscription.Offer {
    fileprivate init(_ offer: SubscriptionOffer) {
        kind = offer.kind
        identifier = offer.terms.identifier
        paymentMode = offer.terms.paymentMode
    }
}
