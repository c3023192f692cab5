import Foundation
import Synchronization

/// Knows who works by one clock, and when all of them are quiet.
///
/// A store and the queues on it have one of these in common, through their ``StoreClock``. `settle` waits
/// until nothing more can happen by itself: every update taken in, every callback made.
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

    /// Where a member is found, as long as it lives.
    ///
    /// An object, since to copy an array of weak references costs more than to look at what they refer to.
    private final class Place: Sendable {
        weak let member: (any ActivityMember)?

        init(_ member: any ActivityMember) { self.member = member }
    }

    /// Makes one for a clock of its own.
    public init() { watch = SettleWatch() }

    package init(_ watch: SettleWatch) { self.watch = watch }

    /// Says that something is under way where StoreCore cannot see it (a task, a request on the wire) and that settling
    /// should wait for it.
    ///
    /// A backend that answers from threads of its own calls this before it goes there.
    ///
    /// - Returns: to be ended exactly once.
    public func begin() -> Work {
        state.withLock {
            $0.foreign += 1
            $0.changes += 1
        }
        return Work(activity: self)
    }

    /// Something under way that ``Activity`` waits for.
    public struct Work: Sendable {
        fileprivate let activity: Activity
        /// It is done, and whatever it led to has been handed over.
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

    /// Waits until nothing can happen any more without an outside act: time moved, a decision made, an answer released.
    ///
    /// On the thread that delivers callbacks it makes them itself. It must not be called from inside a callback, which
    /// would wait for itself: that stops the process with a sentence. A callback that waits for another thread that settles
    /// waits for ever, with a line in the log.
    ///
    /// - Returns: what waits for an outside act, a line each, in no promised wording.
    @discardableResult
    public func settle() -> [String] { comeToRest().flatMap { $0.waitingFor } }

    /// Settles, without looking for what waits.
    ///
    /// - Returns: who was found to be quiet.
    @discardableResult
    func comeToRest() -> [any ActivityMember] {
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
            bell.lock()
            while state.withLock({ $0.changes }) == before { bell.wait() }
            bell.unlock()
        }
    }

    /// Who was found quiet the last time, to be asked again.
    struct Rest {
        fileprivate var pulses: [any ActivityPulse] = []
        /// When nobody is known, any number but the next.
        fileprivate var changes = -1
    }

    /// Settles like ``comeToRest()``, time and again: where the last time's members are quiet and no others have come,
    /// that is all there is to it.
    func comeToRest(_ rest: inout Rest) {
        if isQuiet(rest.pulses, since: rest.changes) { return }
        comeToRest()
        let changes = state.withLock { $0.changes }
        let members = liveMembers
        let pulses = members.compactMap(\.keepable)
        rest = pulses.count == members.count ? Rest(pulses: pulses, changes: changes) : Rest()
    }

    /// Waits until something is so, making callbacks meanwhile on the thread that delivers them.
    func wait(until isSo: () -> Bool) {
        waiters.add(1, ordering: .sequentiallyConsistent)
        defer { waiters.subtract(1, ordering: .sequentiallyConsistent) }
        while true {
            let before = state.withLock { $0.changes }
            if isSo() { return }
            if drainHere(liveMembers) { continue }
            bell.lock()
            while state.withLock({ $0.changes }) == before { bell.wait() }
            bell.unlock()
        }
    }

    /// Waits, without holding up a thread, until nothing can happen any more without an outside act.
    ///
    /// - Returns: what waits for an outside act, a line each, in no promised wording.
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

    /// Waits until something is so, without holding up a thread.
    func wait(until isSo: () -> Bool) async { await suspend { _ in isSo() } }

    /// Waits until something is so, which is asked with the number of changes there have been before.
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

/// What has work of its own.
package protocol ActivityPulse: AnyObject, Sendable {
    /// Whether nothing is under way, and a number that has changed if anything was since the last look.
    var pulse: (isQuiet: Bool, work: Int) { get }
}

