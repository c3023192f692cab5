import Foundation

/// The one place where time comes from.
///
/// Queues and stores never ask the system for the time; they ask the clock of their store, so that a test can move
/// it and a year takes microseconds. Any thread may call.
public protocol StoreClock: AnyObject, Sendable {
    /// The time now.
    var now: Date { get }

    /// Runs something once a moment is reached; if it has passed, as soon as the clock fires anything, but never before this returns.
    ///
    /// - Returns: a token that keeps nothing alive; drop it, or cancel with it.
    @discardableResult
    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken

    /// Who works by this clock, and whether they are quiet.
    var activity: Activity { get }
}

/// Calls off what was scheduled.
public struct TimerToken: Sendable {
    private let body: @Sendable () -> Void
    /// Makes a token from what cancelling does.
    ///
    /// It must be harmless when the time has come already.
    public init(_ cancel: @escaping @Sendable () -> Void) { body = cancel }
    /// Keeps the scheduled body from running, unless it has begun.
    public func cancel() { body() }
}
