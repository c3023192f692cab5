import Foundation
import Synchronization

/// A clock that advances only on command.
///
/// Advancing the clock fires the due timers in the order of their deadlines, with the time set to each deadline, and
/// settles after each: a year of renewals takes microseconds, and each renewal is observed separately. Any thread may
/// call; calls that advance the clock take turns.
public final class ManualClock: StoreClock {
    /// The activity of this clock's clients.
    public let activity: Activity
    private let state = Locked(State())
    /// The time in seconds since 2001, read without the lock but written only with it held.
    private let clock: Atomic<UInt64>

    private struct State {
        var timers = TimerHeap()
        /// The thread or task that advances the clock.
        var mover = Mover.nobody
    }

    /// The maximum distance from 2001, in seconds, at which a `Double` can still count milliseconds.
    private static let reach = 1e15

    private enum Mover: Equatable {
        case nobody
        case thread(ObjectIdentifier)
        /// A task, which may run on any thread; while it fires a timer, its current thread is the mover instead.
        case task
    }

    /// Creates a clock that does not advance by itself.
    ///
    /// - Parameter start: the initial time; by default midnight UTC of 1 January 2025. A time more than 30 million
    ///   years away stops the process with a message, and so does advancing the clock that far.
    public init(startingAt start: Date = Date(timeIntervalSince1970: 1_735_689_600)) {
        activity = Activity()
        clock = Atomic(Self.seconds(at: start))
    }

    /// Creates a clock with a time of its own for some clients of an existing activity.
    package init(startingAt start: Date, activity: Activity) {
        self.activity = activity
        clock = Atomic(Self.seconds(at: start))
    }

    /// Returns the bits of a start time in seconds since 2001; stops the process if it is too far away.
    private static func seconds(at start: Date) -> UInt64 {
        let seconds = start.timeIntervalSinceReferenceDate
        guard seconds.magnitude < reach else { fatalError("a clock cannot begin \(seconds) seconds after 2001") }
        return seconds.bitPattern
    }

    /// The time to which the clock was last moved.
    public var now: Date { Date(timeIntervalSinceReferenceDate: Double(bitPattern: clock.load(ordering: .acquiring))) }

    /// The deadline of the next timer; nil if no timer is set.
    public var nextDeadline: Date? { state.withLock { $0.timers.first?.deadline } }

