import Foundation

/// The account and the product of a transaction that was sold and not deleted.
struct SoldTransaction: Hashable, Sendable {
    let account: AccountID
    let product: ProductIndex
}

// The rules of refunds (behaviors 176, 177 and 212).
extension SandboxState {
    /// Returns the refund of a transaction, regardless of its age and of who requests it.
    ///
    /// The refund ends access to a non-consumable product at once. It ends a subscription at once if the transaction
    /// paid for the newest period. A purchase and its free repetitions, made while the product was owned, are revoked
    /// together.
    ///
    /// - Throws: ``SandboxError`` for a transaction that was not sold, or was refunded before.
    func refund(
        _ number: TransactionNumber,
        of sale: SoldTransaction?,
        _ share: RefundShare = .init(),
        now: Date
    ) throws(SandboxError) -> LedgerRecord {
        guard let sale else { throw SandboxError(.notSold(number.identifier)) }
        let (account, product) = (sale.account, sale.product)
        let purchases = accounts[account].history
        let place = purchases.index(of: number)
        if let place, purchases[place].isShared { throw SandboxError(.notSold(number.identifier)) }
        guard revocations.cancellation(of: number) == nil else {
            throw SandboxError(.alreadyRefunded(number.identifier))
        }
        guard let place else {
            // A consumable is in no history: its refund covers one transaction, and revokes no access.
            let refund = Refund(
                account: account,
                transactions: [number],
                product: product,
                revoked: [],
                percentage: share.percentage,
                reason: share.reason
            )
            return LedgerRecord(date: now, event: .operator(.refunded(refund)))
        }
        // Nothing was sold if the purchase only changed the product of the next renewal, or came with a bundle.
        guard purchases[place].isOwn, purchases[place].term?.bundle?.period == nil else {
            throw SandboxError(.notSold(number.identifier))
        }
        let repetitions = repetitions(of: place, by: account)
        let ended = subscription(of: repetitions, by: account)
        let isOwned = isForGood(purchases[place]) && isOwned(product, by: account)
        let isInUse = ended.map(subscriptions.isEntitled) ?? isOwned
        let refund = Refund(
            account: account,
            transactions: repetitions.compactMap { TransactionNumber(purchases[$0].identifier) },
            product: product,
            revoked: isInUse ? [catalog[product].identifier] : [],
            ended: ended,
            percentage: share.percentage,
            reason: share.reason
        )
        return LedgerRecord(date: now, event: .operator(.refunded(refund)))
    }

    /// Returns the event that reverses a transaction's refund, and reinstates everything that the refund revoked.
    ///
    /// A non-consumable is owned again. A subscription continues if the refund ended it, its period is not over yet,
    /// and no other period has begun since.
    ///
    /// - Throws: ``SandboxError`` for a transaction that is not refunded.
    func reverseRefund(of identifier: String, now: Date) throws(SandboxError) -> LedgerRecord {
        guard let number = TransactionNumber(identifier), let refund = revocations.refund(of: number) else {
            throw SandboxError(.notRefunded(identifier))
        }
        let reversal = RefundReversal(
            account: refund.account,
            transactions: refund.transactions,
            product: refund.product,
            resumed: refund.ended.flatMap { isResumed($0, with: refund, at: now) ? $0 : nil }
        )
        return LedgerRecord(date: now, event: .operator(.server(.refundReversed(reversal))))
    }

    /// Whether a subscription that a refund ended continues when the refund is reversed.
    private func isResumed(_ index: SubscriptionIndex, with refund: Refund, at now: Date) -> Bool {
        let (term, history) = (subscriptions[index].term, accounts[refund.account].history)
        guard subscriptions[index].end == .revoked, term.end > now, let last = refund.transactions.last else {
            return false
        }
        return history.index(of: last).map { history[$0].term == term && !history[$0].isDeleted } ?? false
    }

