import Foundation

// The callbacks, to the observers that are there, until some come or go.
//
// The queue and the observers are held by whoever begins and handed down: counting references to objects that others refer to
// weakly is slow.
extension ObserverNotifier {
    /// The most transactions, or downloads, that one callback is given.
    static var batchSize: Int { 256 }

    func deliver(_ driver: QueueDriver) {
        turn.lock()
        defer { turn.unlock() }
        context.run { deliver(driver, to: queue) }
    }

    private func deliver(_ driver: QueueDriver, to queue: SKPaymentQueue?) {
        var batch = NoticeBatch()
        var isBegun = false
        while true {
            let version = observers.version
            let live = queue == nil ? nil : observers.load()
            if live == nil { noticeDeallocatedObservers() }
            if !isBegun, !driver.begin(&batch) { return }
            isBegun = true
            if let live, let queue {
                if run(&batch, driver, live, queue) { return }
            } else if skip(&batch, until: version, driver) {
                return
            }
        }
    }

    /// Delivers a batch from where it is, and all that follow.
    ///
    /// Returns false if observers have come or gone before the end.
    private func run(
        _ batch: inout NoticeBatch,
        _ driver: QueueDriver,
        _ live: LiveObservers,
        _ queue: SKPaymentQueue
    ) -> Bool {
        // Filled anew for each callback, unless an observer has kept it. Moved out: a callback may lead to another delivery.
        var page: [SKPaymentTransaction] = []
        swap(&page, &self.page)
        defer { swap(&page, &self.page) }
        repeat {
            core.receiptFile.keepUp(with: core)
            while !batch.isDone {
                if observers.version != live.version { return false }
                if driver.currentEpoch == batch.epoch {
                    deliver(&batch, &page, driver, live, queue)
                    driver.sendUnsent(inCallback: true)
                } else {
                    skipNext(&batch, driver)
                }
            }
        } while driver.take(&batch)
        return true
    }

    /// With nobody to tell: applies what waits, until observers come.
    ///
    /// Returns false if they do.
    private func skip(_ batch: inout NoticeBatch, until version: Int, _ driver: QueueDriver) -> Bool {
        repeat {
            while !batch.isDone {
                if observers.version != version { return false }
                skipNext(&batch, driver)
            }
        } while driver.take(&batch)
        return true
    }

    /// Applies one thing and tells it to nobody.
    private func skipNext(_ batch: inout NoticeBatch, _ driver: QueueDriver) {
        switch batch.removeNext() {
        case .changed(let transaction, let change): Self.own(transaction).apply(change)
        case .download(let download, let report): SKDownload.own(download).apply(report)
        case .told: driver.askAgain()
        default: break
        }
    }

    /// Makes one callback.
    private func deliver(
        _ batch: inout NoticeBatch,
        _ page: inout [SKPaymentTransaction],
        _ driver: QueueDriver,
        _ live: LiveObservers,
        _ queue: SKPaymentQueue
    ) {
        let epoch = batch.epoch
        switch batch.removeNext() {
        case .shown(let transaction): Self.gather(.shown, transaction, &batch, &page)
        case .changed(let transaction, let change): Self.gatherChanges(transaction, change, &batch, &page)
        case .again(let transaction): Self.gather(.again, transaction, &batch, &page)
        case .removed(let transaction):
            Self.gather(.removed, transaction, &batch, &page)
            tell(of: &page, driver, live, queue, epoch) { $0.paymentQueue($1, removedTransactions: $2) }
            return
        case let other:
            return tell(other, &batch, driver, live, queue)
        }
        if page.isEmpty { return }
        tell(of: &page, driver, live, queue, epoch) { $0.paymentQueue($1, updatedTransactions: $2) }
    }

    /// Tells all observers of a page of transactions, and empties it.
    ///
    /// What observers finish out of a page of several goes to the store together, once all have been called.
    @inline(__always)
    private func tell(
        of page: inout [SKPaymentTransaction],
        _ driver: QueueDriver,
        _ live: LiveObservers,
        _ queue: SKPaymentQueue,
        _ epoch: Int,
        _ callback: (any SKPaymentTransactionObserver, SKPaymentQueue, [SKPaymentTransaction]) -> Void
    ) {
        func call() {
            callback(live.first, queue, page)
            callOthers(driver, live, queue, epoch) { callback($0, $1, page) }
        }
        if page.count == 1 {
            call()
        } else {
            CallScope.tellingOfSeveral { call() }
        }
        page.empty()
    }

