import Foundation
import StoreCore

// Offers and eligibility.
extension Model {
    enum OfferKind { case promotional, code, winBack }

    /// The offer in a payment.
    struct SignedOffer {
        let offer: SimulatedOperation.Offer
        let flaw: SimulatedOperation.Signature
        let nonce: UUID
        let date: Date
    }

    /// Returns the reason that a payment's offer is refused.
    func refusal(of signed: SignedOffer, by account: Int) -> StoreFailure.Code? {
        if signed.flaw == .missing { return .missingOfferParams }
        guard let terms = signed.offer.terms, terms.kind != .code else { return .invalidOfferIdentifier }
        let isSound = signed.flaw == .sound || signed.flaw == .used
        guard isSound, !nonces.contains(signed.nonce), now < signed.date + 86_400 else { return .invalidSignature }
        return refusal(of: signed.offer, by: account)
    }

    /// Returns the reason that an account is not eligible for an offer.
    func refusal(of offer: SimulatedOperation.Offer, by account: Int) -> StoreFailure.Code? {
        guard let terms = offer.terms else { return .invalidOfferIdentifier }
        guard terms.price < prices[offer.product] * terms.months else { return .invalidOfferPrice }
        let subscription = accounts[account].subscription
        let isFormer = subscription == nil && migrated(from: .club, of: account) != nil
        let isMeant =
            switch offer {
            // A subscriber of any group.
            case .winter, .dear: !accounts[account].subscriptions.isEmpty
            case .comeback: subscription?.isRunning == false || isFormer
            case .friends: subscription == nil && !isFormer
            case .encore: (subscription != nil || isFormer) && !accounts[account].redeemed.contains(offer)
            case .ghost: false
            }
        return isMeant ? nil : .ineligibleForOffer
    }

    /// Enters a code on a device, or closes the sheet.
    ///
    /// - Returns: the reason that the code is refused.
    mutating func enter(_ code: SimulatedOperation.Offer?, on device: Int) -> StoreFailure.Code? {
        guard let code else { return nil }
        guard let account = devices[device].account else { return .clientInvalid }
        guard code.terms?.kind == .code else { return .invalidOfferIdentifier }
        if let refusal = refusal(of: code, by: account) { return refusal }
        redeem(code, by: account)
        share(at: now)
        return nil
    }

    /// Grants an account an offer without an app's order.
    mutating func redeem(_ offer: SimulatedOperation.Offer, by account: Int) {
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

extension SimulatedOperation.Offer {
    struct Terms {
        let kind: Model.OfferKind
        /// The price in cents, for so many months.
        let price: Int
        let months: Int
        /// The number of payments.
        var count = 1
    }

    var product: SimulatedOperation.Product { self == .friends ? .basic : .gold }

    /// The offer's terms; nil where there are none.
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
