/// Another interface to a payment queue: an observer that the app has not added and does not see.
///
/// The queue keeps it, for as long as it reports to anybody.
package protocol QueueFace: SKPaymentTransactionObserver, Sendable {
    /// Announces that the queue has fallen silent for good: it was relaunched or deallocated.
    func queueEnded()

    /// Announces that the queue's context has another store, of which the queue has told nothing yet.
    func storeChanged(from former: FormerStore)

    /// Announces that access to products has ended, with the number that ``SKPaymentQueue/acknowledgeRevocations(through:)``
    /// takes; later notices have greater ones.
    func entitlementsRevoked(_ productIdentifiers: [String], notice: Int)

    /// Announces that the queue may have removed transactions without telling.
    func removalsMissed()

    /// Decides whether a purchase that was ordered through the face continues in another storefront; nil leaves the
    /// decision to the queue's delegate.
    func shouldContinue(_ transaction: SKPaymentTransaction, in storefront: StoreStorefront) -> Bool?
}

/// A store that a queue's context had before.
package struct FormerStore: Sendable {
    let driver: QueueDriver

    /// Finishes a transaction there.
    package func finish(identifier: String) -> QueuedFinish {
        QueuedFinish(driver: driver, number: driver.finish(identifier: identifier) ?? driver.finishUnseen(identifier))
    }
}

/// A finish that a queue has taken and passes on to its store.
package struct QueuedFinish: Sendable {
    let driver: QueueDriver
    let number: Int

    /// Whether the store or the journal has it: the transaction does not come again.
    package var isRecorded: Bool { driver.isFinishRecorded(number) }

    /// Calls a closure once it is recorded, perhaps before this call returns, with no lock held.
    ///
    /// The closure is passed false if nobody tries to record it any more: the queue is over, and neither its store nor its
    /// journal could be reached.
    package func whenRecorded(_ body: @escaping @Sendable (_ isRecorded: Bool) -> Void) {
        driver.whenFinishIsRecorded(number, body)
    }
}

extension SKPaymentQueue {
    /// Returns the queue's face, made when it is first asked for.
    package func face<Face: QueueFace>(_ make: () -> Face) -> Face { notifier.face(make) }

    /// Adds a payment for a face.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - note: receives the number of its transaction before anybody can hear of it; called with a lock held, and not
    ///     if the queue has been given another store, or was relaunched, in this moment: then nothing is ordered.
    package func order(_ payment: StorePayment, _ note: (Int) -> Void) {
        notifier.driver.add(payment) { machine in
            if machine.isRetired { return false }
            note(machine.lastNumber + 1)
            return true
        }
    }

    /// Whether the queue has a transaction of a number, which ``order(_:_:)`` has noted.
    package func hasTransaction(_ number: Int) -> Bool { notifier.driver.isOpen(number) }

    /// Finishes a transaction that the app knows by its identifier, and perhaps not from an observer's callback.
    ///
    /// Returns nil if the queue has no decided transaction of that identifier, nor a finish of it that the store has not
    /// acknowledged; also if it has another store.
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

    /// Has the store send no more what the face was told of revocations: it has passed everything on to the app.
    ///
    /// - Parameter notice: the number of the last notice that the face was told of.
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

    /// Returns the error that a test has a call of Store Kit 2 fail with; nil for none.
    package func simulatedError(of call: String) -> (any Error)? {
        notifier.core.simulatedErrors.withLock { $0.isEmpty ? nil : $0[call] }
    }

    /// The context that the queue lives in.
    package var storeContext: StoreContext { notifier.context }
}

extension SKPaymentTransaction {
    /// The queue's number for it, which ``SKPaymentQueue/order(_:_:)`` has noted for the app's own orders.
    package var orderNumber: Int { number }
    /// The identity of the store that it is from; nil for one made by a test.
    package var storeID: ObjectIdentifier? { driver.map { ObjectIdentifier($0.backend) } }
    /// Its finish; nil if it is not finished, or belongs to no queue.
    package var queuedFinish: QueuedFinish? {
        isFinished ? driver.map { QueuedFinish(driver: $0, number: removalNumber) } : nil
    }
    /// The store's identifier for it, which an app is not shown where the account held another one that answered it.
    package var storeIdentifier: String? { knownIdentifier }
    /// Whether the account held a transaction that answered the payment, so that nothing was sold.
    package var isHeld: Bool { heldIdentifier != nil }
    /// Whether Store Kit 2 has ordered it.
    package var isOrderedByStoreKit2: Bool { ordered.isStoreKit2 }
    /// The reason for its failure, as the store gave it.
    package var failure: StoreFailure? { storeFailure ?? error.map { StoreFailure($0) } }
}

extension SKPayment {
    /// The payment as it goes to a store.
    package var storePayment: StorePayment { value }
}
