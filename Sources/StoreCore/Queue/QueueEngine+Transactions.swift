// What is unfinished.
extension QueueEngine {
    /// What is unfinished, oldest first.
    var transactions: [AnyObject] {
        state.withLock { state in
            var transactions: [AnyObject] = []
            transactions.reserveCapacity(state.table.count)
            state.table.forEach { transactions.append($1) }
            return transactions
        }
    }

    /// Whether a transaction is unfinished.
    func isOpen(_ number: Int) -> Bool { state.withLock { $0.table[number] != nil } }
}
