import StoreCore

/// Something on its way through an interposer.
struct InFlightMessage: Sendable {
    /// What it waits for.
    enum Wait: Sendable {
        /// Its turn behind others on its connection.
        case turn
        case time
        /// The next one, to change places with it.
        case next
        case release
    }

    enum Kind: Sendable {
        case original
        /// Has no place in the order: it comes once more, or was held and let go.
        case copy
        /// What tells of a loss.
        case timeout
    }

    /// How it arrives.
    enum Arrival: Sendable {
        case run(@Sendable () -> Void)
        /// At a receiver.
        case post(Relay.Item)
    }

    /// Grows in the order in which things came.
    let id: Int
    let crossing: FaultInjector.Crossing
    /// The connection that it belongs to.
    let relay: Relay?
    /// The call that it belongs to.
    let call: Call?
    let arrival: Arrival
    var kind = Kind.original
    var wait = Wait.turn

    /// Whether it keeps its place among the updates of this connection.
    func isInOrder(on other: Relay) -> Bool {
        if case .post = arrival, kind == .original { relay === other } else { false }
    }

    /// The same once more, under a name of its own.
    func repeated(as kind: Kind, id: Int) -> InFlightMessage {
        InFlightMessage(id: id, crossing: crossing, relay: relay, call: call, arrival: arrival, kind: kind)
    }

    /// What has to happen before it goes on, nil where that is for others to say.
    var waitingFor: String? {
        switch (kind, wait) {
        case (_, .turn): nil
        case (.timeout, _): "the time at which the loss of \(crossing) shows"
        case (_, .time): "the time of \(crossing), which is delayed"
        case (_, .next): "what is to change places with \(crossing)"
        case (_, .release): "the release of \(crossing), which is held"
        }
    }
}

/// What an interposer does once its lock is free.
enum Step: Sendable {
    case run(@Sendable () -> Void)
    case drain(Relay)
    case fail(Call, StoreFailure)
    /// The same, but the store has its turn first, its answer unheard.
    case failAfter(Call, StoreFailure, @Sendable () -> Void)
    case detach(Relay)
    case wake(Int, after: Double)
    case cancel(TimerToken)
}
