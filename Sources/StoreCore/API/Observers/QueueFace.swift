/// Another interface to a payment queue, such as Store Kit 2: an observer that the app neither adds nor sees.
///
/// The queue retains it as long as the queue notifies observers.
package protocol QueueFace: SKPaymentTransactionObserver, Sendable {
    /// Reports that the queue has permanently stopped, because it was relaunched or deallocated.
    func queueEnded()

    /// Reports that the queue's context has a new store, from which nothing has been reported yet.
    func storeChanged(from former: FormerStore)

    /// Reports that the user has lost access to products.
    ///
    /// - Parameters:
    ///   - productIdentifiers: the products.
    ///   - notice: the number of the notice, which grows with each one, to be passed to
    ///     ``SKPaymentQueue/acknowledgeRevocations(through:)``.
    func entitlementsRevoked(_ productIdentifiers: [String], notice: Int)

    /// Reports that the queue may have removed transactions without reporting their removal.
    func removalsMissed()

    /// Decides whether a purchase that was ordered through this interface continues in another storefront.
    ///
    /// Nil leaves the decision to the queue's delegate.
    func shouldContinue(_ transaction: SKPaymentTransaction, in storefront: StoreStorefront) -> Bool?
}

/// The previous store of a queue's context.
package struct FormerStore: Sendable {
    let driver: QueueDriver

    /// Finishes a transaction in the former store.
    package func finish(identifier: String) -> QueuedFinish {
        QueuedFinish(driver: driver, number: driver.finish(identifier: identifier) ?? driver.finishUnseen(identifier))
    }
}

/// A finish that a queue has accepted, and is sending to its store.
package struct QueuedFinish: Sendable {
    let driver: QueueDriver
    let number: Int

    /// Whether the store or the journal has the finish, so that the transaction never returns.
    package var isRecorded: Bool { driver.isFinishRecorded(number) }

    /// Calls a closure, with no lock held, once the store or the journal has the finish, perhaps before this returns.
    ///
    /// The closure receives false if the queue has ended before its store or its journal could be reached.
    package func whenRecorded(_ body: @escaping @Sendable (_ isRecorded: Bool) -> Void) {
        driver.whenFinishIsRecorded(number, body)
    }
}

extension SKPaymentQueue {
    /// Returns the queue's `QueueFace`, created on first use.
    package func face<Face: QueueFace>(_ make: () -> Face) -> Face { notifier.face(make) }

    /// Adds a payment on behalf of a `QueueFace`.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - note: receives the transaction's number before an observer can see the transaction; called with a lock held.
    ///     It is not called, and nothing is ordered, if the queue is being relaunched or given another store.
    package func order(_ payment: StorePayment, _ note: (Int) -> Void) {
        notifier.driver.add(payment) { machine in
            if machine.isRetired { return false }
            note(machine.lastNumber + 1)
            return true
        }
    }

    /// Returns whether the queue still has the transaction whose number ``order(_:_:)`` has passed to its closure.
    package func hasTransaction(_ number: Int) -> Bool { notifier.driver.isOpen(number) }

    /// Finishes a transaction by its identifier, even if no observer of the app was notified of the transaction.
    ///
    /// Returns nil if the queue has another store than this one. Also returns nil if the queue has no purchased, failed
    /// or restored transaction with this identifier, and no unacknowledged command to finish one.
    package func finish(identifier: String, in store: ObjectIdentifier) -> QueuedFinish? {
        let driver = notifier.driver
        guard ObjectIdentifier(driver.backend) == store else { return nil }
        return driver.finish(identifier: identifier).map { QueuedFinish(driver: driver, number: $0) }
    }

    /// Finishes a transaction that the queue does not have, such as that of a user who has signed out.
    ///
    /// Returns nil if the queue has another store than this one.
    package func finishUnseen(_ identifier: String, in store: ObjectIdentifier) -> QueuedFinish? {
        let driver = notifier.driver
        guard ObjectIdentifier(driver.backend) == store else { return nil }
        return QueuedFinish(driver: driver, number: driver.finishUnseen(identifier))
    }

    /// Acknowledges to the store the revocations that the `QueueFace` has passed on to the app.
    ///
    /// - Parameter notice: the number of the last notice that the `QueueFace` has received.
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

    /// Returns the error that a test injects into a call of Store Kit 2; nil if there is none.
    package func simulatedError(of call: String) -> (any Error)? {
        notifier.core.simulatedErrors.withLock { $0.isEmpty ? nil : $0[call] }
    }

    /// The context to which the queue belongs.
    package var storeContext: StoreContext { notifier.context }
}

extension SKPaymentTransaction {
    /// The queue's number for the transaction, which ``SKPaymentQueue/order(_:_:)`` passes for its orders.
    package var orderNumber: Int { number }
    /// The identity of the store from which the transaction comes; nil for a transaction created by a test.
    package var storeID: ObjectIdentifier? { driver.map { ObjectIdentifier($0.backend) } }
    /// The finish of the transaction; nil if the transaction is not finished or belongs to no queue.
    package var queuedFinish: QueuedFinish? {
        isFinished ? driver.map { QueuedFinish(driver: $0, number: removalNumber) } : nil
    }
    /// The store's identifier of this transaction.
    ///
    /// If ``isHeld`` is true, the app sees the identifier of the existing transaction instead.
    package var storeIdentifier: String? { knownIdentifier }
    /// Whether nothing was sold, because the account already had a transaction that satisfied the payment.
    package var isHeld: Bool { heldIdentifier != nil }
    /// Whether the transaction was ordered through Store Kit 2.
    package var isOrderedByStoreKit2: Bool { ordered.isStoreKit2 }
    /// The reason for the failure, as reported by the store.
    package var failure: StoreFailure? { storeFailure ?? error.map { StoreFailure($0) } }
}

extension SKPayment {
    /// The payment in the form in which it is sent to a store.
    package var storePayment: StorePayment { value }
}
