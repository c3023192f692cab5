import Foundation
import Synchronization

/// The activity of all clients of one clock, or of several related clocks.
///
/// A store and its queues share one activity through their ``StoreClock``. `settle` waits until all clients are quiet:
/// until every update has been received and every callback has been made.
public final class Activity: Sendable {
    private let members = Locked<[Place]>([])
    private let waiters = Atomic<Int>(0)
    private let bell = NSCondition()
    private let state = Locked(State())
    package let watch: SettleWatch

    private struct State {
        var changes = 0
        var foreign = 0
        var suspended: [CheckedContinuation<Void, Never>] = []
    }

    /// A weak reference to a member.
    ///
    /// An object, since copying an array of weak references costs more than copying references to this type.
    private final class Place: Sendable {
        weak let member: (any ActivityMember)?

        init(_ member: any ActivityMember) { self.member = member }
    }

    /// Creates an activity for one clock.
    public init() { watch = SettleWatch() }

    package init(_ watch: SettleWatch) { self.watch = watch }

    /// Registers work that StoreCore cannot see (a task, a request on the wire), so that settling waits for it.
    ///
    /// A backend that responds from its own threads calls this method before it switches to one of them.
    ///
    /// - Returns: the work, which must be ended exactly once.
    public func begin() -> Work {
        state.withLock {
            $0.foreign += 1
            $0.changes += 1
        }
        return Work(activity: self)
    }

    /// A registered piece of work, for whose end settling waits.
    public struct Work: Sendable {
        fileprivate let activity: Activity
        /// Ends the work, once its results have been passed on.
        ///
        /// Work that is ended twice stops the process, or lets settling return too early.
        public func end() {
            let isMistake = activity.state.withLock {
                $0.foreign -= 1
                $0.changes += 1
                return $0.foreign < 0
            }
            if isMistake { fatalError("some work was ended twice; settling counts on each being ended once") }
            activity.changed()
        }
    }

    /// Waits until nothing can happen without an external event, such as the advance of time, or a decision.
    ///
    /// On the thread that delivers callbacks, this method makes the pending callbacks itself. Calling it inside a
    /// callback or an ``Authorizer`` traps, since it would wait for that call to return. A callback that waits for
    /// another thread's call of this method deadlocks; a message is then logged.
    ///
    /// - Returns: the external events that are awaited, described in a line each; the wording may change.
    @discardableResult
    public func settle() -> [String] { comeToRest().flatMap { $0.waitingFor } }

    /// Settles like ``settle()``, without collecting the awaited events.
    ///
    /// - Returns: the members that were found quiet.
    @discardableResult
    package func comeToRest() -> [any ActivityMember] {
        trapInsideCallback()
        waiters.add(1, ordering: .sequentiallyConsistent)
        defer { waiters.subtract(1, ordering: .sequentiallyConsistent) }
        while true {
            let before = state.withLock { $0.changes }
            switch look(since: before) {
            case .drained: continue
            case .quiet(let members): return members
            case .busy: break
            }
            watch.waits(self)
            waitForChange(since: before)
        }
    }

    /// The members that the last call of `comeToRest(_:)` found quiet, which the next call checks first.
    package struct Rest {
        /// The members' `pulse` properties, as closures: an object with weak references is slow to retain.
        fileprivate var pulses: [@Sendable () -> (isQuiet: Bool, work: Int)] = []
        /// The number of changes at that time; -1, which equals no number of changes, if no members are known.
        fileprivate var changes = -1

        package init() {}

        fileprivate init(_ members: [any ActivityPulse], changes: Int) {
            pulses = members.map { member in { member.pulse } }
            self.changes = changes
        }
    }

    /// Settles like ``comeToRest()``, for callers that settle repeatedly.
    ///
    /// Returns at once if the members that the last call found are still quiet and no others were added.
    package func comeToRest(_ rest: inout Rest) {
        if isQuiet(rest.pulses.count, since: rest.changes, { rest.pulses[$0]() }) { return }
        // Releases members that have no other owner, so that they do not count as members below.
        rest = Rest()
        comeToRest()
        let changes = state.withLock { $0.changes }
        let members = liveMembers
        let pulses = members.compactMap(\.retainable)
        rest = pulses.count == members.count ? Rest(pulses, changes: changes) : Rest()
    }

    /// Waits until a condition holds; makes pending callbacks if called on the thread that delivers them.
    func wait(until isSo: () -> Bool) {
        waiters.add(1, ordering: .sequentiallyConsistent)
        defer { waiters.subtract(1, ordering: .sequentiallyConsistent) }
        while true {
            let before = state.withLock { $0.changes }
            if isSo() { return }
            if drainHere(liveMembers) { continue }
            waitForChange(since: before)
        }
    }

    private func waitForChange(since changes: Int) {
        bell.lock()
        while state.withLock({ $0.changes }) == changes { bell.wait() }
        bell.unlock()
    }