    /// Sets a timer.
    ///
    /// The timer fires when the clock is advanced to or beyond its deadline. If the deadline has already passed, the
    /// timer fires at the next advance, even by 0.
    @discardableResult
    public func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        let place = state.withLock { $0.timers.insert(at: moment, body) }
        // Captures the state only: a weak reference would slow down every use of the clock.
        return TimerToken { [state] in
            let cancelled = state.withLock { $0.timers.remove(place) }
            // Released without the lock, since the release of its captures may cancel other timers.
            withExtendedLifetime(cancelled) {}
        }
    }

    deinit {
        // A token may outlive the clock, and retains the clock's state, so the timers are removed from the state.
        let timers = state.withLock { $0.timers.removeAll() }
        withExtendedLifetime(timers) {}
    }

    /// Moves the clock forward, see ``advance(to:)``.
    ///
    /// - Parameter interval: seconds, not negative.
    public func advance(by interval: TimeInterval) { orStop { try advanceThrowing(by: interval) } }

    /// Moves the clock forward, firing due timers on the way and settling at each deadline.
    ///
    /// Calling this method inside a callback or a timer's closure stops the process with a message, since it would wait
    /// for that callback or closure to return. The process also stops for each error of ``advanceThrowing(to:)``.
    ///
    /// - Parameter moment: the new time, not before ``now``; a clock does not run backwards.
    public func advance(to moment: Date) { orStop { try advanceThrowing(to: moment) } }

    /// Moves the clock forward like ``advance(by:)``, without blocking a thread while the activity settles.
    ///
    /// - Parameter interval: seconds, not negative.
    public func advance(by interval: TimeInterval) async {
        await activity.settle()
        await activity.wait { begin(.task) }
        let end = orStop { try target { $0.addingTimeInterval(interval) } }
        while let timer = takeTimer(dueBy: end) {
            fire(timer)
            await activity.settle()
        }
        finish(at: end)
    }

    /// Moves the clock forward by an interval like ``advanceThrowing(to:)``.
    ///
    /// - Parameter interval: seconds, not negative.
    /// - Throws: as ``advanceThrowing(to:)``.
    public func advanceThrowing(by interval: TimeInterval) throws { try move { $0.addingTimeInterval(interval) } }

    /// Moves the clock forward like ``advance(to:)``, or throws where that method stops the process.
    ///
    /// - Parameter moment: the new time, not before ``now``.
    /// - Throws: ``ClockError`` for a moment before ``now`` or more than 30 million years away, and if a subscription
    ///   of a ``SandboxStore`` would be renewed more than 10,000 times on the way. The clock is then unchanged.
    public func advanceThrowing(to moment: Date) throws { try move { _ in moment } }

    /// Moves the clock forward like ``advance(by:)``, but does not settle before it moves.
    ///
    /// For callers that have already settled. Work of other threads may come before or after the move.
    ///
    /// - Parameter interval: seconds, not negative.
    package func advanceAtRest(by interval: TimeInterval) {
        orStop { try move(isAtRest: true) { $0.addingTimeInterval(interval) } }
    }

    private func orStop<Result>(_ body: () throws -> Result) -> Result {
        do { return try body() } catch { fatalError("\(error)") }
    }

    private func move(isAtRest: Bool = false, _ moment: (Date) -> Date) throws {
        let thread = Mover.thread(ObjectIdentifier(Thread.current))
        if state.withLock({ $0.mover == thread }) {
            fatalError("the clock was moved by what it fired; move it from outside")
        }
        if !isAtRest { activity.comeToRest() }
        activity.wait { begin(thread) }
        let end: Date
        do {
            end = try target(moment)
        } catch {
            finish(at: now)
            throw error
        }
        var rest = Activity.Rest()
        while let timer = takeTimer(dueBy: end) {
            timer.body()
            activity.comeToRest(&rest)
        }
        finish(at: end)
    }

    /// Registers the thread or task that moves the clock; returns false while another one moves it.
    private func begin(_ mover: Mover) -> Bool {
        state.withLock { state in
            guard state.mover == .nobody else { return false }
            state.mover = mover
            return true
        }
    }

    private func target(_ moment: (Date) -> Date) throws(ClockError) -> Date {
        let end = moment(now)
        let seconds = end.timeIntervalSinceReferenceDate
        guard seconds.magnitude < Self.reach else {
            throw ClockError("a clock cannot be moved to \(seconds) seconds after 2001: it reaches 30 million years")
        }
        guard end >= now else { throw ClockError("a clock does not run backwards: it shows \(now), asked for \(end)") }
        if let objection = activity.objection(toMovingTo: end, from: now) { throw ClockError(objection) }
        return end
    }

    /// Fires a timer for a task; the timer's closure, which runs on this thread, must not move the clock.
    private func fire(_ timer: TimerHeap.Timer) {
        state.withLock { $0.mover = .thread(ObjectIdentifier(Thread.current)) }
        timer.body()
        state.withLock { $0.mover = .task }
    }

    private func finish(at moment: Date) {
        state.withLock { state in
            if moment > now { set(moment) }
            state.mover = .nobody
        }
        activity.changed()
    }

    private func takeTimer(dueBy moment: Date) -> TimerHeap.Timer? {
        state.withLock { state in
            guard let first = state.timers.first, first.deadline <= moment else { return nil }
            if first.deadline > now { set(first.deadline) }
            return state.timers.popFirst()
        }
    }

    private func set(_ moment: Date) {
        clock.store(moment.timeIntervalSinceReferenceDate.bitPattern, ordering: .releasing)
    }
}

