/// A token that cancels a scheduled closure.
public struct TimerToken: Sendable {
    private let body: @Sendable () -> Void
    /// Makes a token from its cancellation.
    ///
    /// It must be harmless when the time has come already.
    public init(_ cancel: @escaping @Sendable () -> Void) { body = cancel }
    /// Keeps the scheduled body from running, unless it has begun.
    public func cancel() { body() }
}
