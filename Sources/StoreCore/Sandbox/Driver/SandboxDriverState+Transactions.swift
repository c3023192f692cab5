// Lookup of one transaction among all transactions of the store.
extension SandboxDriverState {
    /// Returns a transaction as a sale; nil if it was not sold, or was deleted.
    ///
    /// The cost does not depend on the ledger's length, except in the first call that needs the index of transactions.
    mutating func sale(_ number: TransactionNumber, of bundleIdentifier: String) throws -> SoldTransaction? {
        if index == nil, let event = try beginning(of: number)?.event {
            switch event.effect {
            case .grants(let purchase): return SoldTransaction(account: purchase.account, product: purchase.product)
            case .renews(let subscription, _, let term, _):
                return SoldTransaction(account: state.subscriptions[subscription].account, product: term.product)
            case .grantsNothing: return nil
            // The index is needed for every other transaction, apart from the two exceptions below.
            default:
                if case .refused = event { return nil }
                // A later record may have approved the order.
                if case .ordered(let order) = event, let account = order.account, let product = order.product,
                    state.accounts[account].history.index(of: number) != nil
                {
                    return SoldTransaction(account: account, product: product)
                }
            }
        }
        return try readIndex(of: bundleIdentifier) { index in
            index[number].flatMap { transaction in
                guard transaction.restored == nil else { return nil }
                return SoldTransaction(account: transaction.account, product: transaction.product)
            }
        }
    }

    /// Calls `body` with an index that contains a transaction.
    ///
    /// If there is no index yet, and the transaction is a sale of anything but a subscription, only its record is read.
    mutating func readIndex<R>(
        for number: TransactionNumber,
        of bundleIdentifier: String,
        _ body: (TransactionIndex) throws -> R
    ) throws -> R {
        if index == nil, let record = try beginning(of: number) {
            let alone = TransactionIndex(bundleIdentifier: bundleIdentifier)
            if alone.add(alone: record, state) { return try lend(to: alone, body) }
        }
        return try readIndex(of: bundleIdentifier, body)
    }

    /// Returns the record that began a transaction.
    ///
    /// Nil if finding the record would take reading the whole ledger, or if the state may not match the ledger.
    private mutating func beginning(of number: TransactionNumber) throws -> LedgerRecord? {
        guard !state.isDamaged, isSure(), let position = state.places.position(before: number) else { return nil }
        return try records.read(after: position, limit: TransactionPlaces.distance)
            .first { $0.event.begins(number) }
    }
}
