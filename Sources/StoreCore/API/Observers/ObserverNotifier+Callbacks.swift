import Foundation

// A delivery calls the observers that were attached when it began. If observers are added or removed, it continues with
// the new list.
//
// The outermost function retains the queue and observers and passes them on: counting references is slow here.
extension ObserverNotifier {
    /// The maximum number of transactions, or of downloads, in one callback.
    static var batchSize: Int { 256 }

    func deliver(_ driver: QueueDriver) {
        turn.lock()
        defer { turn.unlock() }
        // Checked first, since the caller may have bound the context, and binding costs as much as a callback.
        if StoreContext.isBound(with: core) { return deliver(driver, to: queue) }
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

    /// Delivers the remainder of a batch and all batches that follow.
    ///
    /// Returns false if observers are added or removed before the end.
    private func run(
        _ batch: inout NoticeBatch,
        _ driver: QueueDriver,
        _ live: LiveObservers,
        _ queue: SKPaymentQueue
    ) -> Bool {
        // The buffer is reused for each callback, unless an observer has stored it. It is moved out of the property
        // because a callback may start another delivery.
        var page: [SKPaymentTransaction] = []
        swap(&page, &self.page)
        defer { swap(&page, &self.page) }
        repeat {
            core.receiptFile.refreshIfWatched(core)
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

    /// Applies notices without calling observers, until observers are added.
    ///
    /// Returns false if observers were added.
    private func skip(_ batch: inout NoticeBatch, until version: Int, _ driver: QueueDriver) -> Bool {
        repeat {
            while !batch.isDone {
                if observers.version != version { return false }
                skipNext(&batch, driver)
            }
        } while driver.take(&batch)
        return true
    }

    /// Applies one notice without calling observers.
    private func skipNext(_ batch: inout NoticeBatch, _ driver: QueueDriver) {
        if batch.removeNext().applyUndelivered(self) { driver.askAgain() }
    }

    /// Makes one callback, for one or more notices.
    private func deliver(
        _ batch: inout NoticeBatch,
        _ page: inout [SKPaymentTransaction],
        _ driver: QueueDriver,
        _ live: LiveObservers,
        _ queue: SKPaymentQueue
    ) {
        let epoch = batch.epoch
        if batch.nextKind == .other { return callObservers(with: batch.removeNext(), &batch, driver, live, queue) }
        switch batch.removeNext() {
        case .shown(let transaction): Self.gather(.shown, transaction, &batch, &page)
        case .changed(let transaction, let change): Self.gatherChanges(transaction, change, &batch, &page)
        case .again(let transaction): Self.gather(.again, transaction, &batch, &page)
        case .removed(let transaction):
            Self.gather(.removed, transaction, &batch, &page)
            callObservers(with: &page, driver, live, queue, epoch) { $0.paymentQueue($1, removedTransactions: $2) }
            return
        case .restoreEnded, .mayContinue, .storefrontChanged, .priceConsent, .revoked, .promoted, .download, .delivered:
            return
        }
        if page.isEmpty { return }
        callObservers(with: &page, driver, live, queue, epoch) { $0.paymentQueue($1, updatedTransactions: $2) }
    }

    /// Calls all observers with a page of transactions, then empties the page.
    ///
    /// If the page has several transactions, their finishes are sent to the store together, after the last callback.
    private func callObservers(
        with page: inout [SKPaymentTransaction],
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
            CallScope.reportingSeveral { call() }
        }
        page.empty()
    }

    private func callOthers(
        _ driver: QueueDriver,
        _ live: LiveObservers,
        _ queue: SKPaymentQueue,
        _ epoch: Int,
        _ callback: (any SKPaymentTransactionObserver, SKPaymentQueue) -> Void
    ) {
        if live.others.isEmpty { return }
        for other in live.others {
            // An observer that has been removed is no longer called; one that has been added is called from the next
            // notice on.
            let isThere = observers.version == live.version || observers.load()?.contains(other) ?? false
            if isThere, driver.currentEpoch == epoch { callback(other, queue) }
        }
    }
}

// MARK: - Notices other than transactions

extension ObserverNotifier {
    private func callObservers(
        with notice: Notice,
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
        case .priceConsent: askForPriceConsent(queue, driver)
        case .storefrontChanged:
            call { $0.paymentQueueDidChangeStorefront($1) }
            if driver.currentEpoch == epoch {
                NotificationCenter.default.post(name: .SKStorefrontCountryCodeDidChange, object: queue)
            }
        case .revoked(let identifiers):
            let (face, isObserved) = (face, live.all.contains { !($0 is any QueueFace) })
            let notice = revocations.withLock {
                $0.reported(identifiers, isObserved: isObserved, hasFace: face != nil)
            }
            call { observer, queue in
                if let face, observer === face {
                    face.entitlementsRevoked(identifiers, notice: notice)
                } else {
                    observer.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: identifiers)
                }
            }
        case .promoted(let payment, let product):
            revocations.withLock { $0.reportedPromotion() }
            let (payment, product) = (SKPayment(payment), SKProduct(product))
            let face = face
            var mustAdd = false
            call { observer, queue in
                guard observer !== face else { return }
                if observer.paymentQueue(queue, shouldAddStorePayment: payment, for: product) { mustAdd = true }
            }
            if mustAdd {
                add(payment, to: queue, driver)
            } else if let face, driver.currentEpoch == epoch {
                // Called last: the `QueueFace` stores the purchase for the app if no observer has added it.
                _ = face.paymentQueue(queue, shouldAddStorePayment: payment, for: product)
            }
        case .delivered(let cursor):
            if revocations.withLock({ $0.reported(through: cursor, by: driver) }) {
                driver.acknowledge(through: cursor)
            }
        case .shown, .changed, .again, .removed: break
        }
    }

