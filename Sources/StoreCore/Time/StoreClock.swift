import Foundation

/// A clock, the only source of time.
///
/// Queues and stores never read the system's time. They read their store's clock, so that a test can advance it and a
/// year takes microseconds. Any thread may call.
public protocol StoreClock: AnyObject, Sendable {
    /// The current time.
    var now: Date { get }

    /// Runs a closure once a moment is reached, but never before this returns.
    ///
    /// If the moment has passed, it runs as soon as the clock fires anything.
    ///
    /// - Returns: a token that retains nothing; discard it, or cancel with it.
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

    /// Creates another clock, with an ``activity`` of its own clients only.
    public init() {}

    /// The system's time.
    public var now: Date { Date() }

    /// Runs a closure on a global queue once a moment is reached.
    @discardableResult
    public func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        let item = DispatchWorkItem(block: body)
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + max(0, moment.timeIntervalSince(now)), execute: item)
        let link = WeakItem(item: item)
        return TimerToken { link.item?.cancel() }
    }

    private struct WeakItem: @unchecked Sendable {  // unchecked: a work item may be cancelled from any thread
        weak let item: DispatchWorkItem?
    }
}

/// A token that cancels a scheduled closure.
public struct TimerToken: Sendable {
    private let body: @Sendable () -> Void
    /// Creates a token from a cancellation closure.
    ///
    /// The closure must be harmless after the time has come.
    public init(_ cancel: @escaping @Sendable () -> Void) { body = cancel }
    /// Prevents the scheduled closure from running, unless it has begun.
    public func cancel() { body() }
}

/// The reason why a clock cannot be moved.
public struct ClockError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the cause.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The sentence.
    public var description: String { reason }
}
