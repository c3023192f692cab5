import Foundation

extension SandboxAccount {
    /// Requests the account's consent to a higher price of its subscription in a group.
    ///
    /// The price need not have changed, and the request may be repeated. The app is told through the queue's delegate;
    /// ``answerPriceConsent(_:inGroup:)`` or ``SandboxBackend/priceConsentAnswer`` answers it. Without an answer, the
    /// subscription ends at the end of its period with ``SubscriptionEnd/didNotConsentToPriceIncrease``. To raise a
    /// price and ask every subscriber, see ``SandboxStore/raisePrice(of:to:)``.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)``, and the ledger's errors.
    public func requestPriceIncreaseConsent(inGroup group: String) throws {
        try changeRunning(group) { state, index, _, _ in
            let increase = PriceIncrease(keptPrice: state.keptPrice(of: index), consent: .pending)
            guard state.subscriptions.increase(of: index) != increase else { return [] }
            return [.billing(.priceIncrease(subscription: index, increase))]
        }
    }

    /// Answers the price consent request, as the user would in the store's own settings.
    ///
    /// After consent, the subscription renews at the product's price. After a refusal it will not renew, and ends at
    /// once if the last renewal could not be paid for; if renewal is turned on again, it continues at its previous
    /// price.
    ///
    /// - Parameters:
    ///   - answer: the user's answer.
    ///   - group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)``, ``SandboxError/noPriceConsentPending(group:)``, and the
    ///   ledger's errors.
    public func answerPriceConsent(_ answer: PriceConsentAnswer, inGroup group: String) throws {
        try changeRunning(group) { state, index, now, rate in
            guard state.subscriptions.increase(of: index)?.consent == .pending else {
                throw SandboxError.noPriceConsentPending(group: group)
            }
            return state.answer(answer, index, at: now, rate)
        }
    }
}
