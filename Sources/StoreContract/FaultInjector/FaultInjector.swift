import Foundation
import StoreCore

/// A fault injector between queues and any store.
///
/// ```swift
/// let injector = FaultInjector(store)
/// let queue = SKPaymentQueue(backend: injector, delivery: .inline)
/// injector.add(.loseAnswer, at: .submission, when: .call(1))
/// ```
///
/// A rule consists of a fault (``Fault``), a place (``Point``) and a condition (``Condition``). For each message the
/// rules are tried in the order in which they were added, and the first that applies is used. If none applies, the
/// message passes immediately, on the calling thread. The same seed and the same calls produce the same faults.
///
/// An injector violates only those promises of `StoreBackend` that a network can violate. One thread at a time calls a
/// receiver, in the order of its updates, unless a rule changes the order. The loss of a call, or of a message on a
/// connection, is reported after ``timeout``, so no caller waits forever; only held messages wait until they are
/// released. An injector has no thread of its own and uses only its store's clock. Settling lists the messages that
/// wait in the injector. A waiting call retains its caller, and so the store, until its reply or ``cut()``. All methods
/// may be called from any thread.
///
/// The user's decisions (cancel, decline, Ask to Buy) do not pass an injector: make them at the store.
public final class FaultInjector: Sendable {
    /// The store that receives the messages.
    public let backend: any StoreBackend
    /// The name of the device's account, for ``Condition/account(_:)`` and the log.
    public let label: String?
    /// The seconds, by the store's clock, after which a loss is reported.
    public let timeout: TimeInterval
    let state: Locked<FaultInjectorState>
    private let port: FaultInjectorPort

    /// Creates an injector without rules.
    ///
    /// - Parameters:
    ///   - backend: the store.
    ///   - label: the name of the device's account, as in `alice`.
    ///   - seed: the seed for ``Condition/chance(_:)``.
    ///   - timeout: the seconds after which a loss is reported, above 0; anything else stops the process.
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
    /// Adds a rule after the existing ones.
    ///
    /// - Parameters:
    ///   - fault: the fault. A negative or infinite delay stops the process.
    ///   - point: the place.
    ///   - condition: the condition; always unless given.
    ///   - times: the maximum number of applications, not below 0; unlimited unless given.
    /// - Returns: the rule's identifier, for ``remove(_:)``.
    @discardableResult
    public func add(_ fault: Fault, at point: Point, when condition: Condition = .always, times: Int = .max) -> RuleID {
        if let flaw = fault.flaw { fatalError(flaw) }
        guard times >= 0 else { fatalError("a rule cannot act \(times) times") }
        return state.withLock { $0.rules.add(fault, at: point, when: condition, times: times) }
    }

    /// Removes a rule, if it exists.
    ///
    /// Messages that the rule has delayed or held still wait.
    public func remove(_ id: RuleID) { state.withLock { $0.rules.remove(id) } }

    /// Removes all rules.
    ///
    /// Messages that the rules have delayed or held still wait.
    public func removeAllRules() { state.withLock { $0.rules.removeAll() } }

    /// Breaks all connections and fails all calls now, as ``Fault/cut`` does.
    public func cut() { perform { $0.cutByHand(&$1) } }

    /// The injected faults, oldest first, one line each; the wording is not stable.
    ///
    /// The log contains neither messages without a fault nor users' names. Of more than 10,000 faults, it contains the
    /// newest 9,000 at least.
    public var log: [String] { state.withLock { $0.log } }

    /// Whether there are no rules and no waiting messages.
    package var isIdle: Bool { state.withLock { $0.isIdle } }

    /// The number of messages with a fault, by point.
    package var faultCounts: [Point: Int] { state.withLock { $0.faultCounts } }
}

// MARK: - Work

extension FaultInjector {
    /// Applies the rules to a message and passes it on.
    func cross(_ payload: Event.Payload, relay: Relay? = nil, call: Call? = nil, _ arrival: InFlightMessage.Arrival) {
        guard state.withLock({ $0.passAtOnce(payload.point, relay, arrival) }) else {
            return perform { $0.cross(payload, relay: relay, call: call, arrival, &$1) }
        }
        switch arrival {
        case .run(let body): body()
        case .post: relay?.drain()
        }
    }

    /// Changes the state, then performs the resulting actions.
    @discardableResult
    func perform<R>(_ event: (inout FaultInjectorState, inout [InjectorAction]) -> R) -> R {
        var actions: [InjectorAction] = []
        let result = state.withLock { event(&$0, &actions) }
        for action in actions { run(action) }
        return result
    }

    /// Calls ``perform(_:)`` and registers it as work: no caller waits for its end, so settling has to.
    @discardableResult
    func performWatched<R>(_ event: (inout FaultInjectorState, inout [InjectorAction]) -> R) -> R {
        let work = clock.activity.begin()
        defer { work.end() }
        return perform(event)
    }

    private func run(_ action: InjectorAction) {
        switch action {
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

/// The fault injector's entry in the activity of the store's clock.
private final class FaultInjectorPort: ActivityMember {
    private let state: Locked<FaultInjectorState>

    init(_ state: Locked<FaultInjectorState>) { self.state = state }

    // Always quiet, since a thread that passes or releases a message is registered as busy separately.
    var pulse: (isQuiet: Bool, work: Int) { state.withLock { (true, $0.work) } }
    // May be retained, even though waiting messages may retain the store: only a moving clock and a simulated run
    // retain this member, and both retain the store as well.
    var retainable: (any ActivityPulse)? { self }

    func drainHere() -> Bool { false }

    var waitingFor: [String] { state.withLock { $0.waiting.compactMap(\.waitingFor) } }
}

extension FaultInjector {
    /// A held message that waits to be released.
    public struct Held: Identifiable, Sendable, CustomStringConvertible {
        /// The message's identifier, unique within this injector.
        public let id: Int
        /// The held message.
        public let event: Event

        /// The point at which the message is held.
        public var point: Point { event.point }
        /// The point, the message's number there and a short description.
        public var description: String { event.description }
    }

    /// The held messages, in order of arrival.
    public var held: [Held] {
        state.withLock { state in
            state.waiting.filter { $0.wait == .release }.map { Held(id: $0.id, event: $0.event) }
        }
    }

    /// Releases a held message.
    ///
    /// The message arrives before the method returns. If the store replies immediately, the reply arrives by then too.
    /// The message overtakes earlier updates of its connection that still wait. No rule is applied to it again.
    ///
    /// - Parameters:
    ///   - id: the message's identifier, from ``held``.
    ///   - fault: the fault to inject now; by default the message passes.
    /// - Returns: whether the message was still held. If not, it was lost with its connection, or released before.
    @discardableResult
    public func release(_ id: Held.ID, as fault: Fault = .pass) -> Bool {
        if let flaw = fault.flaw { fatalError(flaw) }
        return performWatched { $0.release(id, as: fault, &$1) }
    }

    /// Releases all messages held now, one after another in order of arrival.
    ///
    /// Messages that are held from now on stay held.
    public func releaseAll() { for held in held { release(held.id) } }
}

/// An action that a fault injector performs after it has released its lock.
enum InjectorAction: Sendable {
    case run(@Sendable () -> Void)
    case drain(Relay)
    case fail(Call, StoreFailure)
    /// Runs the closure, which calls the store, and then fails the call: the store's reply is discarded.
    case failAfter(Call, StoreFailure, @Sendable () -> Void)
    case detach(Relay)
    case wake(Int, after: Double)
    case cancel(TimerToken)
}
