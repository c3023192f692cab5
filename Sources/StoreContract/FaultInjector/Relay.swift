import StoreCore

/// Stands before a queue's receiver, in the order of its connection.
final class Relay: StoreUpdateReceiver {
    /// What a receiver is told.
    enum Item: Sendable {
        case batch(UpdateBatch)
        case lost(StoreFailure)
    }

    /// Counts the connections of an interposer.
    let number: Int
    private let receiver: any StoreUpdateReceiver
    private let interposer: FaultInjector
    private let outbox = Locked(Outbox<Item>())

    init(number: Int, receiver: any StoreUpdateReceiver, interposer: FaultInjector) {
        self.number = number
        self.receiver = receiver
        self.interposer = interposer
    }

    /// Under which the interposer knows it.
    var key: ObjectIdentifier { ObjectIdentifier(receiver) }
    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        interposer.cross(.update(batch, to: journal), relay: self, .post(.batch(batch)))
    }

    func connectionLost(_ failure: StoreFailure) {
        interposer.cross(.connectionLost(failure, to: journal), relay: self, .post(.lost(failure)))
    }

    /// Puts something behind all that is to be told.
    func post(_ item: Item) { outbox.withLock { $0.append(item) } }

    /// What has not been told will not be.
    func clear() { outbox.withLock { $0.clear() } }

    /// Tells what was posted, unless another thread is at it, which then tells this too.
    func drain() {
        var items: [Item] = []
        guard outbox.withLock({ $0.schedule() && $0.begin(&items) }) else { return }
        repeat {
            for item in items {
                switch item {
                case .batch(let batch): receiver.receive(batch)
                case .lost(let failure): receiver.connectionLost(failure)
                }
            }
        } while outbox.withLock { $0.take(&items) }
    }
}