/// A queue's driver, a store, a clock: what settling waits for.
package protocol ActivityMember: ActivityPulse {
    /// What has the same pulse and may be kept for as long as a clock moves, without keeping anything at work; nil if
    /// there is none.
    var keepable: (any ActivityPulse)? { get }
    /// Makes the callbacks that wait for the calling thread. False where there are none.
    func drainHere() -> Bool
    /// What waits for an outside act, a line each.
    var waitingFor: [String] { get }
    /// The callbacks that are being made now; nil if there are none.
    var callbacksUnderWay: CallbacksUnderWay? { get }
    /// Why the clock cannot be moved on to a moment in one go, as a sentence; nil if it can.
    ///
    /// Default: nil.
    func objection(toMovingTo moment: Date, from now: Date) -> String?
}

/// A batch of callbacks that a member is making.
package struct CallbacksUnderWay: Sendable {
    struct ID: Hashable, Sendable {
        let member: ObjectIdentifier
        /// Differs from that of the member's other batches.
        let batch: Int
    }

    let id: ID
    /// Where a line about them goes.
    let log: StoreLog

    package init(of member: AnyObject, batch: Int, log: StoreLog) {
        id = ID(member: ObjectIdentifier(member), batch: batch)
        self.log = log
    }
}

extension Activity {
    package func register(_ member: any ActivityMember) {
        // Members are let go of without the lock: the last reference may be this one.
        let kept = members.withLock { members in
            let kept = members.map(\.member)
            if kept.contains(where: { $0 == nil }) { members = zip(members, kept).filter { $1 != nil }.map(\.0) }
            members.append(Place(member))
            return kept
        }
        state.withLock { $0.changes += 1 }
        withExtendedLifetime(kept) {}
    }

    /// A member went quiet, or left something for a thread that may be waiting here.
    ///
    /// Called without any lock held.
    @inline(__always)
    func changed() {
        // Whoever waits has counted itself before it looked at the members, under their locks: either it saw this
        // change or it is seen here.
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

    /// Whether anybody waits for something here.
    var isAwaited: Bool { waiters.load(ordering: .sequentiallyConsistent) > 0 }

    /// The callbacks that members are making now.
    var callbacksUnderWay: [CallbacksUnderWay] { liveMembers.compactMap { $0.callbacksUnderWay } }

    /// Why the clock cannot be moved on to a moment in one go; nil if nobody minds.
    func objection(toMovingTo moment: Date, from now: Date) -> String? {
        liveMembers.lazy.compactMap { $0.objection(toMovingTo: moment, from: now) }.first
    }

    private var liveMembers: [any ActivityMember] { members.withLock { $0.compactMap { $0.member } } }

    private enum Look { case drained, quiet([any ActivityMember]), busy }

    /// Keeps members only for as long as it takes, not while somebody waits.
    private func look(since changes: Int) -> Look {
        let members = liveMembers
        if drainHere(members) { return .drained }
        return isQuiet(members, since: changes) ? .quiet(members) : .busy
    }

    /// What waits for an outside act, nil while anything is under way.
    private func linesIfQuiet(since changes: Int) -> [String]? {
        let members = liveMembers
        return isQuiet(members, since: changes) ? members.flatMap { $0.waitingFor } : nil
    }

    private func drainHere(_ members: [any ActivityMember]) -> Bool {
        var didDrain = false
        for member in members where member.drainHere() { didDrain = true }
        return didDrain
    }

    /// Looks until two looks agree: work may move from a member not yet looked at to one already seen.
    ///
    /// False says that something is under way, which will ring. A member that has worked between two looks and is quiet again
    /// need not ring any more. Members that came since then, and foreign work, count as changes.
    private func isQuiet(_ members: [any ActivityPulse], since changes: Int) -> Bool {
        guard var last = quietPulse(members, since: changes) else { return false }
        while let sum = quietPulse(members, since: changes) {
            if sum == last { return true }
            last = sum
        }
        return false
    }

    /// How much was ever done, nil if anything is under way.
    ///
    /// Work is only ever added to, so that sums tell.
    private func quietPulse(_ members: [any ActivityPulse], since changes: Int) -> Int? {
        guard state.withLock({ $0.foreign == 0 && $0.changes == changes }) else { return nil }
        var sum = 0
        for member in members {
            let (isQuiet, work) = member.pulse
            guard isQuiet else { return nil }
            sum &+= work
        }
        return sum
    }
}

extension ActivityMember {
    package var keepable: (any ActivityPulse)? { nil }
    package var callbacksUnderWay: CallbacksUnderWay? { nil }
    package func objection(toMovingTo moment: Date, from now: Date) -> String? { nil }
}
