import Foundation

extension SandboxAccount {
    /// Asks the account to agree to a higher price of its subscription in a group.
    ///
    /// The price need not have changed, and the question may be asked again. Its app hears of it through the queue's
    /// delegate; it is answered with ``answerPriceConsent(_:inGroup:)`` or by what ``SandboxDevice/priceConsentAnswer``
    /// says. While it is not answered, the subscription ends at the end of its period with
    /// ``SubscriptionEnd/didNotConsentToPriceIncrease``. To raise a price and ask everybody see
    /// ``SandboxStore/raisePrice(of:to:)``.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)``, and what the ledger throws.
    public func requestPriceIncreaseConsent(inGroup group: String) throws {
        try changeRunning(group) { state, index, _, _ in
            let increase = PriceIncrease(keptPrice: state.keptPrice(of: index), consent: .pending)
            guard state.subscriptions.increase(of: index) != increase else { return [] }
            return [.billing(.priceIncrease(subscription: index, increase))]
        }
    }

    /// Answers the question about a higher price, as the user would in the store's own settings.
    ///
    /// Agreed to, the subscription renews, at the product's price. Declined, it will not renew, and ends at once where the
    /// last renewal could not be paid for; if renewal is turned on again, it goes on at the price that it had.
    ///
    /// - Parameters:
    ///   - answer: what the user says.
    ///   - group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)``, ``SandboxError/noPriceConsentPending(group:)``, and what the
    ///   ledger throws.
    public func answerPriceConsent(_ answer: PriceConsentAnswer, inGroup group: String) throws {
        try changeRunning(group) { state, index, now, rate in
            guard state.subscriptions.increase(of: index)?.consent == .pending else {
                throw SandboxError.noPriceConsentPending(group: group)
            }
            return state.answer(answer, index, at: now, rate)
        }
    }
}
