import Foundation
import StoreCore

/// The state of a fault injector, which turns each message into a list of actions.
struct FaultInjectorState: Sendable {
    private struct Link: Sendable {
        let relay: Relay
        /// Whether the connection is open as far as the queue knows.
        var isOpen = true
    }

    let label: String?
    let timeout: TimeInterval
    var rules: FaultRules
    private(set) var log: [String] = []
    /// The messages in flight that have to wait, in order of arrival.
    private(set) var waiting: [InFlightMessage] = []
    private var timers: [Int: TimerToken] = [:]
    private var calls: [Int: Call] = [:]
    private var links: [ObjectIdentifier: Link] = [:]
    private var counts = [Int](repeating: 0, count: FaultInjector.Point.allCases.count)
    /// The number of messages with a fault, by point.
    private(set) var faultCounts: [FaultInjector.Point: Int] = [:]
    private var lastNumber = 0
    /// A counter that changes with every message, release and read.
    private(set) var work = 0

    init(label: String?, timeout: TimeInterval, seed: UInt64) {
        self.label = label
        self.timeout = timeout
        rules = FaultRules(seed: seed)
    }

    /// Whether there are no rules and no waiting messages.
    var isIdle: Bool { rules.isEmpty && waiting.isEmpty }

    mutating func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func note(_ line: String) {
        if log.count == Self.mostLines { log.removeFirst(Self.mostLines / 10) }
        log.append(label.map { "\($0): \(line)" } ?? line)
    }

    /// The maximum number of lines in the log, for an injector that lives as long as a server.
    private static let mostLines = 10_000

    static let lost = StoreFailure.network(.networkConnectionLost, "the injector has broken the connection")
    private static let timedOut = StoreFailure.network(.timedOut, "the injector has let something get lost")
}

// MARK: - Calls and connections

extension FaultInjectorState {
    mutating func begin(_ call: Call) { calls[call.id] = call }

    /// Ends a call whose caller has received its result, and cancels the call's timeout.
    mutating func end(_ call: Call, _ actions: inout [InjectorAction]) {
        calls[call.id] = nil
        forget(&actions) { $0.call === call && $0.kind == .timeout }
    }

    /// Opens the relay of a receiver, and discards the messages of the receiver's earlier connection.
    mutating func open(
        _ key: ObjectIdentifier,
        _ actions: inout [InjectorAction],
        make: (_ number: Int) -> Relay
    ) -> Relay {
        let relay = links[key]?.relay ?? make(takeNumber())
        links[key] = Link(relay: relay)
        relay.clear()
        forget(&actions) { $0.relay === relay }
        return relay
    }

    mutating func close(_ key: ObjectIdentifier, _ actions: inout [InjectorAction]) {
        guard let relay = links.removeValue(forKey: key)?.relay else { return }
        relay.clear()
        forget(&actions) { $0.relay === relay }
        actions.append(.detach(relay))
    }

    func isOpen(_ relay: Relay) -> Bool {
        guard let link = links[relay.key] else { return false }
        return link.isOpen && link.relay === relay
    }

    private mutating func breakOff(_ relay: Relay, _ failure: StoreFailure, _ actions: inout [InjectorAction]) {
        guard isOpen(relay) else { return }
        actions.append(.detach(relay))
        tell(.lost(failure), relay, &actions)
    }
}

// MARK: - Messages

extension FaultInjectorState {
    /// Counts a message and lets it arrive immediately, if there are no rules and nothing waits.
    ///
    /// Returns false, without any change, if the message has to go through ``cross(_:relay:call:_:_:)``.
    mutating func passAtOnce(_ point: FaultInjector.Point, _ relay: Relay?, _ arrival: InFlightMessage.Arrival) -> Bool
    {
        guard isIdle else { return false }
        if case .post(let item) = arrival {
            guard let relay, isOpen(relay), case .batch = item else { return false }
            relay.post(item)
        } else if let relay, !isOpen(relay) {
            return false
        }
        work &+= 1
        counts[point.place] += 1
        return true
    }

    mutating func cross(
        _ payload: FaultInjector.Event.Payload,
        relay: Relay?,
        call: Call?,
        _ arrival: InFlightMessage.Arrival,
        _ actions: inout [InjectorAction]
    ) {
        if let relay, !isOpen(relay) { return }
        let (event, fault) = meet(payload)
        let message = InFlightMessage(id: takeNumber(), event: event, relay: relay, call: call, arrival: arrival)
        apply(fault, to: message, &actions)
    }

