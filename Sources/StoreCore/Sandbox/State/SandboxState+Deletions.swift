import Foundation

extension SandboxState {
    /// Takes in that transactions were deleted.
    mutating func apply(_ deletion: Deletion) {
        purchasesChange()
        let identifiers = Set(deletion.transactions.map { String($0) })
        deletion.withdrawn.forEach { withdraw($0.transaction) }
        for number in deletion.transactions { owner.issues[number] = nil }
        offers.forgetRedemptions(with: Set(deletion.transactions))
        subscriptions.forgetWaitingOffers(from: identifiers)
        for account in accounts.indices {
            var isTouched = false
            let count = accounts[account].history.count
            for index in 0..<count where identifiers.contains(accounts[account].history[index].identifier) {
                accounts[account].history[index].isDeleted = true
                isTouched = true
            }
            if isTouched { forgetWhatIsDeleted(account, identifiers, deletion.ended) }
        }
        families.forget(identifiers)
    }

    /// An account has what its other transactions brought, and nothing else.
    private mutating func forgetWhatIsDeleted(_ account: Int, _ identifiers: Set<String>, _ ended: [Int]?) {
        let history = accounts[account].history
        let own = (0..<history.count).lazy.map { history[$0] }.filter(\.isOwn)
        accounts[account].owned.formIntersection(own.map(\.product))
        for index in subscriptions.all(of: account) {
            let term = subscriptions[index].term
            if identifiers.contains(String(term.original)) {
                subscriptions.forget(index)
                continue
            }
            if subscriptions[index].isRunning {
                // Without a record that was lost, the numbers may be of others.
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

    /// The running subscriptions of whose newest period nothing is left without some transactions.
    func subscriptionsWithNothingLeft(without numbers: Set<Int>, in ledger: LedgerHistory) -> [Int] {
        accounts.indices.flatMap { account in
            let history = accounts[account].history
            return subscriptions.all(of: account).filter { index in
                guard subscriptions[index].isRunning,
                    // Periods that were cut short at one moment say the same of themselves.
                    let newest = purchases(of: subscriptions[index].term, by: account).first(where: {
                        history[$0].isOwn
                    })
                else { return false }
                return repetitions(of: newest, by: account, in: ledger).allSatisfy { place in
                    Self.number(of: history[place].identifier).map(numbers.contains) ?? false
                }
            }
        }
    }

    /// A subscription that goes on knows nothing of what was deleted: neither that it was to renew as another product, nor
    /// that an introductory offer was had.
    private mutating func takeBackWhatIsDeleted(_ index: Int, _ account: Int, _ identifiers: Set<String>) {
        let history = accounts[account].history
        let term = subscriptions[index].term
        let own = (0..<history.count).map { history[$0] }.filter { !$0.isShared && $0.term?.original == term.original }
        let deleted = own.filter { identifiers.contains($0.identifier) }
        if deleted.contains(where: \.isIntroductory), !own.contains(where: { $0.isIntroductory && !$0.isDeleted }) {
            subscriptions.reopenIntroductoryOffer(of: index)
        }
        // Whatever was bought during a period says what comes after it, the newest of it.
        let bought = purchases(of: term, by: account)
        guard bought.contains(where: { identifiers.contains(history[$0].identifier) }),
            let newest = bought.first(where: { !history[$0].isDeleted })
        else { return }
        subscriptions.takeBackChange(of: index, to: history[newest].product)
    }

    /// Takes in that all transactions were deleted.
    ///
    /// What is set up stays, numbers of transactions are not used again, and an order that came before is not taken anew.
    mutating func clear(_ withdrawn: [Deletion.Withdrawn]) {
        purchasesChange()
        for transaction in withdrawn { withdraw(transaction.transaction) }
        for account in accounts.indices {
            accounts[account].owned = []
            accounts[account].history = SegmentedArray()
        }
        subscriptions = Subscriptions()
        owner.issues = [:]
        offers.forgetRedemptions()
        revocations.clear(at: position)
        families.forgetShares()
    }

    private mutating func withdraw(_ number: Int) {
        waiting.remove(number)
        guard let row = transactions.remove(number) else { return }
        if row.device >= 0 {
            devices[Int(row.device)].unfinished -= 1
        } else {
            accounts[Int(row.account)].unfinished -= 1
        }
    }

    /// Adds what deleted transactions mean to a queue on a device.
    func addWithdrawals(_ withdrawn: [Deletion.Withdrawn], for device: Int, to updates: inout [StoreUpdate]) {
        for row in withdrawn
        where (row.device == nil || row.device == device)
            && (row.account == nil || row.account == devices[device].account)
        {
            updates.append(.finished(transaction: String(row.transaction), order: row.order))
        }
    }

    /// Those of some transactions that are not finished.
    func withdrawn(_ isMeant: (Int) -> Bool) -> [Deletion.Withdrawn] {
        var result: [Deletion.Withdrawn] = []
        transactions.forEach { number, row in
            guard isMeant(number) else { return }
            result.append(
                Deletion.Withdrawn(
                    transaction: number,
                    order: row.transaction.order,
                    account: row.account < 0 ? nil : Int(row.account),
                    device: row.device < 0 ? nil : Int(row.device)
                )
            )
        }
        return result
    }
}

extension SandboxState.Purchase {
    /// Whether it brought a period under an introductory offer.
    fileprivate var isIntroductory: Bool { term?.offer?.kind == .introductory && !isDeferredChange }
}
