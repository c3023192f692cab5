/// Another interface to a payment queue: an observer that the app has not added and does not see.
///
/// The queue keeps it, for as long as it reports to anybody.
package protocol QueueFace: SKPaymentTransactionObserver, Sendable {
    /// Announces that the queue has fallen silent for good: it was relaunched or deallocated.
    func queueEnded()

    /// Announces that the queue's context has another store, of which the queue has told nothing yet.
    func storeChanged()

    /// Announces that access to products has ended, with the number that ``SKPaymentQueue/acknowledgeRevocations(through:)``
    /// takes; later notices have greater ones.
    func entitlementsRevoked(_ productIdentifiers: [String], notice: Int)

    /// Announces that the queue may have removed transactions without telling.
    func removalsMissed()

    /// Decides whether a purchase that was ordered through the face continues in another storefront; nil leaves the
    /// decision to the queue's delegate.
    func shouldContinue(_ transaction: SKPaymentTransaction, in storefront: StoreStorefront) -> Bool?
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
    /// Returns false if the queue has no decided transaction of that identifier, nor a finish of it that the store has not
    /// acknowledged; also if it has another store.
    package func finish(identifier: String, in store: any StoreBackend) -> Bool {
        let driver = notifier.driver
        guard driver.backend === store else { return false }
        guard let number = driver.number(of: identifier) else { return driver.isFinishing(identifier) }
        return driver.finish(number) == .finished
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
    /// The reason for its failure, as the store gave it.
    package var failure: StoreFailure? { error.map { StoreFailure($0) } }
}

extension SKPayment {
    /// The payment as it goes to a store.
    package var storePayment: StorePayment { value }
}

extension QueueDriver {
    /// Whether the store has not acknowledged the finish of a transaction yet.
    func isFinishing(_ identifier: String) -> Bool {
        state.withLock { state in
            let outbound = state.machine.outbound
            return (0..<outbound.count).contains {
                outbound[$0].command.action == .finish(transaction: identifier)
            }
        }
    }

    /// Returns the number of an unfinished transaction; nil if the driver has none of that identifier.
    func number(of identifier: String) -> Int? {
        state.withLock { state in
            var number: Int?
            state.machine.rows.forEach { if $1.identifier == identifier, number == nil { number = $0 } }
            return number
        }
    }
}
