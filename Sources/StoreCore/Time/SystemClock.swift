import Foundation

/// The system's clock.
public final class SystemClock: StoreClock {
    /// The one that everything uses unless told otherwise.
    public static let shared = SystemClock()

    /// Who works by this clock.
    public let activity = Activity()

    /// Makes another one, whose ``activity`` knows only of those who use it.
    public init() {}

    /// The system's time.
    public var now: Date { Date() }

    /// Runs something on a global queue once a moment is reached.
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
