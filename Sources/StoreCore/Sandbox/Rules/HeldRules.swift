// The rules of orders that an existing transaction of the account satisfies (behaviors A3 to A5, seen in real stores).
extension SandboxState {
    /// Returns the unfinished transaction of a consumable, which is delivered again in place of a sale; nil for none.
    ///
    /// With Store Kit 2, an app can buy a consumable again only after it has finished the previous transaction. With
    /// Store Kit 1, the app may order it any number of times at once, and each order is sold (behaviors 17, 18 and 25).
    @inline(never)
    func unfinishedConsumable(
        _ payment: StorePayment,
        _ product: ProductIndex?,
        _ account: AccountID?,
        _ device: DeviceID
    ) -> TransactionNumber? {
        guard let product, let account else { return nil }
        let (last, earlier) = accounts[account].consumables[product]
        // The last consumable may be the oldest one, ordered first and approved late.
        let newest = last.flatMap { isHeldBack($0, on: device) ? $0 : nil }
        for number in earlier.oldestFirst where isHeldBack(number, on: device) {
            return newest.map { min($0, number) } ?? number
        }
        return newest
    }

    /// Whether an unfinished consumable prevents a further sale on a device: visible there, and not refunded.
    // A function rather than a closure in its caller, which would copy the state.
    @inline(__always)
    private func isHeldBack(_ number: TransactionNumber, on device: DeviceID) -> Bool {
        guard let row = transactions[number], isVisible(row, on: device) else { return false }
        return revocations.cancellation(of: number) == nil
    }

    /// Returns the existing transaction that satisfies an order; nil if the sale creates a new one.
    ///
    /// Store Kit 2 receives the existing transaction of an owned product (A4), and Store Kit 1 a new one. Both receive
    /// the existing transaction of a subscription's running period (A2, A3).
    @inline(__always)
    func held(
        by sale: borrowing Sale,
        of payment: StorePayment,
        _ product: ProductIndex?,
        _ account: AccountID?
    ) -> TransactionNumber? {
        guard payment.isStoreKit2 || sale.subscription != nil else { return nil }
        return held(by: sale.subscription, of: payment, product, account)
    }

    @inline(never)
    private func held(
        by change: SubscriptionChange?,
        of payment: StorePayment,
        _ product: ProductIndex?,
        _ account: AccountID?
    ) -> TransactionNumber? {
        guard let product, let account else { return nil }
        if let change { return change.continuesPeriod ? newestPeriod(of: change.term.original, by: account) : nil }
        guard payment.isStoreKit2, accounts[account].owned.contains(product) else { return nil }
        return firstPurchase(of: product, by: account)
    }

    /// Returns the account's first valid purchase of a product that it owns; nil for none.
    private func firstPurchase(of product: ProductIndex, by account: AccountID) -> TransactionNumber? {
        let history = accounts[account].history
        return history.ownPurchases(of: product).first.flatMap { TransactionNumber(history[$0].identifier) }
    }

    /// Returns the identifier of the existing transaction that satisfied a row's payment; nil if a new one was sold.
    func held(for row: Row) -> String? {
        guard let held = row.transaction.heldIdentifier else { return nil }
        // For Store Kit 1, the row has its own identifier here, so the existing transaction is looked up.
        guard held == row.transaction.identifier, let account = row.account,
            let group = row.product.flatMap({ catalog.group(of: $0) }),
            let index = subscriptions.index(of: group, account: account)
        else { return held }
        return newestPeriod(of: subscriptions[index].term.original, by: account).identifier
    }

    /// Returns the failure of a Store Kit 1 order for a running subscription; nil without the quirk that causes it.
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
