#if canImport(CPostgres)
    import Foundation

    /// Whether a database was closed, and a wait that ends then.
    final class Closing: @unchecked Sendable {  // unchecked: touched with the condition's lock held
        private let condition = NSCondition()
        private var isSet = false

        var isClosed: Bool { condition.withLock { isSet } }

        func close() {
            condition.withLock {
                isSet = true
                condition.broadcast()
            }
        }

        func wait(_ seconds: TimeInterval) {
            let end = Date(timeIntervalSinceNow: seconds)
            condition.withLock { while !isSet, condition.wait(until: end) {} }
        }
    }
#endif
