// What is unfinished.
extension QueueEngine {
    /// What is unfinished, oldest first, as the stage knows it.
    func transactions<Object>(_ own: (AnyObject) -> Object) -> [Object] {
        state.withLock { state in
            var transactions: [Object] = []
            transactions.reserveCapacity(state.table.count)
            state.table.forEach { transactions.append(own($1)) }
            return transactions
        }
    }

    /// Whether a transaction is unfinished.
    func isOpen(_ number: Int) -> Bool { state.withLock { $0.table[number] != nil } }
}
