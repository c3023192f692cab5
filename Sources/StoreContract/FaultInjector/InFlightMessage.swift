import StoreCore

/// A message in flight through a fault injector.
struct InFlightMessage: Sendable {
    /// The event that it waits for.
    enum Wait: Sendable {
        /// Its turn behind others on its connection.
        case turn
        case time
        /// The next message, to change places with it.
        case next
        case release
    }

    enum Kind: Sendable {
        case original
        /// A message without a place in the order: it arrives once more, or was held and released.
        case copy
        /// The report of a loss.
        case timeout
    }

    /// The way in which it arrives.
    enum Arrival: Sendable {
        case run(@Sendable () -> Void)
        /// Delivery to a receiver.
        case post(Relay.Item)
    }

    /// Its identifier, which grows in order of arrival.
    let id: Int
    let event: FaultInjector.Event
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

    /// Returns a copy of the message under its own identifier.
    func repeated(as kind: Kind, id: Int) -> InFlightMessage {
        InFlightMessage(id: id, event: event, relay: relay, call: call, arrival: arrival, kind: kind)
    }

    /// The event that has to happen before it goes on; nil where others report that.
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