    /// Waits, without blocking a thread, until nothing can happen without an external event.
    ///
    /// - Returns: the external events that are awaited, described in a line each; the wording may change.
    @discardableResult
    public func settle() async -> [String] {
        trapInsideCallback()
        var lines: [String]?
        await suspend { changes in
            lines = linesIfQuiet(since: changes)
            return lines != nil
        }
        return lines ?? []
    }

    /// Waits until a condition holds, without blocking a thread.
    func wait(until isSo: () -> Bool) async { await suspend { _ in isSo() } }

    /// Waits until a condition holds.
    ///
    /// The condition receives the number of changes counted before it is evaluated.
    private func suspend(until isSo: (Int) -> Bool) async {
        waiters.add(1, ordering: .sequentiallyConsistent)
        defer { waiters.subtract(1, ordering: .sequentiallyConsistent) }
        while true {
            let before = state.withLock { $0.changes }
            if isSo(before) { return }
            watch.waits(self)
            await withCheckedContinuation { continuation in
                let isStale = state.withLock { state in
                    guard state.changes == before else { return true }
                    state.suspended.append(continuation)
                    return false
                }
                if isStale { continuation.resume() }
            }
        }
    }

    private nonisolated func trapInsideCallback() {
        guard !CallScope.isAtWork else {
            fatalError(
                "settle was called from inside a callback or an authorizer, which it would wait for; call it elsewhere"
            )
        }
    }
}

extension Activity {
    package func register(_ member: any ActivityMember) {
        // Members are released after the lock, since this may be the last reference to one.
        let retained = members.withLock { members in
            let retained = members.map(\.member)
            if retained.contains(where: { $0 == nil }) {
                members = zip(members, retained).filter { $1 != nil }.map(\.0)
            }
            members.append(Place(member))
            return retained
        }
        state.withLock { $0.changes += 1 }
        withExtendedLifetime(retained) {}
    }

    /// Notifies waiting threads that a member became quiet, or left work that one of them may have to do.
    ///
    /// Must be called without any lock held.
    func changed() {
        // A waiting thread increments `waiters` before it checks the members under their locks. Therefore either the
        // waiting thread has seen this change, or this thread sees the increment.
        if waiters.load(ordering: .sequentiallyConsistent) > 0 { ring() }
    }

    private func ring() {
        bell.lock()
        let suspended = state.withLock { state in
            state.changes += 1
            defer { state.suspended = [] }
            return state.suspended
        }
        bell.broadcast()
        bell.unlock()
        for continuation in suspended { continuation.resume() }
    }

    /// Whether work registered with ``begin()`` is under way.
    package var hasRegisteredWork: Bool { state.withLock { $0.foreign > 0 } }

    /// Whether a thread waits for this activity.
    var isAwaited: Bool { waiters.load(ordering: .sequentiallyConsistent) > 0 }

    /// The callbacks that members are making now.
    var callbacksUnderWay: [CallbacksUnderWay] { liveMembers.compactMap { $0.callbacksUnderWay } }

    /// Returns a member's reason why the clock cannot move to a moment in one step; nil if there is none.
    func objection(toMovingTo moment: Date, from now: Date) -> String? {
        liveMembers.lazy.compactMap { $0.objection(toMovingTo: moment, from: now) }.first
    }

    private var liveMembers: [any ActivityMember] { members.withLock { $0.compactMap { $0.member } } }

    private enum Look { case drained, quiet([any ActivityMember]), busy }

    /// Checks the members, and releases them before the caller waits.
    private func look(since changes: Int) -> Look {
        let members = liveMembers
        if drainHere(members) { return .drained }
        return isQuiet(members.count, since: changes) { members[$0].pulse } ? .quiet(members) : .busy
    }

    /// The awaited external events, described as by ``settle()``; nil while anything is under way.
    var waitingIfQuiet: [String]? { linesIfQuiet(since: state.withLock { $0.changes }) }

    /// Returns the awaited external events, described in a line each; nil while anything is under way.
    private func linesIfQuiet(since changes: Int) -> [String]? {
        let members = liveMembers
        return isQuiet(members.count, since: changes) { members[$0].pulse } ? members.flatMap { $0.waitingFor } : nil
    }

    private func drainHere(_ members: [any ActivityMember]) -> Bool {
        var didDrain = false
        for member in members where member.drainHere() { didDrain = true }
        return didDrain
    }

    /// Checks the members until two checks agree, since work may move from an unchecked member to a checked one.
    ///
    /// Returns false if anything is under way; `changed` will be called when that work ends. Two checks are needed,
    /// since a member that worked in between and is quiet again need not call `changed`. Members added and external
    /// work registered since `changes` was read count as changes.
    private func isQuiet(_ count: Int, since changes: Int, _ pulse: (Int) -> (isQuiet: Bool, work: Int)) -> Bool {
        guard var last = quietPulse(count, since: changes, pulse) else { return false }
        while let sum = quietPulse(count, since: changes, pulse) {
            if sum == last { return true }
            last = sum
        }
        return false
    }