/// A clock that can be moved forward on command.
package protocol MovableClock: StoreClock {
    /// Moves the clock forward, firing due timers on the way and settling at each deadline.
    ///
    /// - Parameter interval: seconds, not negative.
    /// - Throws: ``ClockError`` if the clock cannot be moved by this interval. The clock is then unchanged.
    func advanceThrowing(by interval: TimeInterval) throws

    /// Moves the clock forward to a moment, like ``advanceThrowing(by:)``.
    ///
    /// - Throws: ``ClockError`` if the clock cannot be moved to the moment. The clock is then unchanged.
    func advanceThrowing(to moment: Date) throws

    /// The seconds by which this clock is ahead of the system's clock; nil if its time does not pass by itself.
    var lead: TimeInterval? { get }
}

extension ManualClock: MovableClock {
    package var lead: TimeInterval? { nil }
}

/// A clock whose time passes without a command.
package protocol RunningClock: StoreClock {
    /// Whether the time passes now; false for a clock that was stopped.
    var isRunning: Bool { get }
}

extension SystemClock: RunningClock {
    package var isRunning: Bool { true }
}

/// A priority queue of timers: the earliest deadline first, and equal deadlines in the order of insertion.
///
/// A binary heap: adding, removing or canceling a timer takes logarithmic time in the number of timers.
struct TimerHeap {
    struct Timer {
        let deadline: Date
        let body: @Sendable () -> Void
        /// The number of timers that were added before this one.
        fileprivate let number: Int
        fileprivate let place: Place
    }

    /// The position of a timer in the heap; does not retain the timer.
    // unchecked: read and written by the heap alone, which its owner guards.
    final class Place: @unchecked Sendable {
        /// The timer's index; nil once it has been removed.
        fileprivate var index: Int?
    }

    private var timers: [Timer] = []
    private var count = 0

    /// The timer with the earliest deadline; nil if there is none.
    var first: Timer? { timers.first }

    /// Adds a timer that fires after all others with the same deadline.
    mutating func insert(at deadline: Date, _ body: @escaping @Sendable () -> Void) -> Place {
        let place = Place()
        place.index = timers.count
        timers.append(Timer(deadline: deadline, body: body, number: count, place: place))
        count += 1
        rise(from: timers.count - 1)
        return place
    }

    /// Removes and returns the timer with the earliest deadline.
    mutating func popFirst() -> Timer? { timers.isEmpty ? nil : remove(at: 0) }

    /// Removes and returns a timer; nil if it was removed before.
    mutating func remove(_ place: Place) -> Timer? { place.index.map { remove(at: $0) } }

    /// Removes and returns all timers, in no particular order.
    mutating func removeAll() -> [Timer] {
        defer { timers = [] }
        for timer in timers { timer.place.index = nil }
        return timers
    }

    private mutating func remove(at index: Int) -> Timer {
        swap(index, timers.count - 1)
        let timer = timers.removeLast()
        timer.place.index = nil
        // The former last timer, now at this index, may have to move up or down.
        if index < timers.count { sink(from: rise(from: index)) }
        return timer
    }

    /// Moves a timer up to its position in the heap, and returns its index.
    @discardableResult
    private mutating func rise(from start: Int) -> Int {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(child, parent) else { break }
            swap(child, parent)
            child = parent
        }
        return child
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var child = 2 * parent + 1
            guard child < timers.count else { return }
            if child + 1 < timers.count, isBefore(child + 1, child) { child += 1 }
            guard isBefore(child, parent) else { return }
            swap(child, parent)
            parent = child
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        let (first, second) = (timers[left].deadline, timers[right].deadline)
        return first == second ? timers[left].number < timers[right].number : first < second
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        timers.swapAt(left, right)
        timers[left].place.index = left
        timers[right].place.index = right
    }
}
