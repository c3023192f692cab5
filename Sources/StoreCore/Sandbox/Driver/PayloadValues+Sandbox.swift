// A sandbox's values in the words of signed payloads.

extension TransactionPayload.ProductType {
    init(_ kind: SandboxProduct.Kind) {
        self =
            switch kind {
            case .consumable: .consumable
            case .nonConsumable, .freeSubscription: .nonConsumable
            case .nonRenewing: .nonRenewing
            case .autoRenewable: .autoRenewable
            }
    }
}

extension TransactionPayload.OfferType {
    init(_ kind: OfferKind) {
        self =
            switch kind {
            case .introductory: .introductory
            case .promotional: .promotional
            case .code: .code
            case .winBack: .winBack
            }
    }
}

extension TransactionPayload.OfferDiscountType {
    init(_ mode: StoreProduct.Offer.PaymentMode) {
        self =
            switch mode {
            case .freeTrial: .freeTrial
            case .payAsYouGo: .payAsYouGo
            case .payUpFront: .payUpFront
            }
    }
}

extension RenewalPayload.ExpirationIntent {
    /// Creates the reason of an end; nil for a revocation, which is no expiration.
    init?(_ end: SubscriptionEnd) {
        switch end {
        case .autoRenewDisabled: self = .customerCanceled
        case .billingError: self = .billingError
        case .didNotConsentToPriceIncrease: self = .didNotConsentToPriceIncrease
        case .productUnavailable: self = .productUnavailable
        case .renewalLimitReached: self = .other
        case .revoked: return nil
        }
    }
}

extension StoreProduct.Offer {
    /// The whole length, ISO 8601.
    var length: String { StoreProduct.Period(period.count * periodCount, period.unit).iso8601 }
}

extension RenewalPayload {
    /// Sets the four values of an offer, if there is one.
    mutating func setOffer(_ offer: SubscriptionOffer?) {
        guard let offer else { return }
        offerType = TransactionPayload.OfferType(offer.kind)
        offerIdentifier = offer.terms.identifier
        offerDiscountType = TransactionPayload.OfferDiscountType(offer.terms.paymentMode)
        offerPeriod = offer.terms.length
    }
}