    /// Returns the event of a refund request for a transaction; nil if an earlier request was declined or is pending.
    func requestRefund(
        of number: TransactionNumber,
        _ sale: SoldTransaction?,
        reason: RefundReason?,
        _ decision: RefundDecision,
        now: Date
    ) throws(SandboxError) -> LedgerRecord? {
        guard !server.wasRefundRequested(of: number) else { return nil }
        switch decision {
        case .approve: return try refund(number, of: sale, now: now)
        case .ask, .followServer:
            let change = ServerChange.refundRequested(transaction: number, reason: reason?.rawValue)
            return LedgerRecord(date: now, event: .operator(.server(change)))
        case .decline: return LedgerRecord(date: now, event: .operator(.server(.refundDeclined(transaction: number))))
        }
    }

    /// Returns the indices, in an account's history, of a purchase and its free repetitions.
    func repetitions(of place: PurchaseIndex, by account: AccountID) -> [PurchaseIndex] {
        let history = accounts[account].history
        // A product may be of another kind by now, so a purchase says by itself what it bought.
        guard let term = history[place].term else {
            let own = history.ownPurchases(of: history[place].product).filter { isForGood(history[$0]) }
            return own.contains(place) ? own : [place]
        }
        // A repetition is free, and has the same term as its neighbor in the chain. Equal terms alone are not
        // sufficient: charged periods that were cut short at one moment have equal terms, too.
        let chain = history.chain(of: term.original)
        let middle = chain.indices.partitionPoint { chain[$0] < place }
        let isSame: (Int) -> Bool = { history[chain[$0]].term == term }
        var (first, last) = (middle, middle)
        while first > 0, !history[chain[first]].isCharged, isSame(first - 1) { first -= 1 }
        while last + 1 < chain.count, !history[chain[last + 1]].isCharged, isSame(last + 1) { last += 1 }
        return chain[first...last].filter { history[$0].isOwn }
    }

    /// Whether transactions of an account bought periods of a subscription, whatever kind the product has by now.
    func arePeriods(_ transactions: [TransactionNumber], of account: AccountID) -> Bool {
        let history = accounts[account].history
        return transactions.first.flatMap { history.index(of: $0) }.map { history[$0].term != nil } ?? false
    }

    /// Whether transactions of an account bought something for good, whatever kind the product has by now.
    func areForGood(_ transactions: [TransactionNumber], of account: AccountID) -> Bool {
        let history = accounts[account].history
        return transactions.first.flatMap { history.index(of: $0) }.map { isForGood(history[$0]) } ?? false
    }

    private func isForGood(_ purchase: Purchase) -> Bool { purchase.isForGood && purchase.term == nil }

    /// Returns the running subscription whose newest period an account's purchases bought; nil for none.
    private func subscription(of places: [PurchaseIndex], by account: AccountID) -> SubscriptionIndex? {
        guard let place = places.last, let term = accounts[account].history[place].term,
            let index = subscriptions.index(ofOriginal: term.original), subscriptions[index].isRunning,
            // The purchases are compared, since periods that were cut short at one moment have equal terms.
            purchases(of: subscriptions[index].term, by: account).first(where: { accounts[account].history[$0].isOwn })
                == place
        else { return nil }
        return index
    }

    /// Whether an account owns a product for which it has paid.
    private func isOwned(_ product: ProductIndex, by account: AccountID) -> Bool {
        catalog.kind(of: product) != .freeSubscription && accounts[account].owned.contains(product)
    }
}

/// The share of a price that is refunded, and the reason.
struct RefundShare: Hashable, Sendable {
    /// The share in thousandths of a percent; nil for the whole price.
    let percentage: Int?
    /// The reason in signed payloads; nil for any other reason than a problem with the app.
    let reason: Int?

    /// Creates a share in thousandths of a percent.
    init(thousandths: Int = Refund.whole, reason: Int? = nil) {
        percentage = thousandths == Refund.whole ? nil : thousandths
        self.reason = reason
    }

    /// Creates a share in percent.
    ///
    /// - Throws: ``SandboxError`` unless the share is above 0, at most 100, and a whole number of
    ///   thousandths.
    init(percentage: Decimal, reason: Int?) throws(SandboxError) {
        var (exact, rounded) = (percentage * 1000, Decimal())
        NSDecimalRound(&rounded, &exact, 0, .plain)
        guard percentage > 0, percentage <= 100, rounded == exact, let thousandths = Int(rounded.description) else {
            throw SandboxError(.invalidPercentage(percentage))
        }
        self.init(thousandths: thousandths, reason: reason)
    }
}