    @inline(__always)
    private func callOthers(
        _ driver: QueueDriver,
        _ live: LiveObservers,
        _ queue: SKPaymentQueue,
        _ epoch: Int,
        _ callback: (any SKPaymentTransactionObserver, SKPaymentQueue) -> Void
    ) {
        if live.others.isEmpty { return }
        for other in live.others {
            // Whoever was removed meanwhile is not called; whoever came meanwhile hears of the next thing first.
            let isThere = observers.version == live.version || observers.load()?.contains(other) ?? false
            if isThere, driver.currentEpoch == epoch { callback(other, queue) }
        }
    }
}

// MARK: - What is not about transactions

extension ObserverNotifier {
    private func tell(
        _ notice: Notice,
        _ batch: inout NoticeBatch,
        _ driver: QueueDriver,
        _ live: LiveObservers,
        _ queue: SKPaymentQueue
    ) {
        let epoch = batch.epoch
        func call(_ callback: (any SKPaymentTransactionObserver, SKPaymentQueue) -> Void) {
            callback(live.first, queue)
            callOthers(driver, live, queue, epoch, callback)
        }
        switch notice {
        case .download(let download, let report):
            let downloads = Self.gatherDownloads(download, report, &batch)
            call { $0.paymentQueue($1, updatedDownloads: downloads) }
        case .restoreEnded(let failure):
            if let error = failure?.error {
                call { $0.paymentQueue($1, restoreCompletedTransactionsFailedWithError: error) }
            } else {
                call { $0.paymentQueueRestoreCompletedTransactionsFinished($1) }
            }
        case .mayContinue(let transaction, let identifier, let storefront):
            askWhetherToContinue(Self.own(transaction), identifier, storefront, queue, driver)
        case .priceConsent:
            askForPriceConsent(queue, driver)
        case .storefrontChanged:
            call { $0.paymentQueueDidChangeStorefront($1) }
        case .revoked(let identifiers):
            call { $0.paymentQueue($1, didRevokeEntitlementsForProductIdentifiers: identifiers) }
        case .promoted(let payment, let product):
            let (payment, product) = (SKPayment(payment), SKProduct(product))
            var mustAdd = false
            call { if $0.paymentQueue($1, shouldAddStorePayment: payment, for: product) { mustAdd = true } }
            if mustAdd { add(payment, to: queue, driver) }
        case .told(let cursor):
            driver.acknowledge(through: cursor)
        case .shown, .changed, .again, .removed:
            break
        }
    }

    /// Adds what the store promotes.
    ///
    /// A store's mistake does not stop the app.
    private func add(_ payment: SKPayment, to queue: SKPaymentQueue, _ driver: QueueDriver) {
        do { try queue.addThrowing(payment) } catch {
            driver.log("the store promotes a payment that cannot be added: \(error)")
        }
    }
}

// MARK: - Runs of the same kind

// Each takes the next notice out to look at it, and puts it back if it begins a callback of its own: to look at it where it lies
// would copy it.
extension ObserverNotifier {
    /// Collects all of one kind that follow one another, beginning with one that has been taken out.
    ///
    /// What was finished meanwhile is not told of again.
    private static func gather(
        _ kind: Notice.Kind,
        _ first: AnyObject,
        _ batch: inout NoticeBatch,
        _ page: inout [SKPaymentTransaction]
    ) {
        let first = own(first)
        if kind == .removed || !first.isFinished { page.append(first) }
        while page.count < batchSize, let notice = batch.popNext() {
            guard notice.kind == kind, let next = notice.transaction.map(own) else { return batch.putBack(notice) }
            if kind == .removed || !next.isFinished { page.append(next) }
        }
    }

    /// Changes the objects on the way.
    ///
    /// One that waited for a decision may change twice: it begins a callback of its own.
    private static func gatherChanges(
        _ first: AnyObject,
        _ change: StoreTransaction,
        _ batch: inout NoticeBatch,
        _ page: inout [SKPaymentTransaction]
    ) {
        let first = own(first)
        first.apply(change)
        page.append(first)
        while page.count < batchSize, let notice = batch.popNext() {
            guard case .changed(let object, let change) = notice, !own(object).isDeferred else {
                return batch.putBack(notice)
            }
            let transaction = own(object)
            transaction.apply(change)
            page.append(transaction)
        }
    }
}
