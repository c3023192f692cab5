/// A delegate that makes the objects that observers see, and calls the observers.
///
/// To the driver, a transaction is an opaque object that the delegate makes.
protocol QueueDriverDelegate: AnyObject, Sendable {
    /// Makes the object of a payment. Called with the driver's lock held; must not call back.
    func makeTransaction(_ number: Int, _ payment: StorePayment, in driver: QueueDriver) -> AnyObject
    /// Makes the object of a transaction that the store sent. Called with the driver's lock held.
    func makeTransaction(_ number: Int, _ transaction: StoreTransaction, in driver: QueueDriver) -> AnyObject
    /// Applies a change to a transaction's object. Called with the driver's lock held or from `deliver`, never
    /// concurrently for one object.
    func apply(_ change: StoreTransaction, to transaction: AnyObject)
    /// Applies a report to a download's object, in the same way.
    func apply(_ report: DownloadReport, toDownload download: AnyObject)
    /// Marks the object of a transaction whose notices have ended. Called with the driver's lock held.
    func markFinished(_ transaction: AnyObject)
    /// The same for one whose removal is about to be reported; returns whether it was not marked before, since the app has not
    /// finished it.
    func markRemoved(_ transaction: AnyObject) -> Bool
    /// The live observers. Called with the driver's lock held; they are released without it.
    var liveObservers: [AnyObject] { get }
    /// Calls the driver's `observersChanged` if all observers were deallocated without having been removed. Called
    /// without a lock.
    func noticeDeallocatedObservers()
    /// Takes batches until none is left, and calls the observers. Called without a lock, by one thread at a time.
    func deliver(_ driver: QueueDriver)
}
