import Foundation
import StoreContract
import StoreCore

// Offers.
extension Simulation {
    static let offerSigner = HMACOfferSigner(keyIdentifier: "key", key: Data(repeating: 9, count: 32))
    static let bundleIdentifier = "com.example.simulator"

    /// Adds a payment with a signed offer on a device.
    func add(_ offer: SimulatedOperation.Offer, _ flaw: SimulatedOperation.Signature, on device: Int) {
        let payment = SKMutablePayment(productIdentifier: offer.product.rawValue)
        let tag = modelDriver.newTag()
        payment.applicationUsername = String(tag)
        let signed = modelDriver.sign(offer, flaw, for: tag)
        guard let discount = try? discount(signed, tag) else {
            return eventLog.broke("nobody signs the offer \(offer)")
        }
        payment.paymentDiscount = SKPaymentDiscount(discount)
        apps[device].queue.add(payment)
        addedInOperation.append((tag, device))
    }

    private func discount(_ signed: Model.SignedOffer, _ tag: Int) throws -> StoreDiscount {
        let payload = PromotionalOfferPayload(
            bundleIdentifier: Self.bundleIdentifier,
            keyIdentifier: signed.flaw == .strange ? "another" : Self.offerSigner.keyIdentifier,
            productIdentifier: signed.offer.product.rawValue,
            offerIdentifier: signed.offer.rawValue,
            applicationUsername: signed.flaw == .forged ? "somebody else" : String(tag),
            nonce: signed.nonce,
            timestamp: Int64(signed.date.timeIntervalSince1970 * 1_000)
        )
        let discount = try payload.signed(by: Self.offerSigner)
        return StoreDiscount(
            identifier: discount.identifier,
            keyIdentifier: payload.keyIdentifier,
            nonce: discount.nonce,
            signature: signed.flaw == .missing ? "" : discount.signature,
            timestamp: discount.timestamp
        )
    }

    /// Shows the code redemption sheet on a device; its user responds at once.
    func presentCodeSheet(_ offer: SimulatedOperation.Offer?, on device: Int) {
        store.device(named: Model.deviceNames[device])?.codeEntry = offer.map { .redeem(code: $0.rawValue) } ?? .cancel
        modelDriver.code = offer
        apps[device].queue.presentCodeRedemptionSheet()
    }

    /// Grants an account an offer in the store itself: by a code, or as a win-back.
    func redeem(_ offer: SimulatedOperation.Offer, by account: Int, isWonBack: Bool) {
        let name = Model.accountNames[account]
        let action = { [self] in
            guard let handle = store.account(named: name) else { return }
            if isWonBack {
                try handle.redeemWinBackOffer(offer.rawValue, of: offer.product.rawValue)
            } else {
                try handle.redeem(code: offer.rawValue)
            }
        }
        let isThere = offer.terms?.kind == (isWonBack ? .winBack : .code)
        let refusal = isThere ? modelDriver.model.refusal(of: offer, by: account) : .invalidOfferIdentifier
        if let refusal {
            return expectRefusal("gives the offer \(offer) to account \(account)", refusal, action: action)
        }
        operate({ $0.redeem(offer, by: account) }, action: action)
    }
}
