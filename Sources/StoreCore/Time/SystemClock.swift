import Foundation

/// The system's clock.
public final class SystemClock: StoreClock {
    /// The clock that is used by default.
    public static let shared = SystemClock()

    /// The activity of this clock's clients.
    public let activity = Activity()

    /// Makes another clock, with an ``activity`` of its own clients only.
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
