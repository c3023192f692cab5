import Foundation

// The rules of refunds (behaviors 176, 177 and 212).
extension SandboxState {
    /// Returns the refund of a transaction, whoever requests it and however long ago it was.
    ///
    /// Access to a product bought for good ends at once, and so does a subscription whose newest period it was.
    /// Purchases that repeated it at no charge are revoked with it.
    ///
    /// - Throws: ``SandboxError`` for a transaction that was not charged, or was refunded before.
    func refund(_ identifier: String, in history: LedgerHistory, now: Date) throws(SandboxError) -> LedgerRecord {
        guard let number = TransactionNumber(identifier), let transaction = history.transaction(number),
            transaction.charge != nil, let account = transaction.account.flatMap({ self.account(named: $0) }),
            let product = catalog.index(of: transaction.productIdentifier)
        else { throw .notSold(identifier) }
        guard transaction.cancellationDate == nil else { throw .alreadyRefunded(identifier) }
        let purchases = accounts[account].history
        let place = purchases.indices.first { purchases[$0].identifier == identifier }
        guard let place else {
            // Of consumables only the transaction remains.
            let refund = Refund(account: account, transactions: [number], product: product, revoked: [])
            return LedgerRecord(date: now, event: .operator(.refunded(refund)))
        }
        // A change of what a subscription renews as was free.
        guard purchases[place].isOwn else { throw .notSold(identifier) }
        let repetitions = repetitions(of: place, by: account, in: history)
        let ended = subscription(of: repetitions, by: account)
        let isInUse = ended.map(subscriptions.isEntitled) ?? isOwned(product, by: account)
        let refund = Refund(
            account: account,
            transactions: repetitions.compactMap { TransactionNumber(purchases[$0].identifier) },
            product: product,
            revoked: isInUse ? [transaction.productIdentifier] : [],
            ended: ended
        )
        return LedgerRecord(date: now, event: .operator(.refunded(refund)))
    }

    /// Returns the event that takes back a transaction's refund, and that of all it had revoked.
    ///
    /// A product bought for good is the account's again. A subscription continues if the refund ended it, its period is not
    /// over yet, and it has not begun anew.
    ///
    /// - Throws: ``SandboxError`` for a transaction that is not refunded.
    func reverseRefund(
        of identifier: String,
        in history: LedgerHistory,
        now: Date
    ) throws(SandboxError) -> LedgerRecord {
        guard let number = TransactionNumber(identifier), history.transaction(number) != nil,
            let refund = history.refunds[number]
        else { throw .notRefunded(identifier) }
        let reversal = RefundReversal(
            account: refund.account,
            transactions: refund.transactions,
            product: refund.product,
            resumed: refund.ended.flatMap { isResumed($0, with: refund, at: now) ? $0 : nil }
        )
        return LedgerRecord(date: now, event: .operator(.server(.refundReversed(reversal))))
    }

    /// Whether a subscription that ended with a refund continues without it.
    private func isResumed(_ index: SubscriptionIndex, with refund: Refund, at now: Date) -> Bool {
        let (term, history) = (subscriptions[index].term, accounts[refund.account].history)
        guard subscriptions[index].end == .revoked, term.end > now, let last = refund.transactions.last else {
            return false
        }
        return history.indices.reversed().lazy.map { history[$0] }
            .first { $0.identifier == last.identifier }
            .map { $0.term == term && !$0.isDeleted } ?? false
    }

    /// Returns the event that a request for a transaction's refund leads to; nil if there was one before that was not
    /// approved.
    func requestRefund(
        of number: TransactionNumber,
        reason: RefundReason?,
        _ decision: RefundDecision,
        in history: LedgerHistory,
        now: Date
    ) throws(SandboxError) -> LedgerRecord? {
        guard server.refundRequest(for: number) == nil else { return nil }
        switch decision {
        case .approve: return try refund(number.identifier, in: history, now: now)
        case .ask:
            let change = ServerChange.refundRequested(transaction: number, reason: reason?.rawValue)
            return LedgerRecord(date: now, event: .operator(.server(change)))
        case .decline:
            return LedgerRecord(date: now, event: .operator(.server(.refundDeclined(transaction: number))))
        }
    }

    /// The transactions whose refund was requested and is to be decided, oldest first.
    var undecidedRefunds: [TransactionNumber] {
        server.refundRequests
            .filter { !$0.isDeclined && revocations.cancellation(of: $0.transaction.identifier) == nil }
            .map(\.transaction)
    }

    /// Returns the indices in an account's history of a purchase and of those that repeated it although it was paid
    /// for.
    func repetitions(of place: PurchaseIndex, by account: AccountID, in ledger: LedgerHistory) -> [PurchaseIndex] {
        let history = accounts[account].history
        let isCharged: (PurchaseIndex) -> Bool = { place in
            TransactionNumber(history[place].identifier).map(ledger.wasCharged) ?? false
        }
        let (product, term) = (history[place].product, history[place].term)
        switch catalog.kind(of: product) {
        case .consumable, .nonRenewing: return [place]
        case .nonConsumable, .freeSubscription:
            return history.indices.filter { history[$0].isOwn && history[$0].product == product }
        case .autoRenewable:
            // A repetition has an equal term. Periods that were cut short at one moment were each paid for, and those
            // between which another product was bought are separate.
            let chain = history.indices.filter { history[$0].term?.original == term?.original }
            guard let middle = chain.firstIndex(of: place) else { return [place] }
            let isSame: (Int) -> Bool = { history[chain[$0]].term == term }
            var (first, last) = (middle, middle)
            while first > 0, !isCharged(chain[first]), isSame(first - 1) { first -= 1 }
            while last + 1 < chain.count, !isCharged(chain[last + 1]), isSame(last + 1) { last += 1 }
            return chain[first...last].filter { history[$0].isOwn }
        }
    }

    /// Returns the subscription that has not ended and whose newest period consists of an account's purchases, nil for
    /// none.
    private func subscription(of places: [PurchaseIndex], by account: AccountID) -> SubscriptionIndex? {
        guard let place = places.last, let term = accounts[account].history[place].term,
            let index = subscriptions.index(ofOriginal: term.original), subscriptions[index].isRunning,
            // Periods that were cut short at one moment have equal terms.
            purchases(of: subscriptions[index].term, by: account).first(where: { accounts[account].history[$0].isOwn })
                == place
        else { return nil }
        return index
    }

    /// Whether an account has bought a product for good.
    private func isOwned(_ product: ProductIndex, by account: AccountID) -> Bool {
        catalog.kind(of: product) == .nonConsumable && accounts[account].owned.contains(product)
    }
}
