import StoreCore

/// A relay in front of a queue's receiver that keeps the order of its connection.
final class Relay: StoreUpdateReceiver {
    /// A notification to a receiver.
    enum Item: Sendable {
        case batch(UpdateBatch)
        case lost(StoreFailure)
    }

    /// The number of this connection in its injector.
    let number: Int
    private let receiver: any StoreUpdateReceiver
    private let injector: FaultInjector
    private let outbox = Locked(Outbox<Item>())

    init(number: Int, receiver: any StoreUpdateReceiver, injector: FaultInjector) {
        self.number = number
        self.receiver = receiver
        self.injector = injector
    }

    /// The key by which the injector knows it.
    var key: ObjectIdentifier { ObjectIdentifier(receiver) }
    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        injector.cross(.update(batch, to: journal), relay: self, .post(.batch(batch)))
    }

    func connectionLost(_ failure: StoreFailure) {
        injector.cross(.connectionLost(failure, to: journal), relay: self, .post(.lost(failure)))
    }

    /// Appends a notification to those to be delivered.
    func post(_ item: Item) { outbox.withLock { $0.append(item) } }

    /// Drops the notifications that have not been delivered.
    func clear() { outbox.withLock { $0.clear() } }

    /// Delivers the posted notifications, unless another thread is doing so, which then delivers these too.
    func drain() {
        guard outbox.withLock({ $0.schedule() }) else { return }
        outbox.drain(\.self) { item in
            switch item {
            case .batch(let batch): receiver.receive(batch)
            case .lost(let failure): receiver.connectionLost(failure)
            }
        }
    }
}
