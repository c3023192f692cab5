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
        switch self.offer(discount.identifier, of: product, payment.plan) {
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
    private func offer(
        _ identifier: String,
        of product: ProductIndex,
        _ plan: StoreProduct.BillingPlan
    ) -> Result<SubscriptionOffer, StoreFailure> {
        let name = catalog[product].identifier
        guard let terms = catalog.subscription(of: product) else {
            let reason = "\(name) does not renew by itself, so that it has no offer \"\(identifier)\""
            return .failure(.storeKit(.invalidOfferIdentifier, reason))
        }
        if let offer = terms.promotionalOffers.first(named: identifier, plan) {
            return .success(SubscriptionOffer(.promotional, offer))
        }
        if let offer = terms.winBackOffers.lazy.map(\.offer).first(named: identifier, plan) {
            return .success(SubscriptionOffer(.winBack, offer))
        }
        let others = (terms.promotionalOffers + terms.winBackOffers.map(\.offer)).filter { $0.billingPlan == plan }
        let names = Self.list(others.compactMap(\.terms.identifier))
        let reason = "\(name) has no promotional offer \"\(identifier)\" that is paid \(plan.words)\(names)"
        return .failure(.storeKit(.invalidOfferIdentifier, reason))
    }

    /// Returns the reason why an account is not eligible for an offer; nil if it is.
    func refusal(of offer: SubscriptionOffer, of product: ProductIndex, _ account: AccountID) -> StoreFailure? {
        guard let subscription = catalog.subscription(of: product) else { return nil }
        let name = "the offer \"\(offer.terms.identifier ?? "")\""
        let monthly = offer.plan == .monthly ? catalog.monthlyTerms(of: product) : nil
        if offer.plan == .monthly, monthly == nil { return refusal(ofMonthly: product) }
        let price = monthly?.price ?? catalog.price(of: product)
        let period = monthly == nil ? subscription.period : Commitment.period
        guard offer.terms.isCheaper(than: price, every: period) else {
            let reason = "\(name) is not below the price of \(catalog[product].identifier), which is \(price)"
            return .storeKit(.invalidOfferPrice, reason)
        }
        guard let reason = ineligibility(for: offer, of: catalog[product].identifier, subscription, account) else {
            return nil
        }
        return .storeKit(.ineligibleForOffer, "\(name) \(reason)")
    }

    private func ineligibility(
        for offer: SubscriptionOffer,
        of product: String,
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
            let winBack = subscription.winBackOffers.first {
                $0.offer.terms.isNamed(identifier) && $0.offer.billingPlan == offer.plan ?? .upFront
            }
            let isOpen = winBack?.isEligible ?? false
            guard isOpen else { return "is to win users back and set up so that nobody is eligible" }
            guard standing(of: account, in: group) == .expired else {
                return
                    "is for users whose subscription has ended; this account has none of the group \"\(group)\" that has"
            }
            return nil
        case .code:
            let identifier = offer.terms.identifier ?? ""
            let customers = subscription.codeOffer(identifier, offer.plan ?? .upFront)?.eligibility ?? []
            let standing = standing(of: account, in: group)
            guard customers.contains(standing) else {
                return "is not for accounts that \(standing.sentence) the group \"\(group)\""
            }
            let isRedeemed = offers.hasRedeemed(identifier, of: product, account)
            return isRedeemed ? "was redeemed by this account before: it serves once" : nil
        }
    }

    /// Returns the end of a sentence about an offer that a product does not have, with the names of those that it has.
    ///
    /// - Parameter names: the names.
    /// - Returns: the end; empty without names, and for more than a sentence should have.
    static func list(_ names: [String]) -> String {
        (1...8).contains(names.count) ? "; it has \(names.map { "\"\($0)\"" }.joined(separator: ", "))" : ""
    }

    /// Returns an account's status in a subscription group: exactly one kind of customer.
    private func standing(of account: AccountID, in group: String) -> SandboxProduct.Customers {
        guard let index = subscriptions.index(of: group, account: account) else {
            return migratedSubscription(from: group, of: account) == nil ? .new : .expired
        }
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
    /// Returns the first offer with an identifier, among those under a billing plan or, without one, among all.
    func first(named identifier: String, _ plan: StoreProduct.BillingPlan?) -> SandboxProduct.Offer? {
        first { $0.terms.isNamed(identifier) && $0.billingPlan == plan ?? $0.billingPlan }
    }
}

extension StoreProduct.Offer {
    /// Whether the offer has exactly this identifier.
    func isNamed(_ identifier: String) -> Bool { self.identifier?.isExactly(identifier) ?? false }

    /// Whether the offer costs less than a product's own price for the same time.
    func isCheaper(than price: Decimal, every period: StoreProduct.Period) -> Bool {
        let count = paymentMode == .payAsYouGo ? 1 : Decimal(periodCount)
        return self.price * period.length < price * self.period.length * count
    }
}

