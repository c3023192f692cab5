import Foundation
import StoreCore

/// The decisions of a fault injector: messages go in, actions come out, in order.
struct FaultInjectorState: Sendable {
    private struct Link: Sendable {
        let relay: Relay
        /// Whether the queue has not been told that the connection is gone.
        var isOpen = true
    }

    let label: String?
    let timeout: TimeInterval
    var rules: RuleBook
    private(set) var log: [String] = []
    /// The messages in flight that have to wait, in order of arrival.
    private(set) var waiting: [InFlightMessage] = []
    private var timers: [Int: TimerToken] = [:]
    private var calls: [Int: Call] = [:]
    private var links: [ObjectIdentifier: Link] = [:]
    private var counts: [FaultInjector.Point: Int] = [:]
    private var lastNumber = 0
    /// A counter that changes whenever anything happens.
    private(set) var work = 0

    init(label: String?, timeout: TimeInterval, seed: UInt64) {
        self.label = label
        self.timeout = timeout
        rules = RuleBook(seed: seed)
    }

    mutating func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func note(_ line: String) { log.append(label.map { "\($0): \(line)" } ?? line) }

    static let lost = StoreFailure.network(.networkConnectionLost, "the injector has broken the connection")
    private static let timedOut = StoreFailure.network(.timedOut, "the injector has let something get lost")
}

// MARK: - Calls and connections

extension FaultInjectorState {
    mutating func begin(_ call: Call) { calls[call.id] = call }

    /// Ends a call whose caller knows its result and need not be told of a loss any more.
    mutating func end(_ call: Call, _ steps: inout [Step]) {
        calls[call.id] = nil
        forget(&steps) { $0.call === call && $0.kind == .timeout }
    }

    /// Opens a receiver's relay, as if nothing had been delivered through it.
    mutating func open(
        _ key: ObjectIdentifier,
        _ steps: inout [Step],
        make: (_ number: Int) -> Relay
    ) -> Relay {
        let relay = links[key]?.relay ?? make(takeNumber())
        links[key] = Link(relay: relay)
        relay.clear()
        forget(&steps) { $0.relay === relay }
        return relay
    }

    mutating func close(_ key: ObjectIdentifier, _ steps: inout [Step]) {
        guard let relay = links.removeValue(forKey: key)?.relay else { return }
        relay.clear()
        forget(&steps) { $0.relay === relay }
        steps.append(.detach(relay))
    }

    func isOpen(_ relay: Relay) -> Bool {
        guard let link = links[relay.key] else { return false }
        return link.isOpen && link.relay === relay
    }

    private mutating func breakOff(_ relay: Relay, _ failure: StoreFailure, _ steps: inout [Step]) {
        guard isOpen(relay) else { return }
        steps.append(.detach(relay))
        tell(.lost(failure), relay, &steps)
    }
}

// MARK: - Messages

extension FaultInjectorState {
    mutating func cross(
        _ payload: FaultInjector.Crossing.Payload,
        relay: Relay?,
        call: Call?,
        _ arrival: InFlightMessage.Arrival,
        _ steps: inout [Step]
    ) {
        if let relay, !isOpen(relay) { return }
        let (crossing, act) = meet(payload)
        let parcel = InFlightMessage(id: takeNumber(), crossing: crossing, relay: relay, call: call, arrival: arrival)
        apply(act, to: parcel, &steps)
    }

    /// Passes a read whose caller cannot wait.
    ///
    /// Returns false if it does not arrive.
    mutating func read(_ payload: FaultInjector.Crossing.Payload, _ steps: inout [Step]) -> Bool {
        switch meet(payload).act {
        case .pass, .delay, .duplicate, .echo, .reorder, .hold: return true
        case .drop, .loseAnswer, .fail: return false
        case .cut:
            cut(&steps)
            return false
        }
    }

    /// Applies the rules to an arriving message.
    private mutating func meet(
        _ payload: FaultInjector.Crossing.Payload
    ) -> (crossing: FaultInjector.Crossing, act: FaultInjector.Act) {
        work &+= 1
        let number = counts[payload.point, default: 0] + 1
        counts[payload.point] = number
        let crossing = FaultInjector.Crossing(payload: payload, number: number)
        let act = rules.act(on: crossing, label: label)
        if act != .pass { note("\(crossing): \(act)") }
        return (crossing, act)
    }

