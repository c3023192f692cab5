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

    /// Waits for the first call.
    func wait() { condition.withLock { while calls == 0 { condition.wait() } } }
}
