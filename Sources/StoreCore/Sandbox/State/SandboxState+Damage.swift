import Foundation

// The handling of records that could not be read.
extension SandboxState {
    /// The count of transaction numbers skipped after a lost record, so that no number is assigned twice.
    ///
    /// It exceeds the number of transactions that one record can create.
    static var numbersLost: Int { 4096 }

    /// Whether everything that an event refers to exists.
    ///
    /// Checked only once a record has been lost: until then, the records of a ledger are consistent.
    func admits(_ event: StoreEvent) -> Bool {
        switch event {
        case .unreadable, .registered, .accountAdded, .availability: true
        case .deviceAdded(_, let account): hasAccount(account)
        case .signedIn(let device, let account): hasDevice(device) && hasAccount(account)
        case .paymentsAllowed(let device, _), .restoreEnded(let device, _), .restoreRefused(let device, _, _),
            .receiptRefreshed(let device, _):
            hasDevice(device)
        case .ordered(let order), .refused(let order, _), .sold(let order), .approved(let order), .held(let order, _):
            admits(order)
        case .asked, .deferred, .declined: true
        case .finished(let finish): hasDevice(finish.device)
        case .restored(let restoration):
            hasDevice(restoration.device) && accounts.indices.contains(restoration.account)
                && restoration.history.upperBound <= accounts[restoration.account].history.indices.upperBound
                && restores(restoration)
        case .renewed(let subscription, _, let term, _):
            subscriptions.index(ofOriginal: term.original) == subscription && hasProducts(term)
        case .ended(let subscription, _), .autoRenewal(let subscription, _):
            subscriptions.indices.contains(subscription)
        case .redeemed(let redemption): admits(redemption.purchase)
        case .operator(let change): admits(change)
        case .billing(let change): admits(change)
        }
    }

    /// Recreates an order whose `ordered` record was lost, from the later record that approves or satisfies the order.
    ///
    /// The later record contains the whole order except its date. Without the order, records that depend on it could
    /// not be applied, such as those of a subscription that it began.
    mutating func reopen(_ order: StoreEvent.Order, _ date: Date) {
        // Opening the order must not reset the numbers of commands and transactions, which have advanced since.
        let (taken, next) = (devices[order.device].taken, nextTransaction)
        open(order, .purchasing, date)
        if taken.has(order.command) { devices[order.device].taken = taken }
        numberTransactions(from: max(next, nextTransaction))
    }

    /// Whether a restoration returns as many purchases now as when it was recorded.
    private func restores(_ restoration: StoreEvent.Restoration) -> Bool {
        let count = restoration.history.count {
            isRestored($0, by: restoration.applicationUsername, restoration.account)
        }
        return count == restoration.transactions.count
    }

    private func admits(_ order: StoreEvent.Order) -> Bool {
        hasDevice(order.device) && hasAccount(order.account) && hasProduct(order.product)
            && transactions[order.transaction].map { $0.transaction.order == order.command } ?? true
    }

    private func admits(_ purchase: UnorderedPurchase) -> Bool {
        let bundle = purchase.subscription?.term.bundle?.period
        return hasDevice(purchase.device) && hasAccount(purchase.account) && hasProduct(purchase.product)
            && hasProduct(bundle?.product) && bundle.map { subscriptions.index(ofOriginal: $0.original) != nil } ?? true
    }

    private func admits(_ change: OperatorChange) -> Bool {
        switch change {
        case .asksToBuy(let account, _), .interruptsPurchases(let account, _): hasAccount(account)
        case .appPurchase(let account, _): hasAccount(account)
        case .interrupted(let order, _): admits(order)
        case .interruptedLater, .storefront: true
        case .resolved(_, let purchase), .bought(let purchase): admits(purchase)
        case .promoted(let device, _), .newsTold(let device, _), .promotionChanged(let device, _),
            .tokenMade(let device, _), .tokensRevoked(let device):
            hasDevice(device)
        case .refunded(let refund): hasAccount(refund.account) && hasProduct(refund.product)
        // Applying a deletion checks every reference itself.
        case .deleted, .cleared: true
        case .family(let change): admits(change)
        case .server(let change): admits(change)
        case .external(let change): admits(change)
        }
    }

    private func admits(_ change: BillingChange) -> Bool {
        switch change {
        case .fails(let account, _): hasAccount(account)
        case .gracePeriod, .renewalLimit: true
        case .renewalFailed(let subscription, _), .graceEnded(let subscription), .priceIncrease(let subscription, _):
            subscriptions.indices.contains(subscription)
        case .leftOut(let subscription, let term), .cutShort(let subscription, let term):
            subscriptions.index(ofOriginal: term.original) == subscription && hasProducts(term)
        }
    }

    private func admits(_ change: FamilyChange) -> Bool {
        switch change {
        case .founded(_, let organizer): hasAccount(organizer)
        case .joined(let family, let account): hasAccount(account) && families.all.indices.contains(family)
        case .left(let family, let accounts):
            families.all.indices.contains(family) && accounts.allSatisfy { hasAccount($0) }
        case .sharing(let account, _): hasAccount(account)
        case .shared(let sharing): hasAccount(sharing.key.member) && hasProduct(sharing.product)
        case .unshared(let key, _, _): hasAccount(key.member)
        }
    }

    private func hasDevice(_ device: DeviceID?) -> Bool { device.map { devices.indices.contains($0) } ?? true }
    private func hasAccount(_ account: AccountID?) -> Bool { account.map { accounts.indices.contains($0) } ?? true }
    private func hasProduct(_ product: ProductIndex?) -> Bool { product.map { catalog.has($0) } ?? true }
    private func hasProducts(_ term: SubscriptionTerm) -> Bool {
        hasProduct(term.product) && hasProduct(term.bundle?.period?.product)
    }
}
