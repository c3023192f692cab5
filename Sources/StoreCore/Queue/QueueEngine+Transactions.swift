// What is unfinished.
extension QueueEngine {
    /// The transactions in the table, oldest first, as the stage knows them.
    ///
    /// `own` returns nil for a transaction that is finished and waits for its removal to be reported.
    func transactions<Object>(_ own: (AnyObject) -> Object?) -> [Object] {
        state.withLock { state in
            var transactions: [Object] = []
            transactions.reserveCapacity(state.table.count)
            state.table.forEach { if let transaction = own($1) { transactions.append(transaction) } }
            return transactions
        }
    }

    /// Whether the engine still has something to tell of a transaction.
    func isOpen(_ number: Int) -> Bool { state.withLock { $0.table[number] != nil } }
}
