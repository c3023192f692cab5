import Foundation
import StoreCore

// Which offers there are, and who may have them.
extension Model {
    enum OfferKind { case promotional, code, winBack }

    /// What a payment says of an offer.
    struct SignedOffer {
        let offer: Step.Offer
        let flaw: Step.Signature
        let nonce: UUID
        let date: Date
    }

    /// Why a payment's offer is not taken.
    func refusal(of signed: SignedOffer, by account: Int) -> StoreFailure.Code? {
        if signed.flaw == .missing { return .missingOfferParams }
        guard let terms = signed.offer.terms, terms.kind != .code else { return .invalidOfferIdentifier }
        let isSound = signed.flaw == .sound || signed.flaw == .used
        guard isSound, !nonces.contains(signed.nonce), now < signed.date + 86_400 else { return .invalidSignature }
        return refusal(of: signed.offer, by: account)
    }

    /// Why an account may not have an offer.
    func refusal(of offer: Step.Offer, by account: Int) -> StoreFailure.Code? {
        guard let terms = offer.terms else { return .invalidOfferIdentifier }
        guard terms.price < prices[offer.product] * terms.months else { return .invalidOfferPrice }
        let club = accounts[account].club
        let isMeant =
            switch offer {
            case .winter, .dear: club != nil
            case .comeback: club?.isRunning == false
            case .friends: club == nil
            case .encore: club != nil && !accounts[account].redeemed.contains(offer)
            case .ghost: false
            }
        return isMeant ? nil : .ineligibleForOffer
    }

    /// The user of a device types a code in, or closes the sheet.
    ///
    /// - Returns: why nothing comes of a code.
    mutating func enter(_ code: Step.Offer?, on device: Int) -> StoreFailure.Code? {
        guard let code else { return nil }
        guard let account = devices[device].account else { return .clientInvalid }
        guard code.terms?.kind == .code else { return .invalidOfferIdentifier }
        if let refusal = refusal(of: code, by: account) { return refusal }
        redeem(code, by: account)
        share(at: now)
        return nil
    }

    /// An account gets something under an offer without any app's order.
    mutating func redeem(_ offer: Step.Offer, by account: Int) {
        var entry = Entry(
            origin: .elsewhere,
            tag: nil,
            device: nil,
            account: account,
            product: offer.product,
            quantity: 1,
            stage: .purchased,
            date: now
        )
        entry.offer = offer
        accounts[account].redeemed.insert(offer)
        sell(add(entry))
    }
}

extension Step.Offer {
    struct Terms {
        let kind: Model.OfferKind
        /// In cents, for so many months.
        let price: Int
        let months: Int
        /// How often it is paid.
        var count = 1
    }

    var product: Step.Product { self == .friends ? .basic : .gold }

    /// Nil where there is none.
    var terms: Terms? {
        switch self {
        case .winter: Terms(kind: .promotional, price: 499, months: 1, count: 2)
        case .dear: Terms(kind: .promotional, price: 1_049, months: 1)
        case .friends: Terms(kind: .code, price: 0, months: 1)
        case .encore: Terms(kind: .code, price: 1_499, months: 3)
        case .comeback: Terms(kind: .winBack, price: 0, months: 1)
        case .ghost: nil
        }
    }
}
