import StoreCore

/// The context of code whose process has ended: one without a store.
///
/// Its callbacks are jobs, of which there are only so many: nothing else ends a request that begins again in its delegate.
/// One thread uses it.
final class StorelessContext {
    private var context = StorelessContext.newContext()

    private static func newContext() -> StoreContext { StoreContext(delivery: .onMainActor, log: .silent) }

    /// Binds the calling thread to this context.
    func bindToThread() { StoreContext.ofThread = context }

    /// Ends what code listens to in this context, and binds the calling thread to a new one, where code may listen again.
    func endWaits() {
        guard let queue = context.defaultQueueIfMade as? SKPaymentQueue else { return }
        let last = context
        context = Self.newContext()
        bindToThread()
        withExtendedLifetime(last) { _ = queue.relaunch() }
    }

    /// Frees the calling thread from this context.
    ///
    /// Code that still listens in it waits forever: on any other thread it would have the process's context.
    func leave() {
        if context.defaultQueueIfMade != nil { _ = Unmanaged.passRetained(context) }
        StoreContext.ofThread = nil
    }
}
