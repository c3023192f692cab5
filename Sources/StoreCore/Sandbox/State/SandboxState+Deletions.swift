import Foundation

extension SandboxState {
    /// Applies the deletion of transactions.
    mutating func apply(_ deletion: Deletion) {
        purchasesChange()
        let identifiers = Set(deletion.transactions.map(\.identifier))
        deletion.withdrawn.forEach { withdraw($0.transaction) }
        for number in deletion.transactions { operatorState.issues[number] = nil }
        offers.forgetRedemptions(with: Set(deletion.transactions))
        subscriptions.forgetWaitingOffers(from: identifiers)
        for account in accounts.indices {
            if accounts[account].history.delete(deletion.transactions) {
                forgetWhatIsDeleted(account, identifiers, deletion.ended)
            }
        }
        forgetPlaces()
        revocations.forgetRefunds(of: deletion.transactions)
        families.forget(identifiers)
        server.forgetRefundRequests(for: deletion.transactions)
    }

    /// Recomputes the account's entitlements without the deleted transactions.
    private mutating func forgetWhatIsDeleted(
        _ account: AccountID,
        _ identifiers: Set<String>,
        _ ended: [SubscriptionIndex]?
    ) {
        let history = accounts[account].history
        accounts[account].owned = accounts[account].owned.filter { !history.ownPurchases(of: $0).isEmpty }
        for index in subscriptions.all(of: account) {
            let term = subscriptions[index].term
            if identifiers.contains(term.original.identifier) {
                subscriptions.forget(index)
                continue
            }
            if subscriptions[index].isRunning {
                // If a record was lost, the numbers in `ended` may refer to other subscriptions.
                let hasEnded =
                    if let ended, !isDamaged {
                        ended.contains(index)
                    } else {
                        !purchases(of: term, by: account).contains { history[$0].isOwn }
                    }
                if hasEnded { subscriptions.end(index, .revoked) }
            }
            takeBackWhatIsDeleted(index, account, identifiers)
        }
    }

    /// Returns the running subscriptions whose newest period has no other purchases than the given transactions.
    func subscriptionsWithNothingLeft(without numbers: Set<TransactionNumber>) -> [SubscriptionIndex] {
        accounts.indices.flatMap { account in
            let history = accounts[account].history
            return subscriptions.all(of: account).filter { index in
                guard subscriptions[index].isRunning,
                    // Only the newest purchase counts, since periods that were cut short at the same moment have equal
                    // terms.
                    let newest = purchases(of: subscriptions[index].term, by: account).first(where: {
                        history[$0].isOwn
                    })
                else { return false }
                return repetitions(of: newest, by: account).allSatisfy { place in
                    TransactionNumber(history[place].identifier).map(numbers.contains) ?? false
                }
            }
        }
    }

    /// Reverts the effects of deleted transactions on a continuing subscription: next product, introductory offer.
    private mutating func takeBackWhatIsDeleted(
        _ index: SubscriptionIndex,
        _ account: AccountID,
        _ identifiers: Set<String>
    ) {
        let history = accounts[account].history
        let term = subscriptions[index].term
        let own = history.chain(of: term.original).map { history[$0] }.filter { !$0.isShared }
        let deleted = own.filter { identifiers.contains($0.identifier) }
        if deleted.contains(where: \.isIntroductory), !own.contains(where: { $0.isIntroductory && !$0.isDeleted }) {
            subscriptions.reopenIntroductoryOffer(of: index)
        }
        // What was migrated renews as the generic product.
        if server.advancedCommerce[index] != nil { return }
        // Every purchase during a period sets the next period's product; the newest purchase counts.
        let bought = purchases(of: term, by: account)
        guard bought.contains(where: { identifiers.contains(history[$0].identifier) }),
            let newest = bought.first(where: { !history[$0].isDeleted })
        else { return }
        subscriptions.takeBackChange(of: index, to: history[newest].product, history[newest].term?.billingPlan)
    }

    /// Applies the deletion of all transactions.
    ///
    /// Settings, accounts and products stay. Transaction numbers are not reused, and repeated commands are still
    /// recognized.
    mutating func clear(_ withdrawn: [Deletion.Withdrawn]) {
        purchasesChange()
        for transaction in withdrawn { withdraw(transaction.transaction) }
        for account in accounts.indices {
            accounts[account].owned = []
            accounts[account].consumables = UnfinishedConsumables()
            accounts[account].history = PurchaseHistory()
            accounts[account].lastPayment = nil
        }
        subscriptions = Subscriptions()
        operatorState.issues = [:]
        offers.forgetRedemptions()
        forgetPlaces()
        revocations.clear(at: position)
        families.forgetShares()
        server.forgetTransactions()
    }

    private mutating func withdraw(_ number: TransactionNumber) {
        waiting.remove(number)
        guard let row = transactions.remove(number) else { return }
        countUnfinished(row, by: -1)
        forgetConsumable(row, number)
    }

    /// Adds the updates that a queue on a device receives when transactions are withdrawn.
    func addWithdrawals(_ withdrawn: [Deletion.Withdrawn], for device: DeviceID, to updates: inout [StoreUpdate]) {
        for row in withdrawn
        where (row.device == nil || row.device == device)
            && (row.account == nil || row.account == devices[device].account)
        {
            updates.append(.finished(transaction: row.transaction.identifier, order: row.order))
        }
    }

    /// Returns the unfinished transactions that satisfy a condition.
    func withdrawn(_ isMeant: (TransactionNumber) -> Bool) -> [Deletion.Withdrawn] {
        var result: [Deletion.Withdrawn] = []
        transactions.forEachTransaction { number, _ in
            if isMeant(number), let row = withdrawn(number) { result.append(row) }
        }
        return result
    }

    /// Returns the withdrawal of an unfinished transaction from the queues; nil for a finished one.
    func withdrawn(_ number: TransactionNumber) -> Deletion.Withdrawn? {
        transactions[number].map { row in
            Deletion.Withdrawn(
                transaction: number,
                order: row.transaction.order,
                account: row.account,
                device: row.device
            )
        }
    }
}

extension SandboxState.Purchase {
    /// Whether the purchase began a period under an introductory offer.
    fileprivate var isIntroductory: Bool { term?.offer?.kind == .introductory && !isDeferredChange }
}
