import Foundation

/// Pending transactions by hand: each knows its place in one array, and finishing it leaves a hole there.
final class HandPending {
    private var slots: [HandTransaction?] = []

    func reserve(_ count: Int) { slots.reserveCapacity(count) }

    func append(_ transaction: HandTransaction) {
        transaction.slot = slots.count
        slots.append(transaction)
    }

    /// Finishes a transaction, and returns whether it was pending.
    func finish(_ transaction: HandTransaction) -> Bool {
        guard slots[transaction.slot] === transaction else { return false }
        slots[transaction.slot] = nil
        return true
    }

    /// Finishes all remaining transactions, oldest first, one by one, and returns their number.
    func finishAll() -> Int {
        var finished = 0
        for index in slots.indices {
            guard let transaction = slots[index] else { continue }
            if finish(transaction) { finished += 1 }
        }
        return finished
    }
}

extension HandPending {
    /// Creates purchased transactions, each with a payment of its own; they share the product's string.
    static func purchased(_ count: Int) -> (queue: HandPending, transactions: [HandTransaction]) {
        let queue = HandPending()
        queue.reserve(count)
        let date = Date()
        let transactions = (1...count).map { number in
            HandTransaction(
                payment: HandPayment(productIdentifier: "com.example.coins.100"),
                state: .purchased,
                identifier: String(number),
                date: date
            )
        }
        for transaction in transactions { queue.append(transaction) }
        return (queue, transactions)
    }
}
