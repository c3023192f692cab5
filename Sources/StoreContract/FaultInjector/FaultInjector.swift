import Foundation
import StoreCore

/// Stands between queues and any store, and spoils what passes.
///
/// ```swift
/// let interposer = FaultInjector(store)
/// let queue = SKPaymentQueue(backend: interposer, delivery: .inline)
/// interposer.add(.loseAnswer, at: .submission, when: .call(1))
/// ```
///
/// Rules say what is done (``Act``) where (``Point``) and when (``Condition``). For whatever passes the rules are looked at
/// in the order in which they were added, and the first that applies acts; without one it passes at once, on the
/// thread on which it came. The same seed and the same calls give the same acts.
///
/// An interposer breaks no promise of `StoreBackend` that a network could not break: a receiver is called
/// by one thread at a time and in the order of its updates, save for what a rule says, and whatever is lost shows after
/// ``timeout``, so that nobody waits for ever; only what is held waits for you. It has no thread of its own, takes time
/// from its store's clock alone, and settling lists what waits here. A call that waits here keeps alive who made it, and
/// so the store, until it is answered or ``cut()``. Any thread may call anything.
///
/// What the user decides (cancel, decline, Ask to Buy) is not the wire's affair: tell the store.
public final class FaultInjector: Sendable {
    /// The store behind it.
    public let backend: any StoreBackend
    /// Whose device this is, for ``Condition/account(_:)`` and the log.
    public let label: String?
    /// Seconds after which a loss shows, by the store's clock.
    public let timeout: TimeInterval
    let state: Locked<FaultInjectorState>
    private let port: FaultInjectorPort

    /// Makes one that lets everything pass.
    ///
    /// - Parameters:
    ///   - backend: the store.
    ///   - label: whose device this is, as in `alice`.
    ///   - seed: decides what ``Condition/chance(_:)`` decides.
    ///   - timeout: seconds after which a loss shows, above 0; anything else stops the process.
    public init(_ backend: any StoreBackend, label: String? = nil, seed: UInt64 = 0, timeout: TimeInterval = 60) {
        guard timeout > 0, timeout.isFinite else { fatalError("\(timeout) s is no time after which a loss can show") }
        self.backend = backend
        self.label = label
        self.timeout = timeout
        state = Locked(FaultInjectorState(label: label, timeout: timeout, seed: seed))
        port = FaultInjectorPort(state)
        backend.clock.activity.register(port)
    }

    deinit { for timer in state.withLock({ $0.takeTimers() }) { timer.cancel() } }
}

// MARK: - Rules

extension FaultInjector {
    /// Adds a rule behind those there are.
    ///
    /// - Parameters:
    ///   - act: what is done. Waiting for a negative or endless time stops the process.
    ///   - point: where.
    ///   - condition: when; always unless given.
    ///   - times: how often at most, not below 0; without end unless given.
    /// - Returns: its name, for ``remove(_:)``.
    @discardableResult
    public func add(
        _ act: Act,
        at point: Point,
        when condition: Condition = .always,
        times: Int = .max
    ) -> RuleID {
        if let flaw = act.flaw { fatalError(flaw) }
        guard times >= 0 else { fatalError("a rule cannot act \(times) times") }
        return state.withLock { $0.rules.add(act, at: point, when: condition, times: times) }
    }

    /// Takes a rule away; one that is not there is no matter.
    ///
    /// What it delays or holds goes on waiting.
    public func remove(_ id: RuleID) { state.withLock { $0.rules.remove(id) } }

    /// Takes all rules away.
    ///
    /// What they delay or hold goes on waiting.
    public func removeAllRules() { state.withLock { $0.rules.removeAll() } }

    /// Breaks everything now, as ``Act/cut`` does.
    public func cut() { perform { $0.cutByHand(&$1) } }

    /// What was done to what, oldest first: a line each, in no promised wording.
    ///
    /// What passed is not in it, nor are users' names.
    public var log: [String] { state.withLock { $0.log } }
}

// MARK: - Work

extension FaultInjector {
    /// Something passes.
    func cross(
        _ payload: Crossing.Payload,
        relay: Relay? = nil,
        call: Call? = nil,
        _ arrival: InFlightMessage.Arrival
    ) {
        perform { $0.cross(payload, relay: relay, call: call, arrival, &$1) }
    }

    /// Changes the state, then does what follows from it.
    @discardableResult
    func perform<R>(_ event: (inout FaultInjectorState, inout [Step]) -> R) -> R {
        var steps: [Step] = []
        let result = state.withLock { event(&$0, &steps) }
        for step in steps { run(step) }
        return result
    }

    /// The same for what nobody else's work leads to: settling waits for it.
    @discardableResult
    func performWatched<R>(_ event: (inout FaultInjectorState, inout [Step]) -> R) -> R {
        let work = clock.activity.begin()
        defer { work.end() }
        return perform(event)
    }

    private func run(_ step: Step) {
        switch step {
        case .run(let body): body()
        case .drain(let relay): relay.drain()
        case .fail(let call, let failure):
            perform { $0.end(call, &$1) }
            call.fail(failure)
        case .failAfter(let call, let failure, let body):
            perform { $0.end(call, &$1) }
            call.fail(failure, after: body)
        case .detach(let relay): backend.disconnect(relay)
        case .wake(let id, let seconds): wake(id, after: seconds)
        case .cancel(let timer): timer.cancel()
        }
    }

    private func wake(_ id: Int, after seconds: TimeInterval) {
        let timer = clock.schedule(at: clock.now + seconds) { [weak self] in
            self?.performWatched { $0.timeCame(for: id, &$1) }
        }
        if !state.withLock({ $0.keep(timer, for: id) }) { timer.cancel() }
    }
}

/// What the store's clock knows an interposer by.
private final class FaultInjectorPort: ActivityMember {
    private let state: Locked<FaultInjectorState>

    init(_ state: Locked<FaultInjectorState>) { self.state = state }

    // Whoever brings something here, or lets it go, is at work meanwhile.
    var pulse: (isQuiet: Bool, work: Int) { state.withLock { (true, $0.work) } }

    func drainHere() -> Bool { false }

    var waitingFor: [String] { state.withLock { $0.waiting.compactMap(\.waitingFor) } }
}
