import StoreCore

/// A message in flight through a fault injector.
struct InFlightMessage: Sendable {
    /// The event that a message waits for.
    enum Wait: Sendable {
        /// The delivery of earlier messages on its connection.
        case turn
        case time
        /// The next message, to be swapped with this one.
        case next
        case release
    }

    enum Kind: Sendable {
        case original
        /// A message that is exempt from the order: a duplicate, or one that was held and released.
        case copy
        /// The report of a loss.
        case timeout
    }

    /// The way in which a message arrives.
    enum Arrival: Sendable {
        case run(@Sendable () -> Void)
        /// Delivery to a receiver.
        case post(Relay.Item)
    }

    /// The message's identifier; later messages have higher ones.
    let id: Int
    let event: FaultInjector.Event
    /// The connection of the message; nil for none.
    let relay: Relay?
    /// The call of the message; nil for none.
    let call: Call?
    let arrival: Arrival
    var kind = Kind.original
    var wait = Wait.turn

    /// Returns whether the message has to stay in order among the updates of a connection.
    func isInOrder(on other: Relay) -> Bool {
        if case .post = arrival, kind == .original { relay === other } else { false }
    }

    /// Returns a copy of the message with another identifier.
    func repeated(as kind: Kind, id: Int) -> InFlightMessage {
        InFlightMessage(id: id, event: event, relay: relay, call: call, arrival: arrival, kind: kind)
    }

    /// A description of the event that the message waits for; nil while it waits for an earlier message.
    var waitingFor: String? {
        switch (kind, wait) {
        case (_, .turn): nil
        case (.timeout, _): "the time at which the loss of \(event) shows"
        case (_, .time): "the time of \(event), which is delayed"
        case (_, .next): "what is to change places with \(event)"
        case (_, .release): "the release of \(event), which is held"
        }
    }
}

/// A call whose caller waits for a reply.
final class Call: Sendable {
    private enum Status { case open, answered, failed }

    let id: Int
    private let status = Locked(Status.open)
    private let tell: @Sendable (StoreFailure) -> Void

    /// Creates a call; `tell` reports a failure to the caller.
    init(id: Int, tell: @escaping @Sendable (StoreFailure) -> Void) {
        self.id = id
        self.tell = tell
    }

    /// Whether the caller still accepts replies.
    ///
    /// Duplicate replies are accepted, but none after a failure.
    var isListening: Bool { status.withLock { $0 != .failed } }

    /// Returns whether the reply may be delivered.
    func answer() -> Bool {
        status.withLock { status in
            if status == .open { status = .answered }
            return status == .answered
        }
    }

    /// Fails the call, after which no reply is delivered; `body` runs before the caller receives the failure.
    ///
    /// If the call already has a reply or has failed, only `body` runs.
    func fail(_ failure: StoreFailure, after body: () -> Void = {}) {
        let isMine = status.withLock { status in
            guard status == .open else { return false }
            status = .failed
            return true
        }
        body()
        if isMine { tell(failure) }
    }
}

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

    /// The key of this relay in the injector.
    var key: ObjectIdentifier { ObjectIdentifier(receiver) }
    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        injector.cross(.update(batch, to: journal), relay: self, .post(.batch(batch)))
    }

    func connectionLost(_ failure: StoreFailure) {
        injector.cross(.connectionLost(failure, to: journal), relay: self, .post(.lost(failure)))
    }

    /// Appends a notification for delivery.
    func post(_ item: Item) { outbox.withLock { $0.append(item) } }

    /// Drops the notifications that have not been delivered.
    func clear() { outbox.withLock { $0.clear() } }

    /// Delivers the posted notifications, or leaves them to the thread that is already delivering.
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
