import StoreCore

/// The context and the queue of a launch that has ended, as long as code of it uses them.
struct EndedLaunch {
    private weak let context: StoreContext?
    private weak let queue: SKPaymentQueue?

    init(_ launch: AppLife.Running) {
        context = launch.context
        // Code without the context may keep its queue.
        queue = launch.context.defaultQueueIfMade as? SKPaymentQueue
    }

    /// Tells code that awaits a purchase, an update or the like that there is no more, and takes the store from it.
    func endWaits() {
        guard let context = context ?? queue?.storeContext else { return }
        context.use(nil)
        let queue = context.defaultQueueIfMade as? SKPaymentQueue ?? queue
        _ = queue?.relaunch()
    }
}
