import Foundation

/// What an account has of one subscription group, at the moment it was asked for.
public struct SandboxSubscription: Hashable, Codable, Sendable {
    /// The group.
    public let groupIdentifier: String
    /// The product of the running period, or of the last one.
    public let productIdentifier: String
    /// The transaction that the subscription began with.
    ///
    /// It stays the same however often the subscription renews, changes to another product of the group, or begins
    /// again after it ended.
    public let originalTransaction: String
    /// Since when the account counts as a subscriber: a gap of up to 60 days is no gap.
    public let since: Date
    /// When the running period began, or the last one.
    public let periodStart: Date
    /// The first moment behind it.
    public let expirationDate: Date
    /// The offer that the period is under, nil for the full price.
    public let offer: Offer?
    /// The offer that begins at a renewal, as soon as no other goes on; nil for none.
    public let waitingOffer: Offer?
    /// Whether it will renew at the end of the period; false when it is over.
    public let willRenew: Bool
    /// The product that it will renew as, nil when it will not.
    public let renewsAs: String?
    /// Why it is over, nil as long as it is not; a renewal that could not be paid for may yet be.
    public let end: SubscriptionEnd?

    /// How it stands.
    public let state: State
    /// When the grace period ends, nil outside of one.
    public let gracePeriodExpirationDate: Date?
    /// How the question about a higher price stands, nil where none has been asked.
    public let priceConsent: PriceConsent?

    /// Whether it gives access: its period is paid for, or there is a grace period.
    public var isRunning: Bool { state == .subscribed || state == .inGracePeriod }

    /// Why it is over or not paid for, nil while nothing is wrong.
    public var expirationReason: SubscriptionEnd? {
        switch state {
        case .subscribed: nil
        case .inGracePeriod, .inBillingRetry: .billingError
        case .expired: end
        }
    }

    /// How a subscription stands, under the numbers that Apple's servers have for it.
    public enum State: Int, Hashable, Codable, Sendable, CaseIterable {
        /// Its period is paid for.
        case subscribed = 1
        /// It is over.
        case expired = 2
        /// The last renewal could not be paid for, and the store goes on trying; it gives no access.
        case inBillingRetry = 3
        /// The last renewal could not be paid for, and the store goes on trying; for the time being it gives access.
        case inGracePeriod = 4
    }

    /// Which introductory offer the period is under; nil for the full price and for every other offer.
    public var introductoryOffer: StoreProduct.Offer.PaymentMode? {
        offer?.kind == .introductory ? offer?.paymentMode : nil
    }

    /// An offer that a subscription is under, or will be.
    public struct Offer: Hashable, Codable, Sendable {
        /// What kind it is.
        public let kind: OfferKind
        /// Its identifier, for a code the code; nil for an introductory offer.
        public let identifier: String?
        /// How it is paid.
        public let paymentMode: StoreProduct.Offer.PaymentMode
    }
}

extension SandboxSubscription {
    init(_ index: Int, _ subscriptions: Subscriptions, _ catalog: Catalog) {
        let subscription = subscriptions[index]
        let term = subscription.term
        groupIdentifier = subscription.group
        productIdentifier = catalog[term.product].identifier
        originalTransaction = String(term.original)
        since = subscription.since
        periodStart = term.start
        expirationDate = term.end
        offer = (term.offer?.offer).map(Offer.init)
        waitingOffer = subscriptions.waitingOffer(of: index).map(Offer.init)
        willRenew = subscription.isRunning && subscription.willRenew
        renewsAs = willRenew ? catalog[subscription.renewsAs].identifier : nil
        end = subscription.end
        let trouble = subscriptions.trouble(of: index)
        gracePeriodExpirationDate = trouble?.graceEnd
        state =
            switch trouble {
            case nil: subscription.isRunning ? .subscribed : .expired
            case let trouble?: trouble.graceEnd == nil ? .inBillingRetry : .inGracePeriod
            }
        priceConsent = subscriptions.increase(of: index)?.consent
    }
}

extension SandboxSubscription.Offer {
    fileprivate init(_ offer: SubscriptionOffer) {
        kind = offer.kind
        identifier = offer.terms.identifier
        paymentMode = offer.terms.paymentMode
    }
}
