import Foundation

/// The offer of an order, with its effect on the introductory one.
struct OrderedOffer {
    /// The offer, nil for none.
    var offer: SubscriptionOffer?
    /// Whether it follows the introductory offer instead of replacing it.
    var isStackable = false
    /// Whether the introductory offer begins if the account is eligible.
    var isIntroductoryAllowed = true
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
        if offer.isOfTest, !rules.acceptsTestPurchases {
            return .storeKit(
                .missingOfferParams,
                "\(offer.name) comes without a proof, which only a store that accepts test purchases sells"
            )
        }
        if offer.needsProof, offer.proof != nil {
            guard let proof = offer.readProof else {
                return .storeKit(.invalidSignature, "the proof of \(offer.name) is no JWS with the claims of an offer")
            }
            if offers.hasSeen(proof.claims.nonce) {
                let reason = "the nonce of \(offer.name) came with an earlier payment: each serves for one"
                return .storeKit(.invalidSignature, reason)
            }
            if let refusal = rules.offers.refusal(of: proof, in: payment, at: now) { return refusal }
        }
        return refusal(of: found, of: product, account)
    }

    /// Returns the reason why an undecided or interrupted order is no longer sold under its offer; nil if it is, or has
    /// none.
    ///
    /// The signature was valid when the order came in, which counts.
    func refusalOfOffer(of payment: StorePayment, _ product: ProductIndex, by account: AccountID) -> StoreFailure? {
        guard payment.hasSpecialTerms else { return nil }
        switch orderedOffer(of: payment, product) {
        case .failure(let failure): return failure
        case .success(let offer): return refusal(of: offer, of: product, account)
        }
    }

    /// Returns the offer of a payment, or the reason why the product does not have it.
    func orderedOffer(of payment: StorePayment, _ product: ProductIndex) -> Result<OrderedOffer, StoreFailure> {
        if let discount = payment.discount { return offer(discount.identifier, of: product).map { .init(offer: $0) } }
        guard let offer = payment.offer else { return .success(OrderedOffer()) }
        let name = catalog[product].identifier
        guard let terms = catalog.subscription(of: product) else {
            let reason = "\(name) does not renew by itself, so that it has no offers"
            return .failure(.storeKit(.invalidOfferIdentifier, reason))
        }
        if let isAllowed = offer.allowsIntroductoryOffer {
            let introductory = isAllowed ? catalog.introductoryOffer(of: product) : nil
            return .success(OrderedOffer(offer: introductory, isIntroductoryAllowed: isAllowed))
        }
        guard let identifier = offer.identifier, !identifier.isEmpty else {
            let reason = "the payment for \(name) carries an offer without its identifier"
            return .failure(.storeKit(.missingOfferParams, reason))
        }
        let found: OrderedOffer? =
            switch offer.kind {
            case .promotional:
                terms.promotionalOffers.first(named: identifier).map {
                    OrderedOffer(offer: SubscriptionOffer(.promotional, $0.terms))
                }
            case .winBack:
                terms.winBackOffers.lazy.map(\.offer).first(named: identifier).map {
                    OrderedOffer(offer: SubscriptionOffer(.winBack, $0.terms))
                }
            case .code:
                terms.codeOffer(identifier).map {
                    OrderedOffer(offer: SubscriptionOffer(.code, $0.offer.terms), isStackable: $0.isStackable)
                }
            case .introductory, .noIntroductory: OrderedOffer()
            }
        if let found { return .success(found) }
        let reason = "\(name) does not have \(offer.name), paid up front, among those of the kind \(offer.kind)"
        return .failure(.storeKit(.invalidOfferIdentifier, reason))
    }

    /// Returns the reason why an account is not eligible for an order's offer; nil if it is.
    private func refusal(
        of ordered: OrderedOffer,
        of product: ProductIndex,
        _ account: AccountID
    ) -> StoreFailure? {
        // Whoever may have the introductory offer pays its price, as without asking for it.
        guard let offer = ordered.offer, offer.kind != .introductory else { return nil }
        return refusal(of: offer, of: product, account)
    }
}
