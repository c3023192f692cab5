import Foundation

/// A hand-written queue for a test: objects in an array, a counter for the identifier, one observer, held strongly and
/// called synchronously.
///
/// The same callbacks with the same objects cannot be cheaper, so this is the floor of every purchase.
final class HandFake {
    private var transactions: [HandTransaction] = []
    private var observers: [any HandObserver] = []
    private var lastIdentifier = 0

    func add(_ observer: any HandObserver) { observers.append(observer) }

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

/// A payment with the fields that Store Kit's has, and nothing behind them.
final class HandPayment: NSObject {
    let productIdentifier: String
    let quantity: Int
    let applicationUsername: String? = nil
    let requestData: Data? = nil

    init(productIdentifier: String, quantity: Int = 1) {
        self.productIdentifier = productIdentifier
        self.quantity = quantity
    }
}

/// A transaction with the fields that Store Kit's has, and a place to note where a queue keeps it.
final class HandTransaction: NSObject {
    /// The state of the payment.
    enum State {
        case purchasing, purchased, failed, restored, deferred
    }

    let payment: HandPayment
    var state: State
    var transactionIdentifier: String?
    var transactionDate: Date?
    var error: (any Error)?
    let original: HandTransaction?
    var slot = 0

    init(
        payment: HandPayment,
        state: State = .purchasing,
        identifier: String? = nil,
        date: Date? = nil,
        original: HandTransaction? = nil
    ) {
        self.payment = payment
        self.state = state
        transactionIdentifier = identifier
        transactionDate = date
        self.original = original
    }
}

/// An observer of a hand-written queue's transactions.
protocol HandObserver: AnyObject {
    func queue(_ queue: HandFake, updated transactions: [HandTransaction])
    func queue(_ queue: HandFake, removed transactions: [HandTransaction])
}

/// An observer that finishes purchased transactions and counts removed ones.
final class HandFinisher: NSObject, HandObserver {
    private(set) var removed = 0

    func queue(_ queue: HandFake, updated transactions: [HandTransaction]) {
        for index in transactions.indices where transactions[index].state == .purchased {
            queue.finish(transactions[index])
        }
    }

    func queue(_ queue: HandFake, removed transactions: [HandTransaction]) { removed += transactions.count }
}
