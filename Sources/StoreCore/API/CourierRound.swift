import Foundation

/// Makes a queue's callbacks, batch by batch, to the observers that are there.
///
/// Observers and the queue are held for as long as a draining lasts and handed down as parameters: counting references
/// to objects that others refer to weakly is slow. They are looked up again when observers come or go.
struct CourierRound {
    let list: ObserverList
    let engine: QueueEngine

    /// As many transactions as one callback is given at most.
    private static var batchSize: Int { 256 }

    /// Delivers a batch.
    ///
    /// Without a queue, and from where the epoch is over, everything is applied and told to nobody.
    func deliver(_ batch: [Delivery], epoch: Int, to queue: SKPaymentQueue?, _ live: inout LiveObservers) {
        var index = 0
        while index < batch.count {
            if list.version != live.version { live = list.load() }
            if let queue, let first = live.first, engine.currentEpoch == epoch {
                deliver(batch, &index, epoch, queue, first, live)
            } else {
                switch batch[index] {
                case .changed(let transaction, let change): QueueCourier.own(transaction).apply(change)
                case .told: engine.askAgain()
                default: break
                }
                index += 1
            }
        }
    }

    /// Goes on until observers have come or gone.
    private func deliver(
        _ batch: [Delivery],
        _ index: inout Int,
        _ epoch: Int,
        _ queue: SKPaymentQueue,
        _ first: any SKPaymentTransactionObserver,
        _ live: LiveObservers
    ) {
        func call(_ callback: (any SKPaymentTransactionObserver) -> Void) {
            callback(first)
            for other in live.others {
                // Whoever was removed meanwhile is not called; whoever came meanwhile hears of the next thing first.
                let isThere = list.version == live.version || list.load().contains(other)
                if isThere, engine.currentEpoch == epoch { callback(other) }
            }
        }
        func update(_ transactions: [SKPaymentTransaction]) {
            if transactions.isEmpty { return }
            call { $0.paymentQueue(queue, updatedTransactions: transactions) }
        }
        while index < batch.count, list.version == live.version, engine.currentEpoch == epoch {
            switch batch[index] {
            case .shown: update(gather(batch, &index, Self.shown))
            case .changed: update(gatherChanges(batch, &index))
            case .again: update(gather(batch, &index, Self.again))
            case .removed:
                let transactions = gather(batch, &index, Self.removed)
                call { $0.paymentQueue(queue, removedTransactions: transactions) }
            case .restoreEnded(let failure):
                index += 1
                if let error = failure?.error {
                    call { $0.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: error) }
                } else {
                    call { $0.paymentQueueRestoreCompletedTransactionsFinished(queue) }
                }
            case .storefrontChanged:
                index += 1
                call { $0.paymentQueueDidChangeStorefront(queue) }
            case .revoked(let identifiers):
                index += 1
                call { $0.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: identifiers) }
            case .promoted(let payment, let product):
                index += 1
                promote(SKPayment(payment), SKProduct(product), queue, call)
            case .told(let cursor):
                index += 1
                engine.acknowledge(through: cursor)
            }
        }
    }

    /// The user began a purchase in the store: it goes on if an observer says so.
    private func promote(
        _ payment: SKPayment,
        _ product: SKProduct,
        _ queue: SKPaymentQueue,
        _ call: ((any SKPaymentTransactionObserver) -> Void) -> Void
    ) {
        var mustAdd = false
        call { observer in
            if observer.paymentQueue(queue, shouldAddStorePayment: payment, for: product) { mustAdd = true }
        }
        guard mustAdd else { return }
        // A store's mistake does not stop the app.
        do { try queue.addThrowing(payment) } catch {
            engine.log("the store promotes a payment that cannot be added: \(error)")
        }
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