    /// Returns the total of all members' work so far; nil if anything is under way.
    ///
    /// Each member's number only grows, so equal totals mean that no member has worked.
    private func quietPulse(_ count: Int, since changes: Int, _ pulse: (Int) -> (isQuiet: Bool, work: Int)) -> Int? {
        guard state.withLock({ $0.foreign == 0 && $0.changes == changes }) else { return nil }
        var sum = 0
        for index in 0..<count {
            let (isQuiet, work) = pulse(index)
            guard isQuiet else { return nil }
            sum &+= work
        }
        return sum
    }
}

/// An object that reports whether it has work under way.
package protocol ActivityPulse: AnyObject, Sendable {
    /// Whether nothing is under way, and a number that changes with every piece of work.
    var pulse: (isQuiet: Bool, work: Int) { get }
}

/// A member of an activity, for which settling waits: a queue's driver, a store, a clock.
package protocol ActivityMember: ActivityPulse {
    /// An object with the same pulse, which a clock may retain while it advances; nil if there is none.
    ///
    /// Retaining it must not keep any work alive.
    var retainable: (any ActivityPulse)? { get }
    /// Makes the callbacks that are pending for the calling thread. Returns false if there are none.
    func drainHere() -> Bool
    /// The external events that the member waits for, described in a line each.
    var waitingFor: [String] { get }
    /// The callbacks that are being made now; nil if there are none.
    var callbacksUnderWay: CallbacksUnderWay? { get }
    /// Returns the reason why the clock cannot move to a moment in one step, as a sentence; nil if it can.
    ///
    /// The default implementation returns nil.
    func objection(toMovingTo moment: Date, from now: Date) -> String?
}

extension ActivityMember {
    package var retainable: (any ActivityPulse)? { nil }
    package var callbacksUnderWay: CallbacksUnderWay? { nil }
    package func objection(toMovingTo moment: Date, from now: Date) -> String? { nil }
}

/// A batch of callbacks that a member is making.
package struct CallbacksUnderWay: Sendable {
    struct ID: Hashable, Sendable {
        let member: ObjectIdentifier
        /// A number that differs from those of the member's other batches.
        let batch: Int
    }

    let id: ID
    /// The log for a message about these callbacks.
    let log: StoreLog

    package init(of member: AnyObject, batch: Int, log: StoreLog) {
        id = ID(member: ObjectIdentifier(member), batch: batch)
        self.log = log
    }
}

/// A watchdog that logs a message if a thread settles for long because a callback does not return.
///
/// A callback deadlocks if it waits for a thread that settles or advances the clock: each waits for the other. Only one
/// check is pending at a time, however many threads settle.
package final class SettleWatch: Sendable {
    /// A function that runs a closure after a number of seconds.
    package typealias Later = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

    private let later: Later
    private let state = Locked(State())

    private struct State {
        var patience: TimeInterval = 5
        var isLooking = false
        var hasWarned = false
    }

    /// Creates a watchdog that checks after some seconds of the system's time.
    package convenience init() {
        self.init { seconds, look in
            DispatchQueue.watchdogs.asyncAfter(deadline: .now() + seconds, execute: look)
        }
    }

    /// - Parameter later: runs a closure after a number of seconds.
    package init(later: @escaping Later) { self.later = later }

    /// The seconds that a callback may take while a thread settles; variable for tests.
    package var patience: TimeInterval {
        get { state.withLock { $0.patience } }
        set { state.withLock { $0.patience = newValue } }
    }

    /// Schedules a check; called by a thread that begins to wait for an activity.
    func waits(_ activity: Activity) {
        let patience = state.withLock { state -> TimeInterval? in
            guard !state.isLooking, !state.hasWarned else { return nil }
            state.isLooking = true
            return state.patience
        }
        guard let patience else { return }
        let before = activity.callbacksUnderWay.map(\.id)
        later(patience) { [weak self, weak activity] in
            guard let self else { return }
            state.withLock { $0.isLooking = false }
            guard let activity, activity.isAwaited else { return }
            let now = activity.callbacksUnderWay
            guard let stuck = now.first(where: { before.contains($0.id) }) else {
                // The callbacks of the earlier check have ended, but others may not return either.
                return waits(activity)
            }
            let mustWarn = state.withLock { state in
                defer { state.hasWarned = true }
                return !state.hasWarned
            }
            if mustWarn { stuck.log(Self.warning) }
        }
    }

    private static let warning = """
        settling has waited long for callbacks that have not ended: a callback that waits for another thread, which \
        settles or moves the clock, waits for ever, since that thread waits for the callback; let the callback return, \
        and settle or move the clock afterwards
        """
}
