import StoreCore

/// The purchases that an app was told of: only what it knows of can it deliver or take back.
final class ShownTransactions: Sendable {
    /// What was shown between two moments.
    struct Interval: Sendable {
        fileprivate(set) var transactions: Set<String> = []
        /// The products of which the app was told that something ended.
        fileprivate(set) var revokedProducts: Set<String> = []
        /// Whether it has read a receipt, which has everything.
        fileprivate(set) var isEverything = false
    }

    private let interval = Locked(Interval())

    /// Returns what was shown since the last call.
    func taken() -> Interval {
        interval.withLock { interval in
            defer { interval = Interval() }
            return interval
        }
    }

    func note(_ batch: UpdateBatch) {
        interval.withLock { interval in
            for update in batch.updates {
                switch update {
                case .transaction(let transaction) where transaction.state == .purchased:
                    interval.transactions.insert(transaction.identifier)
                case .revoked(let products): interval.revokedProducts.formUnion(products)
                default: break
                }
            }
        }
    }

    func note(_ page: HistoryPage) {
        interval.withLock { $0.transactions.formUnion(page.transactions.map(\.content.transactionId)) }
    }

    func noteReceipt() { interval.withLock { $0.isEverything = true } }
}
