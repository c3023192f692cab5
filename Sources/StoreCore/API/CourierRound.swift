import Foundation

/// Makes a queue's callbacks to the observers that are there, until some come or go.
///
/// It holds them and the queue for that long: counting references to objects that others refer to weakly is slow.
struct CourierRound {
    let queue: SKPaymentQueue
    let first: any SKPaymentTransactionObserver
    let others: [any SKPaymentTransactionObserver]
    /// The list's when they were looked up.
    let version: Int
    let list: ObserverList
    let engine: QueueEngine

    /// As many transactions, or downloads, as one callback is given at most.
    static var batchSize: Int { 256 }

    /// Observers have come or gone.
    private var isOver: Bool { list.version != version }

    /// Delivers a batch from where it is, and all that follow.
    ///
    /// Returns false if observers have come or gone before the end.
    func run(_ batch: inout DeliveryBatch) -> Bool {
        let core = queue.courier.core
        repeat {
            core.receiptFile.keepUp(with: core)
            while !batch.isDone {
                if isOver { return false }
                if engine.currentEpoch == batch.epoch { deliver(&batch) } else { Self.skip(&batch, engine) }
            }
        } while engine.take(&batch)
        return true
    }

    /// Applies one thing and tells it to nobody.
    static func skip(_ batch: inout DeliveryBatch, _ engine: QueueEngine) {
        switch batch.removeNext() {
        case .changed(let transaction, let change): QueueCourier.own(transaction).apply(change)
        case .download(let download, let report): SKDownload.own(download).apply(report)
        case .told: engine.askAgain()
        default: break
        }
    }

    /// Makes one callback.
    private func deliver(_ batch: inout DeliveryBatch) {
        let epoch = batch.epoch
        switch batch.removeNext() {
        case .shown(let transaction): update(gather(.shown, transaction, &batch), epoch)
        case .changed(let transaction, let change): update(gatherChanges(transaction, change, &batch), epoch)
        case .again(let transaction): update(gather(.again, transaction, &batch), epoch)
        case .removed(let transaction):
            let transactions = gather(.removed, transaction, &batch)
            first.paymentQueue(queue, removedTransactions: transactions)
            callOthers(epoch) { $0.paymentQueue(queue, removedTransactions: transactions) }
        case .download(let download, let report):
            let downloads = Self.gatherDownloads(download, report, &batch)
            first.paymentQueue(queue, updatedDownloads: downloads)
            callOthers(epoch) { $0.paymentQueue(queue, updatedDownloads: downloads) }
        case let other:
            tell(other) { callback in
                callback(first)
                callOthers(epoch, callback)
            }
        }
    }

    private func update(_ transactions: [SKPaymentTransaction], _ epoch: Int) {
        if transactions.isEmpty { return }
        first.paymentQueue(queue, updatedTransactions: transactions)
        callOthers(epoch) { $0.paymentQueue(queue, updatedTransactions: transactions) }
    }

    @inline(__always)
    private func callOthers(_ epoch: Int, _ callback: (any SKPaymentTransactionObserver) -> Void) {
        if others.isEmpty { return }
        for other in others {
            // Whoever was removed meanwhile is not called; whoever came meanwhile hears of the next thing first.
            let isThere = !isOver || list.load().contains(other)
            if isThere, engine.currentEpoch == epoch { callback(other) }
        }
    }

    /// What is not about transactions.
    private func tell(_ delivery: Delivery, _ call: ((any SKPaymentTransactionObserver) -> Void) -> Void) {
        switch delivery {
        case .restoreEnded(let failure):
            if let error = failure?.error {
                call { $0.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: error) }
            } else {
                call { $0.paymentQueueRestoreCompletedTransactionsFinished(queue) }
            }
        case .mayContinue(let transaction, let identifier, let storefront):
            askWhetherToContinue(QueueCourier.own(transaction), identifier, storefront)
        case .priceConsent:
            askForPriceConsent()
        case .storefrontChanged:
            call { $0.paymentQueueDidChangeStorefront(queue) }
        case .revoked(let identifiers):
            call { $0.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: identifiers) }
        case .promoted(let payment, let product):
            promote(SKPayment(payment), SKProduct(product), call)
        case .told(let cursor):
            engine.acknowledge(through: cursor)
        case .shown, .changed, .again, .removed, .download:
            break
        }
    }

    /// The user began a purchase in the store: it goes on if an observer says so.
    private func promote(
        _ payment: SKPayment,
        _ product: SKProduct,
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
    /// All of one kind that follow one another, beginning with one that has been taken out.
    ///
    /// What was finished meanwhile is not told of again.
    private func gather(
        _ kind: Delivery.Kind,
        _ first: AnyObject,
        _ batch: inout DeliveryBatch
    ) -> [SKPaymentTransaction] {
        let first = QueueCourier.own(first)
        var transactions = kind == .removed || !first.isFinished ? [first] : []
        while !batch.isDone, transactions.count < Self.batchSize, batch.next.kind == kind,
            let next = batch.removeNext().transaction.map(QueueCourier.own)
        {
            if kind == .removed || !next.isFinished { transactions.append(next) }
        }
        return transactions
    }

    /// Changes the objects on the way.
    ///
    /// One that waited for a decision may change twice: it begins a callback of its own.
    private func gatherChanges(
        _ first: AnyObject,
        _ change: StoreTransaction,
        _ batch: inout DeliveryBatch
    ) -> [SKPaymentTransaction] {
        let first = QueueCourier.own(first)
        first.apply(change)
        var transactions = [first]
        while !batch.isDone, transactions.count < Self.batchSize, batch.next.kind == .changed,
            case .changed(let object, let change) = batch.next
        {
            let transaction = QueueCourier.own(object)
            if transaction.isDeferred { break }
            transaction.apply(change)
            batch.removeNext()
            transactions.append(transaction)
        }
        return transactions
    }
}
