import Foundation

/// A clock, the only source of time.
///
/// Queues and stores never read the system's time. They read the clock of their store, so that a test can move it and a
/// year takes microseconds. Any thread may call.
public protocol StoreClock: AnyObject, Sendable {
    /// The time now.
    var now: Date { get }

    /// Runs a closure once a moment is reached, but never before this returns.
    ///
    /// If the moment has passed, it runs as soon as the clock fires anything.
    ///
    /// - Returns: a token that keeps nothing alive; drop it, or cancel with it.
    @discardableResult
    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken

    /// The activity of this clock's clients.
    var activity: Activity { get }
}
