import StoreCore

/// The context of code whose process has ended, which has no store.
///
/// Its callbacks are jobs, of which there are only so many: nothing else ends a request that begins again in its delegate.
/// One thread uses it.
final class AfterlifeContext {
    private var context = AfterlifeContext.newContext()

    private static func newContext() -> StoreContext { StoreContext(delivery: .onMainActor, log: .silent) }

    /// Makes it the calling thread's context.
    func bindToThread() { StoreContext.ofThread = context }

    /// Ends what code listens to in it, and again if code listens again; then the thread has no context.
    ///
    /// Code that listens again every time waits forever: on any other thread it would have the process's context.
    ///
    /// - Parameter drain: runs everything that is ready.
    func end(_ drain: () -> Void) {
        for _ in 0..<3 where context.defaultQueueIfMade != nil {
            let last = context
            context = Self.newContext()
            bindToThread()
            last.run { _ = SKPaymentQueue.default().relaunch() }
            drain()
        }
        if context.defaultQueueIfMade != nil { _ = Unmanaged.passRetained(context) }
        StoreContext.ofThread = nil
    }
}
