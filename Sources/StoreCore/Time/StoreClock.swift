import Foundation

/// A clock: the only source of time for stores and their queues.
///
/// Neither reads the system's time directly. A test can therefore advance the time, and a year takes microseconds. A
/// clock may be called on any thread.
public protocol StoreClock: AnyObject, Sendable {
    /// The current time.
    var now: Date { get }

    /// Runs a closure, on any thread, once a moment is reached, but never before this method returns.
    ///
    /// If the moment has passed, the closure runs the next time that the clock fires timers.
    ///
    /// - Returns: a token that cancels the closure. The token may be discarded, and retains neither the clock nor the
    ///   closure.
    @discardableResult
    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken

    /// The activity of this clock's clients.
    var activity: Activity { get }
}

/// The system's clock.
public final class SystemClock: StoreClock {
    /// The clock that is used by default.
    public static let shared = SystemClock()

    /// The activity of this clock's clients.
    public let activity = Activity()

    /// Creates a separate clock, whose ``activity`` has only this clock's clients.
    public init() {}

    /// The system's time.
    public var now: Date { Date() }

    /// Runs a closure on a queue for timers once a moment is reached.
    @discardableResult
    public func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        let item = DispatchWorkItem(block: body)
        let seconds = max(0, moment.timeIntervalSince(now))
        DispatchQueue.timers.asyncAfter(wallDeadline: .now() + seconds, execute: item)
        let link = WeakItem(item: item)
        return TimerToken { link.item?.cancel() }
    }

    private struct WeakItem: @unchecked Sendable {  // unchecked: a work item may be canceled from any thread
        weak let item: DispatchWorkItem?
    }
}

extension DispatchQueue {
    /// The queue of timers by real time.
    ///
    /// Not of the default quality of service: on Linux, tasks that compute keep its few threads, and every timer would
    /// wait for them.
    static let timers = DispatchQueue(label: "StoreCore.timers", qos: .userInitiated, attributes: .concurrent)

    /// The queue of watchdogs by real time.
    ///
    /// StoreSimulator leaves the queues whose labels begin as this one's to real time.
    static let watchdogs = DispatchQueue(label: "StoreCore.watchdogs", qos: .utility, attributes: .concurrent)
}

/// A token that cancels a scheduled closure.
public struct TimerToken: Sendable {
    private let body: @Sendable () -> Void
    /// Creates a token from a cancellation closure.
    ///
    /// The closure must have no effect once the scheduled closure has begun.
    public init(_ cancel: @escaping @Sendable () -> Void) { body = cancel }
    /// Prevents the scheduled closure from running, unless it has begun.
    public func cancel() { body() }
}

/// The reason why a clock cannot be moved.
public struct ClockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the reason.
    package let reason: String

    init(_ reason: String) { self.reason = reason }

    /// One sentence that names the reason.
    ///
    /// The wording is not stable.
    public var description: String { reason }
}
