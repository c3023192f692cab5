/// Another interface to a payment queue: an observer that the app has not added and does not see.
///
/// The queue retains it as long as it reports to any observer.
package protocol QueueFace: SKPaymentTransactionObserver, Sendable {
    /// Announces that the queue has stopped permanently: it was relaunched or deallocated.
    func queueEnded()

    /// Announces that the queue's context has another store, of which nothing has been reported yet.
    func storeChanged(from former: FormerStore)

    /// Announces that access to products has ended, with the number that ``SKPaymentQueue/acknowledgeRevocations(through:)``
    /// takes; later notices have greater ones.
    func entitlementsRevoked(_ productIdentifiers: [String], notice: Int)

    /// Announces that the queue may have removed transactions without a notification.
    func removalsMissed()

    /// Decides whether a purchase that was ordered through the face continues in another storefront; nil leaves the
    /// decision to the queue's delegate.
    func shouldContinue(_ transaction: SKPaymentTransaction, in storefront: StoreStorefront) -> Bool?
}

/// The previous store of a queue's context.
package struct FormerStore: Sendable {
    let driver: QueueDriver

    /// Finishes a transaction there.
    package func finish(identifier: String) -> QueuedFinish {
        QueuedFinish(driver: driver, number: driver.finish(identifier: identifier) ?? driver.finishUnseen(identifier))
    }
}

/// A finish that a queue has accepted and forwards to its store.
package struct QueuedFinish: Sendable {
    let driver: QueueDriver
    let number: Int

    /// Whether the finish is recorded in the store or the journal, so that the transaction does not return.
    package var isRecorded: Bool { driver.isFinishRecorded(number) }

    /// Calls a closure once the finish is recorded, perhaps before this call returns, with no lock held.
    ///
    /// The closure is passed false if there will be no further attempt to record it: the queue has ended, and neither its store
    /// nor its journal could be reached.
    package func whenRecorded(_ body: @escaping @Sendable (_ isRecorded: Bool) -> Void) {
        driver.whenFinishIsRecorded(number, body)
    }
}

extension SKPaymentQueue {
    /// Returns the queue's face, created on first use.
    package func face<Face: QueueFace>(_ make: () -> Face) -> Face { notifier.face(make) }

    /// Adds a payment on behalf of a face.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - note: receives the number of the transaction before any observer can see it. Called with a lock held; not called
    ///     if the queue is given another store or relaunched at that moment, in which case nothing is ordered.
    package func order(_ payment: StorePayment, _ note: (Int) -> Void) {
        notifier.driver.add(payment) { machine in
            if machine.isRetired { return false }
            note(machine.lastNumber + 1)
            return true
        }
    }

    /// Whether the queue has the transaction with a number that ``order(_:_:)`` passed to its closure.
    package func hasTransaction(_ number: Int) -> Bool { notifier.driver.isOpen(number) }

    /// Finishes a transaction by its identifier, even if the app does not have it from an observer's callback.
    ///
    /// Returns nil if the queue has another store, or has neither a decided transaction with that identifier nor a finish of
    /// it that the store has not acknowledged.
    package func finish(identifier: String, in store: ObjectIdentifier) -> QueuedFinish? {
        let driver = notifier.driver
        guard ObjectIdentifier(driver.backend) == store else { return nil }
        return driver.finish(identifier: identifier).map { QueuedFinish(driver: driver, number: $0) }
    }

    /// Finishes a transaction that the queue does not have, such as one of a user who has signed out.
    ///
    /// Returns nil if the queue has another store.
    package func finishUnseen(_ identifier: String, in store: ObjectIdentifier) -> QueuedFinish? {
        let driver = notifier.driver
        guard ObjectIdentifier(driver.backend) == store else { return nil }
        return QueuedFinish(driver: driver, number: driver.finishUnseen(identifier))
    }

    /// Acknowledges to the store the revocations that the face has passed on to the app, so that they are not sent again.
    ///
    /// - Parameter notice: the number of the last notice that the face received.
    package func acknowledgeRevocations(through notice: Int) {
        let driver = notifier.driver
        let place = notifier.revocations.withLock { $0.passedOn(through: notice, by: driver) }
        guard let cursor = place else { return }
        driver.acknowledge(through: cursor)
    }

    /// The store, its clock, and the log of the queue's context.
    package var storeSetup: (backend: (any StoreBackend)?, clock: any StoreClock, log: StoreLog) {
        let setup = notifier.core.setupOrWarning
        return (setup.backend, setup.clock, setup.log)
    }

    /// Returns the error that a test injects into a Store Kit 2 call; nil for none.
    package func simulatedError(of call: String) -> (any Error)? {
        notifier.core.simulatedErrors.withLock { $0.isEmpty ? nil : $0[call] }
    }

    /// The context that the queue belongs to.
    package var storeContext: StoreContext { notifier.context }
}

extension SKPaymentTransaction {
    /// The queue's number for the transaction, which ``SKPaymentQueue/order(_:_:)`` reports for the app's own orders.
    package var orderNumber: Int { number }
    /// The identity of the store that the transaction is from; nil for one created by a test.
    package var storeID: ObjectIdentifier? { driver.map { ObjectIdentifier($0.backend) } }
    /// The finish of the transaction; nil if it is not finished, or belongs to no queue.
    package var queuedFinish: QueuedFinish? {
        isFinished ? driver.map { QueuedFinish(driver: $0, number: removalNumber) } : nil
    }
    /// The store's identifier for it, hidden from the app if a transaction that the account held satisfied the payment.
    package var storeIdentifier: String? { knownIdentifier }
    /// Whether a transaction that the account already held satisfied the payment, so that nothing was sold.
    package var isHeld: Bool { heldIdentifier != nil }
    /// Whether the transaction was ordered through Store Kit 2.
    package var isOrderedByStoreKit2: Bool { ordered.isStoreKit2 }
    /// The reason for the failure, as the store reported it.
    package var failure: StoreFailure? { storeFailure ?? error.map { StoreFailure($0) } }
}

extension SKPayment {
    /// The payment as it is sent to a store.
    package var storePayment: StorePayment { value }
}
