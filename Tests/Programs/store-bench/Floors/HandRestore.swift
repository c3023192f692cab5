import Foundation

/// Restoring by hand: for each past purchase a restored transaction, its original and their payment, delivered in
/// arrays of 256 and kept until finished.
///
/// They share nothing but the product's string.
enum HandRestore {
    private static let batchSize = 256

    /// Restores, finishes, and returns how many were finished.
    static func run(_ count: Int) -> Int {
        let queue = HandPending()
        let observer = Observer()
        let date = Date()
        var next = 1
        while next <= count {
            let end = min(next + batchSize, count + 1)
            var batch: [HandTransaction] = []
            batch.reserveCapacity(end - next)
            for number in next..<end {
                let transaction = restored(number, date: date, of: count)
                queue.append(transaction)
                batch.append(transaction)
            }
            observer.restored(batch)
            next = end
        }
        return min(queue.finishAll(), observer.received)
    }

    private static func restored(_ number: Int, date: Date, of count: Int) -> HandTransaction {
        let payment = HandPayment(productIdentifier: "com.example.coins.100")
        let original = HandTransaction(payment: payment, state: .purchased, identifier: String(number), date: date)
        return HandTransaction(
            payment: payment,
            state: .restored,
            identifier: String(count + number),
            date: date,
            original: original
        )
    }

    /// An observer that reads every transaction.
    private final class Observer {
        private(set) var received = 0

        func restored(_ transactions: [HandTransaction]) {
            for transaction in transactions where transaction.state == .restored && transaction.original != nil {
                received += 1
            }
        }
    }
}
