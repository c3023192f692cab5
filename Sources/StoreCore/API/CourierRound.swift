import Foundation

/// One draining of a queue's callbacks: observers are held for as long as it lasts, and looked up again when they change.
struct CourierRound: ~Copyable {
    private let queue: SKPaymentQueue?
    private let list: ObserverList
    private let engine: QueueEngine
    private var observers: LiveObservers
    private var version: Int
    private var epoch = 0
    private(set) var hasLostObservers: Bool

    /// As many transactions as one callback is given at most.
    private static var batchSize: Int { 256 }

    init(queue: SKPaymentQueue?, observers list: ObserverList, engine: QueueEngine) {
        self.queue = queue
        self.list = list
        self.engine = engine
        version = list.version
        observers = list.load()
        hasLostObservers = observers.isEmpty && list.haveVanished()
    }

    mutating func deliver(_ batch: [Delivery], epoch: Int) {
        self.epoch = epoch
        var index = 0
        while index < batch.count {
            switch batch[index] {
            case .shown: update(gather(batch, &index, Self.shown))
            case .changed: update(gatherChanges(batch, &index))
            case .again: update(gather(batch, &index, Self.again))
            case .removed:
                let transactions = gather(batch, &index, Self.removed)
                call { queue, observer in observer.paymentQueue(queue, removedTransactions: transactions) }
            case .restoreEnded(let failure):
                index += 1
                if let error = failure?.error {
                    call { $1.paymentQueue($0, restoreCompletedTransactionsFailedWithError: error) }
                } else {
                    call { $1.paymentQueueRestoreCompletedTransactionsFinished($0) }
                }
            case .storefrontChanged:
                index += 1
                call { $1.paymentQueueDidChangeStorefront($0) }
            case .revoked(let identifiers):
                index += 1
                call { $1.paymentQueue($0, didRevokeEntitlementsForProductIdentifiers: identifiers) }
            case .promoted(let payment, let product):
                index += 1
                promote(SKPayment(payment), SKProduct(product))
            case .told(let cursor):
                index += 1
                if isCurrent { engine.acknowledge(through: cursor) }
            }
        }
    }

    private var isCurrent: Bool { engine.currentEpoch == epoch }

    private mutating func update(_ transactions: [SKPaymentTransaction]) {
        guard !transactions.isEmpty else { return }
        call { queue, observer in observer.paymentQueue(queue, updatedTransactions: transactions) }
    }

    /// Whoever is there when a callback's turn comes is called; whoever was removed meanwhile is not, and whoever came
    /// meanwhile hears of the next thing first.
    private mutating func call(_ callback: (SKPaymentQueue, any SKPaymentTransactionObserver) -> Void) {
        guard let queue, isCurrent else { return }
        if list.version != version { reload() }
        guard let first = observers.first else { return }
        let others = observers.others
        callback(queue, first)
        for observer in others {
            if list.version != version { reload() }
            guard isCurrent else { return }
            if observers.contains(observer) { callback(queue, observer) }
        }
    }

    private mutating func reload() {
        version = list.version
        observers = list.load()
    }

    /// The user began a purchase in the store: it goes on if an observer says so.
    private mutating func promote(_ payment: SKPayment, _ product: SKProduct) {
        var mustAdd = false
        call { queue, observer in
            if observer.paymentQueue(queue, shouldAddStorePayment: payment, for: product) { mustAdd = true }
        }
        if mustAdd { queue?.add(payment) }
    }
}

// MARK: - Runs of the same kind

extension CourierRound {
    private static func shown(_ delivery: Delivery) -> SKPaymentTransaction? {
        if case .shown(let transaction) = delivery { QueueCourier.own(transaction) } else { nil }
    }

    private static func again(_ delivery: Delivery) -> SKPaymentTransaction? {
        if case .again(let transaction) = delivery { QueueCourier.own(transaction) } else { nil }
    }

    private static func removed(_ delivery: Delivery) -> SKPaymentTransaction? {
        if case .removed(let transaction) = delivery { QueueCourier.own(transaction) } else { nil }
    }

    private func gather(
        _ batch: [Delivery],
        _ index: inout Int,
        _ pick: (Delivery) -> SKPaymentTransaction?
    ) -> [SKPaymentTransaction] {
        var isRemoval = false
        if case .removed = batch[index] { isRemoval = true }
        var transactions: [SKPaymentTransaction] = []
        if index + 1 == batch.count || pick(batch[index + 1]) == nil, let only = pick(batch[index]) {
            index += 1
            return isRemoval || !only.isFinished ? [only] : []
        }
        while index < batch.count, transactions.count < Self.batchSize, let transaction = pick(batch[index]) {
            // What was finished meanwhile is not told of again.
            if isRemoval || !transaction.isFinished { transactions.append(transaction) }
            index += 1
        }
        return transactions
    }

    /// Changes the objects on the way.
    ///
    /// One that waited for a decision may change twice: it begins a callback of its own.
    private func gatherChanges(
        _ batch: [Delivery],
        _ index: inout Int
    ) -> [SKPaymentTransaction] {
        if index + 1 == batch.count, case .changed(let object, let change) = batch[index] {
            let transaction = QueueCourier.own(object)
            transaction.apply(change)
            index += 1
            return [transaction]
        }
        var transactions: [SKPaymentTransaction] = []
        while index < batch.count, transactions.count < Self.batchSize,
            case .changed(let object, let change) = batch[index]
        {
            let transaction = QueueCourier.own(object)
            if !transactions.isEmpty, transaction.isDeferred { break }
            transaction.apply(change)
            transactions.append(transaction)
            index += 1
        }
        return transactions
    }
}
