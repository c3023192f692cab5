// The rules of what an account holds and orders again (recorded of real stores: A3 to A5).
extension SandboxState {
    /// Returns the unfinished consumable that is handed back in place of another one; nil where the store sells.
    ///
    /// Store Kit 2 gets what a device has not finished before it is sold the next. Store Kit 1 may order any number at
    /// once, each of which is sold (behaviors 17, 18 and 25).
    @inline(__always)
    func unfinishedConsumable(
        _ payment: StorePayment,
        _ product: ProductIndex?,
        _ account: AccountID?,
        _ device: DeviceID
    ) -> TransactionNumber? {
        guard payment.isStoreKit2, let product, let account else { return nil }
        return accounts[account].consumables.first(of: product) { number in
            transactions[number].map { isVisible($0, on: device) } == true
                && revocations.cancellation(of: number.identifier) == nil
        }
    }

    /// Returns the account's first purchase of a product that it owns, of those that count; nil for none.
    func firstPurchase(of product: ProductIndex, by account: AccountID) -> TransactionNumber? {
        let history = accounts[account].history
        return history.ownPurchases(of: product).first.flatMap { TransactionNumber(history[$0].identifier) }
    }

    /// Returns the failure of a running subscription that Store Kit 1 orders again, in a store that has this quirk.
    func refusalOfRepetition(
        of payment: StorePayment,
        _ product: ProductIndex?,
        _ account: AccountID,
        _ rules: borrowing SandboxRules
    ) -> StoreFailure? {
        guard rules.quirks.contains(.repeatedSubscriptionFails), !payment.isStoreKit2, !payment.hasSpecialTerms,
            let product, let group = catalog.group(of: product),
            let index = subscriptions.index(of: group, account: account), subscriptions.isEntitled(index),
            subscriptions[index].term.product == product
        else { return nil }
        let reason = "\(payment.productIdentifier) was ordered again while it runs"
        return StoreFailure(
            domain: .storeKit,
            code: StoreFailure.Code.unknown.rawValue,
            reason: reason,
            underlying: StoreFailure.Underlying(domain: "ASDServerErrorDomain", code: 3532, reason: reason)
        )
    }
}
