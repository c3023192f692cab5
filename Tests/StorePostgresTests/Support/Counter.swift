import Foundation
import StoreCore

/// A listener that counts, and can be waited for.
final class Counter: LedgerListener, @unchecked Sendable {
    // unchecked: the count is touched with the condition's lock held.
    private let condition = NSCondition()
    private var calls = 0

    var count: Int { condition.withLock { calls } }

    func ledgerMayHaveGrown() {
        condition.withLock {
            calls += 1
            condition.broadcast()
        }
    }

    /// Waits until it has been called as often as that.
    func wait(times: Int = 1) { condition.withLock { while calls < times { condition.wait() } } }
}