extension StoreProduct.Period {
    /// The length in 48ths of a day, a unit in which an average month (30.4375 days) is a whole number.
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

/// The offer of an order, and its effect on the introductory offer.
struct OrderedOffer {
    /// The offer, nil for none.
    var offer: SubscriptionOffer?
    /// Whether the offer follows the introductory offer instead of replacing it.
    var isStackable = false
    /// Whether an eligible account gets the introductory offer.
    var isIntroductoryAllowed = true
    /// The offer of a product that does not renew, nil for none.
    var oneTime: SandboxProduct.OneTimeCodeOffer?
}

// The rules of Store Kit 2's offers (semantics of Store Kit 2, §2).
extension SandboxState {
    /// Returns the reason why an order with an offer is not sold; nil if it may be.
    func refusal(
        of offer: StoreOffer,
        in payment: StorePayment,
        _ product: ProductIndex,
        _ account: AccountID,
        _ rules: borrowing SandboxRules,
        now: Date
    ) -> StoreFailure? {
        let found: OrderedOffer
        switch orderedOffer(of: payment, product) {
        case .failure(let failure): return failure
        case .success(let offer): found = offer
        }
        let isAtFullPrice = offer.kind == .noIntroductory && rules.sellsUnknownOverrides
        if offer.isOfTest, !isAtFullPrice, !rules.acceptsTestPurchases {
            return .storeKit(
                .missingOfferParams,
                "\(offer.name) comes without a proof, which only a store that accepts test purchases sells"
            )
        }
        if offer.needsProof, offer.proof != nil {
            guard let proof = offer.readProof else {
                let reason = "the proof of \(offer.name) is no JWS with the claims of an offer"
                return .storeKit(rules.codeOfUnknownSignature, reason)
            }
            if offers.hasSeen(proof.claims.nonce) {
                let reason = "the nonce of \(offer.name) came with an earlier payment: each serves for one"
                return .storeKit(.invalidSignature, reason)
            }
            if let refusal = rules.offers.refusal(of: proof, in: payment, at: now) {
                return .storeKit(rules.codeOfUnknownSignature, refusal.reason)
            }
        }
        return refusal(of: found, of: product, account, now: now)
    }

    /// Returns the reason why an undecided or interrupted order cannot be sold on its terms any more; nil if it can.
    ///
    /// The offer's signature is not verified again: it was valid at the time of the order.
    func refusalOfOffer(
        of payment: StorePayment,
        _ product: ProductIndex,
        by account: AccountID,
        now: Date
    ) -> StoreFailure? {
        guard payment.hasSpecialTerms else { return nil }
        if payment.requestData != nil { return refusal(ofRequestOf: payment, product, account) }
        if payment.plan == .monthly, let refusal = refusal(ofMonthly: product) { return refusal }
        switch orderedOffer(of: payment, product) {
        case .failure(let failure): return failure
        case .success(let offer): return refusal(of: offer, of: product, account, now: now)
        }
    }

    /// Returns the offer of a payment, or the reason why the product does not have it.
    func orderedOffer(of payment: StorePayment, _ product: ProductIndex) -> Result<OrderedOffer, StoreFailure> {
        if let discount = payment.discount {
            return offer(discount.identifier, of: product, payment.plan).map { .init(offer: $0) }
        }
        guard let offer = payment.offer else { return .success(OrderedOffer()) }
        let name = catalog[product].identifier
        guard let terms = catalog.subscription(of: product) else {
            if offer.kind == .code, let code = offer.identifier, let found = catalog[product].oneTimeCodeOffer(code) {
                return .success(OrderedOffer(oneTime: found))
            }
            let reason =
                offer.kind == .code
                ? "\(name) has no offer behind the code \"\(offer.identifier ?? "")\""
                : "\(name) does not renew by itself, so that it has no offers but codes"
            return .failure(.storeKit(.invalidOfferIdentifier, reason))
        }
        if let isAllowed = offer.allowsIntroductoryOffer {
            let introductory = isAllowed ? catalog.introductoryOffer(of: product, payment.plan) : nil
            return .success(OrderedOffer(offer: introductory, isIntroductoryAllowed: isAllowed))
        }
        guard let identifier = offer.identifier, !identifier.isEmpty else {
            let reason = "the payment for \(name) carries an offer without its identifier"
            return .failure(.storeKit(.missingOfferParams, reason))
        }
        let found: OrderedOffer? =
            switch offer.kind {
            case .promotional:
                terms.promotionalOffers.first(named: identifier, payment.plan).map {
                    OrderedOffer(offer: SubscriptionOffer(.promotional, $0))
                }
            case .winBack:
                terms.winBackOffers.lazy.map(\.offer).first(named: identifier, payment.plan).map {
                    OrderedOffer(offer: SubscriptionOffer(.winBack, $0))
                }
            case .code:
                terms.codeOffer(identifier, payment.plan).map {
                    OrderedOffer(offer: SubscriptionOffer(.code, $0.offer), isStackable: $0.isStackable)
                }
            case .introductory, .noIntroductory: OrderedOffer()
            }
        if let found { return .success(found) }
        let reason =
            "\(name) does not have \(offer.name), paid \(payment.plan.words), among those of the kind \(offer.kind)"
        return .failure(.storeKit(.invalidOfferIdentifier, reason))
    }

    /// Returns the reason why an account is not eligible for an order's offer; nil if it is.
    private func refusal(
        of ordered: OrderedOffer,
        of product: ProductIndex,
        _ account: AccountID,
        now: Date
    ) -> StoreFailure? {
        if let offer = ordered.oneTime { return refusal(of: offer, of: product, account, now: now) }
        // An introductory offer is never refused: an account that does not get it pays the full price.
        guard let offer = ordered.offer, offer.kind != .introductory else { return nil }
        return refusal(of: offer, of: product, account)
    }
}