    /// Passes a read whose caller cannot wait; returns false if the read does not arrive.
    mutating func read(_ payload: FaultInjector.Event.Payload, _ actions: inout [InjectorAction]) -> Bool {
        switch meet(payload).fault {
        case .pass, .delay, .duplicate, .echo, .reorder, .hold: return true
        case .drop, .loseAnswer, .fail: return false
        case .cut:
            cut(&actions)
            return false
        }
    }

    /// Applies the rules to an arriving message.
    private mutating func meet(
        _ payload: FaultInjector.Event.Payload
    ) -> (event: FaultInjector.Event, fault: FaultInjector.Fault) {
        work &+= 1
        let place = payload.point.place
        counts[place] += 1
        let number = counts[place]
        let event = FaultInjector.Event(payload: payload, number: number)
        let fault = rules.fault(for: event, label: label)
        if fault != .pass {
            faultCounts[payload.point, default: 0] += 1
            note("\(event): \(fault)")
        }
        return (event, fault)
    }

    private mutating func apply(
        _ fault: FaultInjector.Fault,
        to message: InFlightMessage,
        _ actions: inout [InjectorAction]
    ) {
        switch fault {
        case .pass: forward(message, &actions)
        case .drop: startTimeout(message, &actions)
        case .delay(let seconds):
            wait(message, for: .time, seconds, &actions)
            if message.call != nil, seconds > timeout { startTimeout(message, &actions) }
        case .duplicate:
            forward(message, &actions)
            forward(message, &actions)
        case .echo(let seconds):
            forward(message, &actions)
            if let relay = message.relay, !isOpen(relay) { return }
            wait(message.repeated(as: .copy, id: takeNumber()), for: .time, seconds, &actions)
        case .reorder:
            if isAwaited(message) { forward(message, &actions) } else { wait(message, for: .next, timeout, &actions) }
        case .cut: cut(&actions)
        case .loseAnswer: loseAnswer(message, &actions)
        case .hold: keep(message, .release)
        case .fail(let failure): fail(message, failure, &actions)
        }
    }

    private mutating func loseAnswer(_ message: InFlightMessage, _ actions: inout [InjectorAction]) {
        switch (message.arrival, message.call) {
        case (.run(let body), let call?) where !message.event.point.isAnswer:
            actions.append(.failAfter(call, Self.lost, body))
        case (.run(let body), nil):
            actions.append(.run(body))
            fail(message, Self.lost, &actions)
        default: fail(message, Self.lost, &actions)
        }
    }

    /// Reports a failure to the caller or the receiver of a message.
    private mutating func fail(_ message: InFlightMessage, _ failure: StoreFailure, _ actions: inout [InjectorAction]) {
        if let call = message.call { actions.append(.fail(call, failure)) }
        if let relay = message.relay { breakOff(relay, failure, &actions) }
    }

    /// Delivers a message, after those that wait before it on its connection.
    private mutating func forward(_ message: InFlightMessage, _ actions: inout [InjectorAction]) {
        switch message.arrival {
        case .run(let body):
            actions.append(.run(body))
            let point = message.event.point
            guard let index = waiting.firstIndex(where: { $0.wait == .next && $0.event.point == point }) else { return }
            let overtaken = waiting.remove(at: index)
            cancelTimer(overtaken.id, &actions)
            if case .run(let body) = overtaken.arrival { actions.append(.run(body)) }
        case .post(let item):
            guard let relay = message.relay else { return }
            if message.isInOrder(on: relay), waiting.contains(where: { $0.isInOrder(on: relay) }) {
                keep(message, .turn)
                pump(relay, &actions)
            } else {
                tell(item, relay, &actions)
            }
        }
    }

    /// Forwards those messages of a connection that no longer have to wait.
    private mutating func pump(_ relay: Relay, _ actions: inout [InjectorAction]) {
        while let first = waiting.firstIndex(where: { $0.isInOrder(on: relay) }) {
            var index = first
            switch waiting[first].wait {
            case .turn: break
            case .next:
                let second = waiting[(first + 1)...].firstIndex { $0.isInOrder(on: relay) }
                guard let second, waiting[second].wait == .turn else { return }
                cancelTimer(waiting[first].id, &actions)
                waiting[first].wait = .turn
                index = second
            case .time, .release: return
            }
            if case .post(let item) = waiting.remove(at: index).arrival { tell(item, relay, &actions) }
        }
    }

    private mutating func tell(_ item: Relay.Item, _ relay: Relay, _ actions: inout [InjectorAction]) {
        guard isOpen(relay) else { return }
        if case .lost = item {
            links[relay.key]?.isOpen = false
            forget(&actions) { $0.relay === relay }
        }
        relay.post(item)
        actions.append(.drain(relay))
    }

