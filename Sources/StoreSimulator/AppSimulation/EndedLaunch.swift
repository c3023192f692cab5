import StoreCore

/// What code of a launch that has ended may still use.
struct EndedLaunch {
    private weak let context: StoreContext?
    private weak let queue: SKPaymentQueue?

    init(_ launch: AppLife.Running) {
        context = launch.context
        // Code without the context may keep its queue.
        queue = launch.context.defaultQueueIfMade as? SKPaymentQueue
    }

    /// Tells whoever still awaits a purchase, an update or the like that there is no more.
    ///
    /// Nothing of them keeps the store then.
    func endWaits() {
        context?.use(nil)
        let queue = context?.defaultQueueIfMade as? SKPaymentQueue ?? queue
        _ = queue?.relaunch()
    }
}