    private mutating func apply(_ act: FaultInjector.Act, to parcel: InFlightMessage, _ steps: inout [Step]) {
        switch act {
        case .pass: forward(parcel, &steps)
        case .drop: startTimeout(parcel, &steps)
        case .delay(let seconds):
            wait(parcel, for: .time, seconds, &steps)
            if parcel.call != nil, seconds > timeout { startTimeout(parcel, &steps) }
        case .duplicate:
            forward(parcel, &steps)
            forward(parcel, &steps)
        case .echo(let seconds):
            forward(parcel, &steps)
            if let relay = parcel.relay, !isOpen(relay) { return }
            wait(parcel.repeated(as: .copy, id: takeNumber()), for: .time, seconds, &steps)
        case .reorder:
            if isAwaited(parcel) { forward(parcel, &steps) } else { wait(parcel, for: .next, timeout, &steps) }
        case .cut: cut(&steps)
        case .loseAnswer: loseAnswer(parcel, &steps)
        case .hold: keep(parcel, .release)
        case .fail(let failure): fail(parcel, failure, &steps)
        }
    }

    private mutating func loseAnswer(_ parcel: InFlightMessage, _ steps: inout [Step]) {
        switch (parcel.arrival, parcel.call) {
        case (.run(let body), let call?) where !parcel.crossing.point.isAnswer:
            steps.append(.failAfter(call, Self.lost, body))
        case (.run(let body), nil):
            steps.append(.run(body))
            fail(parcel, Self.lost, &steps)
        default: fail(parcel, Self.lost, &steps)
        }
    }

    /// Reports a failure to the caller or the receiver of a message.
    private mutating func fail(_ parcel: InFlightMessage, _ failure: StoreFailure, _ steps: inout [Step]) {
        if let call = parcel.call { steps.append(.fail(call, failure)) }
        if let relay = parcel.relay { breakOff(relay, failure, &steps) }
    }

    /// Lets a message arrive, behind those before it.
    private mutating func forward(_ parcel: InFlightMessage, _ steps: inout [Step]) {
        switch parcel.arrival {
        case .run(let body):
            steps.append(.run(body))
            let point = parcel.crossing.point
            guard let index = waiting.firstIndex(where: { $0.wait == .next && $0.crossing.point == point }) else {
                return
            }
            let overtaken = waiting.remove(at: index)
            cancelTimer(overtaken.id, &steps)
            if case .run(let body) = overtaken.arrival { steps.append(.run(body)) }
        case .post(let item):
            guard let relay = parcel.relay else { return }
            if parcel.isInOrder(on: relay), waiting.contains(where: { $0.isInOrder(on: relay) }) {
                keep(parcel, .turn)
                pump(relay, &steps)
            } else {
                tell(item, relay, &steps)
            }
        }
    }

    /// Forwards the messages of a connection that need not wait any more.
    private mutating func pump(_ relay: Relay, _ steps: inout [Step]) {
        while let first = waiting.firstIndex(where: { $0.isInOrder(on: relay) }) {
            var index = first
            switch waiting[first].wait {
            case .turn: break
            case .next:
                let second = waiting[(first + 1)...].firstIndex { $0.isInOrder(on: relay) }
                guard let second, waiting[second].wait == .turn else { return }
                cancelTimer(waiting[first].id, &steps)
                waiting[first].wait = .turn
                index = second
            case .time, .release: return
            }
            if case .post(let item) = waiting.remove(at: index).arrival { tell(item, relay, &steps) }
        }
    }

    private mutating func tell(_ item: Relay.Item, _ relay: Relay, _ steps: inout [Step]) {
        guard isOpen(relay) else { return }
        if case .lost = item {
            links[relay.key]?.isOpen = false
            forget(&steps) { $0.relay === relay }
        }
        relay.post(item)
        steps.append(.drain(relay))
    }