    /// Adds a payment that the user began in the store.
    ///
    /// An invalid payment is logged, since it is the store's mistake. An invalid payment of the app's own would trap.
    private func add(_ payment: SKPayment, to queue: SKPaymentQueue, _ driver: QueueDriver) {
        do { try queue.addThrowing(payment) } catch {
            driver.log("the store promotes a payment that cannot be added: \(error)")
        }
    }
}

// MARK: - Runs of the same kind

extension ObserverNotifier {
    /// Collects the transactions of consecutive notices of one kind.
    ///
    /// `first` is the transaction of the first notice, which was already removed from the batch. Transactions that are
    /// finished by now are left out, unless the notices report removals.
    private static func gather(
        _ kind: Notice.Kind,
        _ first: AnyObject,
        _ batch: inout NoticeBatch,
        _ page: inout [SKPaymentTransaction]
    ) {
        let first = own(first)
        if kind == .removed || !first.isFinished { page.append(first) }
        while page.count < batchSize, batch.nextKind == kind {
            switch batch.removeNext() {
            case .shown(let next), .again(let next), .removed(let next):
                let next = own(next)
                if kind == .removed || !next.isFinished { page.append(next) }
            case .changed, .restoreEnded, .mayContinue, .storefrontChanged, .priceConsent, .revoked, .promoted,
                .download, .delivered:
                return
            }
        }
    }

    /// Collects consecutive changes, and applies each to its transaction.
    ///
    /// If a deferred transaction changes again, the second change begins a new callback.
    private static func gatherChanges(
        _ first: AnyObject,
        _ change: StoreTransaction,
        _ batch: inout NoticeBatch,
        _ page: inout [SKPaymentTransaction]
    ) {
        let first = own(first)
        first.apply(change)
        page.append(first)
        while page.count < batchSize, batch.nextKind == .changed {
            guard case .changed(let object, let change) = batch.removeNext() else { return }
            let transaction = own(object)
            if transaction.isDeferred { return batch.putBack(.changed(object, change)) }
            transaction.apply(change)
            page.append(transaction)
        }
    }

    /// Collects consecutive reports of downloads, and applies each to its download.
    ///
    /// If a download changes again, the second change begins a new callback.
    private static func gatherDownloads(
        _ first: AnyObject,
        _ report: DownloadReport,
        _ batch: inout NoticeBatch
    ) -> [SKDownload] {
        let first = SKDownload.own(first)
        first.apply(report)
        var downloads = [first]
        while downloads.count < batchSize, batch.nextKind == .other {
            let notice = batch.removeNext()
            guard case .download(let object, let report) = notice, !downloads.contains(where: { $0 === object }) else {
                batch.putBack(notice)
                break
            }
            let download = SKDownload.own(object)
            download.apply(report)
            downloads.append(download)
        }
        return downloads
    }
}