    mutating func cut(_ actions: inout [InjectorAction]) {
        work &+= 1
        forget(&actions) { _ in true }
        for link in links.values.sorted(by: { $0.relay.number < $1.relay.number }) {
            breakOff(link.relay, Self.lost, &actions)
        }
        for call in calls.values.sorted(by: { $0.id < $1.id }) { actions.append(.fail(call, Self.lost)) }
    }

    mutating func cutByHand(_ actions: inout [InjectorAction]) {
        note("everything cut by hand")
        cut(&actions)
    }
}

// MARK: - Waiting

extension FaultInjectorState {
    private mutating func keep(_ message: InFlightMessage, _ wait: InFlightMessage.Wait) {
        var message = message
        message.wait = wait
        let index = waiting.lastIndex { $0.id <= message.id }.map { $0 + 1 } ?? 0
        waiting.insert(message, at: index)
    }

    private mutating func wait(
        _ message: InFlightMessage,
        for wait: InFlightMessage.Wait,
        _ seconds: TimeInterval,
        _ actions: inout [InjectorAction]
    ) {
        keep(message, wait)
        actions.append(.wake(message.id, after: seconds))
    }

    /// Starts the timeout after which a loss is reported.
    ///
    /// The loss of an acknowledgement is not reported.
    private mutating func startTimeout(_ message: InFlightMessage, _ actions: inout [InjectorAction]) {
        guard message.call != nil || message.relay != nil else { return }
        wait(message.repeated(as: .timeout, id: takeNumber()), for: .time, timeout, &actions)
    }

    /// Returns whether an earlier message waits to be swapped with this one.
    private func isAwaited(_ message: InFlightMessage) -> Bool {
        if let relay = message.relay, message.isInOrder(on: relay) {
            waiting.last { $0.isInOrder(on: relay) }?.wait == .next
        } else {
            waiting.contains { $0.wait == .next && $0.event.point == message.event.point }
        }
    }

    /// Stores a timer; returns false if the timer is no longer needed.
    mutating func keep(_ timer: TimerToken, for id: Int) -> Bool {
        guard waiting.contains(where: { $0.id == id }) else { return false }
        timers[id] = timer
        return true
    }

    mutating func timeCame(for id: Int, _ actions: inout [InjectorAction]) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        work &+= 1
        timers[id] = nil
        let message = waiting[index]
        if message.kind == .timeout {
            waiting.remove(at: index)
            fail(message, Self.timedOut, &actions)
        } else if let relay = message.relay, message.isInOrder(on: relay) {
            waiting[index].wait = .turn
            pump(relay, &actions)
        } else {
            waiting.remove(at: index)
            forward(message, &actions)
        }
    }

    /// Releases a held message; returns false if there is none.
    mutating func release(_ id: Int, as fault: FaultInjector.Fault, _ actions: inout [InjectorAction]) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id && $0.wait == .release }) else { return false }
        work &+= 1
        var message = waiting.remove(at: index)
        note("\(message.event): released, \(fault)")
        // A copy is exempt from the order, so the message overtakes earlier messages that still wait.
        message.kind = .copy
        apply(fault, to: message, &actions)
        if let relay = message.relay { pump(relay, &actions) }
        return true
    }

    /// Removes and returns all timers, so that the caller can cancel them.
    mutating func takeTimers() -> [TimerToken] {
        defer { timers = [:] }
        return Array(timers.values)
    }

    private mutating func cancelTimer(_ id: Int, _ actions: inout [InjectorAction]) {
        if let timer = timers.removeValue(forKey: id) { actions.append(.cancel(timer)) }
    }

    private mutating func forget(_ actions: inout [InjectorAction], where isOver: (InFlightMessage) -> Bool) {
        for message in waiting where isOver(message) { cancelTimer(message.id, &actions) }
        waiting.removeAll(where: isOver)
    }
}

extension FaultInjector.Point {
    /// The point's index among all points; a look-up by raw value would be slower.
    fileprivate var place: Int {
        switch self {
        case .submission: 0
        case .reply: 1
        case .connection: 2
        case .update: 3
        case .connectionLost: 4
        case .acknowledgement: 5
        case .productsRequest: 6
        case .productsAnswer: 7
        case .receiptRequest: 8
        case .receiptAnswer: 9
        case .downloadRequest: 10
        case .downloadChunk: 11
        case .storefrontRead: 12
        }
    }

    var isAnswer: Bool {
        switch self {
        case .reply, .productsAnswer, .receiptAnswer, .downloadChunk: true
        default: false
        }
    }
}