    mutating func cut(_ steps: inout [Step]) {
        work &+= 1
        forget(&steps) { _ in true }
        for link in links.values.sorted(by: { $0.relay.number < $1.relay.number }) {
            breakOff(link.relay, Self.lost, &steps)
        }
        for call in calls.values.sorted(by: { $0.id < $1.id }) { steps.append(.fail(call, Self.lost)) }
    }

    mutating func cutByHand(_ steps: inout [Step]) {
        note("everything cut by hand")
        cut(&steps)
    }
}

// MARK: - Waiting

extension FaultInjectorState {
    private mutating func keep(_ parcel: InFlightMessage, _ wait: InFlightMessage.Wait) {
        var parcel = parcel
        parcel.wait = wait
        let index = waiting.lastIndex { $0.id <= parcel.id }.map { $0 + 1 } ?? 0
        waiting.insert(parcel, at: index)
    }

    private mutating func wait(
        _ parcel: InFlightMessage,
        for wait: InFlightMessage.Wait,
        _ seconds: TimeInterval,
        _ steps: inout [Step]
    ) {
        keep(parcel, wait)
        steps.append(.wake(parcel.id, after: seconds))
    }

    /// Starts the timeout of a loss.
    ///
    /// The loss of an acknowledgement is not reported.
    private mutating func startTimeout(_ parcel: InFlightMessage, _ steps: inout [Step]) {
        guard parcel.call != nil || parcel.relay != nil else { return }
        wait(parcel.repeated(as: .timeout, id: takeNumber()), for: .time, timeout, &steps)
    }

    /// Whether the message before it waits to change places with it.
    private func isAwaited(_ parcel: InFlightMessage) -> Bool {
        if let relay = parcel.relay, parcel.isInOrder(on: relay) {
            waiting.last { $0.isInOrder(on: relay) }?.wait == .next
        } else {
            waiting.contains { $0.wait == .next && $0.crossing.point == parcel.crossing.point }
        }
    }

    /// Keeps a timer that was set.
    ///
    /// Returns false if it is no longer wanted.
    mutating func keep(_ timer: TimerToken, for id: Int) -> Bool {
        guard waiting.contains(where: { $0.id == id }) else { return false }
        timers[id] = timer
        return true
    }

    mutating func timeCame(for id: Int, _ steps: inout [Step]) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        work &+= 1
        timers[id] = nil
        let parcel = waiting[index]
        if parcel.kind == .timeout {
            waiting.remove(at: index)
            fail(parcel, Self.timedOut, &steps)
        } else if let relay = parcel.relay, parcel.isInOrder(on: relay) {
            waiting[index].wait = .turn
            pump(relay, &steps)
        } else {
            waiting.remove(at: index)
            forward(parcel, &steps)
        }
    }

    /// Releases a held message.
    ///
    /// Returns false if there is none.
    mutating func release(_ id: Int, as act: FaultInjector.Act, _ steps: inout [Step]) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id && $0.wait == .release }) else { return false }
        work &+= 1
        var parcel = waiting.remove(at: index)
        note("\(parcel.crossing): released, \(act)")
        // It has left its place: it overtakes the messages that it is released before.
        parcel.kind = .copy
        apply(act, to: parcel, &steps)
        if let relay = parcel.relay { pump(relay, &steps) }
        return true
    }

    /// Removes and returns all timers, so that the clock can cancel them.
    mutating func takeTimers() -> [TimerToken] {
        defer { timers = [:] }
        return Array(timers.values)
    }

    private mutating func cancelTimer(_ id: Int, _ steps: inout [Step]) {
        if let timer = timers.removeValue(forKey: id) { steps.append(.cancel(timer)) }
    }

    private mutating func forget(_ steps: inout [Step], where isOver: (InFlightMessage) -> Bool) {
        for parcel in waiting where isOver(parcel) { cancelTimer(parcel.id, &steps) }
        waiting.removeAll(where: isOver)
    }
}

extension FaultInjector.Point {
    var isAnswer: Bool {
        switch self {
        case .reply, .productsAnswer, .receiptAnswer, .downloadChunk: true
        default: false
        }
    }
}
