import Foundation

// The rules of offers that come with a payment (behaviors 148 to 151).
extension SandboxState {
    /// Returns the reason why an order with a signed offer is not sold; nil if it may be.
    func refusal(
        of discount: StoreDiscount,
        in payment: StorePayment,
        _ product: ProductIndex,
        _ account: AccountID,
        _ rules: OfferSigning,
        now: Date
    ) -> StoreFailure? {
        if let part = discount.missingPart {
            return .storeKit(
                .missingOfferParams,
                "the payment for \(payment.productIdentifier) carries an offer without its \(part)"
            )
        }
        let offer: SubscriptionOffer
        switch self.offer(discount.identifier, of: product) {
        case .failure(let failure): return failure
        case .success(let found): offer = found
        }
        if offers.hasSeen(discount.nonce) {
            return .storeKit(
                .invalidSignature,
                "the nonce of the offer \"\(discount.identifier)\" came with an earlier payment: each serves for one"
            )
        }
        return rules.refusal(of: discount, in: payment, at: now) ?? refusal(of: offer, of: product, account)
    }

    /// Returns the offer that a discount names: a promotional or a win-back offer.
    func offer(_ identifier: String, of product: ProductIndex) -> Result<SubscriptionOffer, StoreFailure> {
        let name = catalog[product].identifier
        guard let terms = catalog.subscription(of: product) else {
            let reason = "\(name) does not renew by itself, so that it has no offer \"\(identifier)\""
            return .failure(.storeKit(.invalidOfferIdentifier, reason))
        }
        if let offer = terms.promotionalOffers.first(named: identifier) {
            return .success(SubscriptionOffer(.promotional, offer.terms))
        }
        if let offer = terms.winBackOffers.lazy.map(\.offer).first(named: identifier) {
            return .success(SubscriptionOffer(.winBack, offer.terms))
        }
        let reason = "\(name) has no promotional offer \"\(identifier)\" that is paid up front"
        return .failure(.storeKit(.invalidOfferIdentifier, reason))
    }

    /// Returns the reason why an account is not eligible for an offer; nil if it is.
    func refusal(of offer: SubscriptionOffer, of product: ProductIndex, _ account: AccountID) -> StoreFailure? {
        guard let subscription = catalog.subscription(of: product) else { return nil }
        let name = "the offer \"\(offer.terms.identifier ?? "")\""
        let price = catalog.price(of: product)
        guard offer.terms.isCheaper(than: price, every: subscription.period) else {
            let reason = "\(name) is not below the price of \(catalog[product].identifier), which is \(price)"
            return .storeKit(.invalidOfferPrice, reason)
        }
        guard let reason = ineligibility(for: offer, subscription, account) else { return nil }
        return .storeKit(.ineligibleForOffer, "\(name) \(reason)")
    }

    private func ineligibility(
        for offer: SubscriptionOffer,
        _ subscription: SandboxProduct.Subscription,
        _ account: AccountID
    ) -> String? {
        let group = subscription.groupIdentifier
        switch offer.kind {
        case .introductory: return nil
        case .promotional:
            let isSubscriber = !subscriptions.all(of: account).isEmpty
            return isSubscriber ? nil : "is for users who are or were subscribed; this account never was"
        case .winBack:
            let identifier = offer.terms.identifier ?? ""
            let isOpen =
                subscription.winBackOffers.first { $0.offer.terms.isNamed(identifier) }?.isEligible ?? false
            guard isOpen else { return "is to win users back and set up so that nobody is eligible" }
            guard standing(of: account, in: group) == .expired else {
                return
                    "is for users whose subscription has ended; this account has none of the group \"\(group)\" that has"
            }
            return nil
        case .code:
            let identifier = offer.terms.identifier ?? ""
            let customers = subscription.codeOffers.first { $0.offer.terms.isNamed(identifier) }?.eligibility ?? []
            let standing = standing(of: account, in: group)
            guard customers.contains(standing) else {
                return "is not for accounts that \(standing.sentence) the group \"\(group)\""
            }
            return offers.hasRedeemed(identifier, account) ? "was redeemed by this account before: it serves once" : nil
        }
    }

    /// Returns an account's standing in a subscription group: exactly one kind of customer.
    private func standing(of account: AccountID, in group: String) -> SandboxProduct.Customers {
        guard let index = subscriptions.index(of: group, account: account) else { return .new }
        return subscriptions[index].isRunning ? .existing : .expired
    }
}

extension SandboxProduct.Customers {
    fileprivate var sentence: String {
        switch self {
        case .new: "never were subscribed to"
        case .existing: "are subscribed to"
        default: "have left"
        }
    }
}

extension Sequence<SandboxProduct.Offer> {
    /// Returns the first offer of an identifier that Store Kit 1 can buy, which knows no monthly billing.
    func first(named identifier: String) -> SandboxProduct.Offer? {
        first { $0.terms.isNamed(identifier) && $0.billingPlan == .upFront }
    }
}

extension StoreProduct.Offer {
    /// Whether it has exactly this identifier.
    func isNamed(_ identifier: String) -> Bool { self.identifier?.isExactly(identifier) ?? false }

    /// Whether it costs less than the same time at a product's own price.
    func isCheaper(than price: Decimal, every period: StoreProduct.Period) -> Bool {
        let count = paymentMode == .payAsYouGo ? 1 : Decimal(periodCount)
        return self.price * period.length < price * self.period.length * count
    }
}

extension StoreProduct.Period {
    /// The length in 48ths of a day, of which an average month has a whole number.
    fileprivate var length: Decimal {
        let unit: Decimal =
            switch unit {
            case .day: 48
            case .week: 7 * 48
            case .month: 1461
            case .year: 12 * 1461
            }
        return unit * Decimal(count)
    }
}
