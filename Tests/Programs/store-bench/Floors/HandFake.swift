import Foundation

/// A hand-written queue for a test: objects in an array, a counter for the identifier, one observer, held strongly and
/// called synchronously.
///
/// The same callbacks with the same objects cannot be cheaper, so this is the floor of every purchase.
final class HandFake {
    private var transactions: [HandTransaction] = []
    private var observers: [any HandObserver] = []
    private var lastIdentifier = 0

    func add(_ observer: any HandObserver) {
        observers.append(observer)
    }

    func add(_ payment: HandPayment) {
        let transaction = HandTransaction(payment: payment)
        transactions.append(transaction)
        for index in observers.indices { observers[index].queue(self, updated: [transaction]) }
        lastIdentifier += 1
        transaction.transactionIdentifier = String(lastIdentifier)
        transaction.transactionDate = Date()
        transaction.state = .purchased
        for index in observers.indices { observers[index].queue(self, updated: [transaction]) }
    }

    func finish(_ transaction: HandTransaction) {
        guard let index = transactions.firstIndex(where: { $0 === transaction }) else { return }
        transactions.remove(at: index)
        for index in observers.indices { observers[index].queue(self, removed: [transaction]) }
    }
}

extension HandFake {
    /// Creates a fake with its observer, as a closure that buys.
    static func shop() -> Buy {
        let queue = HandFake()
        let observer = HandFinisher()
        queue.add(observer)
        return { count in
            let before = observer.removed
            for _ in 0..<count { queue.add(HandPayment(productIdentifier: "com.example.coins.100")) }
            return observer.removed - before
        }
    }
}
