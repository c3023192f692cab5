import Foundation

// The rules of refunds (behaviours 176, 177 and 212).
extension SandboxState {
    /// What becomes of a transaction that is paid back, whoever asks for it and however long ago it was.
    ///
    /// What an account owns for good, and the running period of a subscription, end at once. What repeated the purchase for
    /// nothing goes with it.
    ///
    /// - Throws: ``SandboxError`` for what nobody paid for, or what was paid back before.
    func refund(_ identifier: String, in history: LedgerHistory, now: Date) throws(SandboxError) -> LedgerRecord {
        guard let number = Self.number(of: identifier), let transaction = history.transaction(number),
            transaction.charge != nil, let account = transaction.account.flatMap({ self.account(named: $0) }),
            let product = catalogue.index(of: transaction.productIdentifier)
        else { throw .notSold(identifier) }
        guard transaction.cancellationDate == nil else { throw .alreadyRefunded(identifier) }
        let purchases = accounts[account].history
        let place = (0..<purchases.count).first { purchases[$0].identifier == identifier }
        guard let place else {
            // Of consumables there is no more than the transaction.
            let refund = Refund(account: account, transactions: [number], product: product, revoked: [])
            return LedgerRecord(date: now, event: .owner(.refunded(refund)))
        }
        // What only says how a subscription renews has cost nothing.
        guard purchases[place].isOwn else { throw .notSold(identifier) }
        let repetitions = repetitions(of: place, by: account) { place in
            let transaction = Self.number(of: purchases[place].identifier).flatMap { history.transaction($0) }
            return transaction?.charge ?? 0 > 0
        }
        let refund = Refund(
            account: account,
            transactions: repetitions.compactMap { Self.number(of: purchases[$0].identifier) },
            product: product,
            revoked: isInUse(repetitions, by: account) ? [transaction.productIdentifier] : []
        )
        return LedgerRecord(date: now, event: .owner(.refunded(refund)))
    }

    /// Where in an account's history a purchase lies, and what bought the same once more although it was paid for.
    private func repetitions(of place: Int, by account: Int, isCharged: (Int) -> Bool) -> [Int] {
        let history = accounts[account].history
        let (product, term) = (history[place].product, history[place].term)
        switch catalogue.kind(of: product) {
        case .consumable, .nonRenewing: return [place]
        case .nonConsumable, .freeSubscription:
            return (0..<history.count).filter { history[$0].isOwn && history[$0].product == product }
        case .autoRenewable:
            // Somebody may change to another product and back at one moment, or pay for the same once more after the
            // period was cut short: each is a period of its own.
            let periods = periods(of: term?.original, by: account)
            guard let middle = periods.firstIndex(of: place) else { return [place] }
            let isSame: (Int) -> Bool = {
                history[periods[$0]].product == product && history[periods[$0]].term?.start == term?.start
            }
            var (first, last) = (middle, middle)
            while first > 0, !isCharged(periods[first]), isSame(first - 1) { first -= 1 }
            while last + 1 < periods.count, !isCharged(periods[last + 1]), isSame(last + 1) { last += 1 }
            return Array(periods[first...last])
        }
    }

    /// Where in an account's history the periods of a subscription lie that still count.
    private func periods(of original: Int?, by account: Int) -> [Int] {
        let history = accounts[account].history
        return (0..<history.count).filter { history[$0].isOwn && history[$0].term?.original == original }
    }

    /// Whether an account has access to something for having made purchases that the revoke message is for.
    private func isInUse(_ places: [Int], by account: Int) -> Bool {
        guard let place = places.last else { return false }
        let (product, term) = (accounts[account].history[place].product, accounts[account].history[place].term)
        switch catalogue.kind(of: product) {
        case .nonConsumable: return accounts[account].owned.contains(product)
        case .autoRenewable:
            guard let term, let index = subscriptions.index(ofOriginal: term.original) else { return false }
            return subscriptions[index].isRunning && periods(of: term.original, by: account).last == place
        case .consumable, .nonRenewing, .freeSubscription: return false
        }
    }
}
