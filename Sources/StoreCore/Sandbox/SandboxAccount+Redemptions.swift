import Foundation

// Offers that accounts redeem in the store itself.
extension SandboxAccount {
    /// Redeems an offer code in the store itself, outside the app.
    ///
    /// It brings an ordinary purchased transaction, which all of the account's devices receive until one has finished
    /// it. The offer begins at once or, while a subscription of the group runs, at its next renewal, which brings the
    /// transaction then. It replaces the introductory offer, or follows it if it is stackable. No authorization is asked for. An account may redeem an
    /// offer once.
    ///
    /// - Parameters:
    ///   - code: the identifier of the offer behind it, which is its reference name in Xcode's file.
    ///   - productIdentifier: the product; the first registered one that has such an offer unless given.
    /// - Returns: the transaction's identifier; that of the running period where the offer waits for the renewal.
    /// - Throws: a ``StoreFailure`` if it fails: `invalidOfferIdentifier` for a code without an offer,
    ///   `ineligibleForOffer` for an account that is not eligible or has redeemed it before, `invalidOfferPrice` where
    ///   the product costs no more, `paymentInvalid` where it is not on sale; and the ledger's errors.
    @discardableResult
    public func redeem(code: String, of productIdentifier: String? = nil) throws -> String {
        try core.redeem { state, now, rate, events in
            try state.redeem(code: code, of: productIdentifier, number, now: now, rate, &events)
        }
    }

    /// Redeems a win-back offer in the store itself, outside the app, as a lapsed subscriber does.
    ///
    /// It has the effect of ``redeem(code:of:)``; the offer begins at once.
    ///
    /// - Parameters:
    ///   - identifier: the offer.
    ///   - productIdentifier: the subscription that it is for.
    /// - Returns: the transaction's identifier.
    /// - Throws: a ``StoreFailure`` if it fails: `invalidOfferIdentifier` for an offer that the product does not have,
    ///   `ineligibleForOffer` where its switch is off or the account has no subscription of the group that ended,
    ///   `invalidOfferPrice` where the product costs no more, `paymentInvalid` where it is not on sale; and the
    ///   ledger's errors.
    @discardableResult
    public func takeWinBackOffer(_ identifier: String, of productIdentifier: String) throws -> String {
        try core.redeem { state, now, rate, events in
            try state.winBack(identifier, of: productIdentifier, number, now: now, rate, &events)
        }
    }
}
