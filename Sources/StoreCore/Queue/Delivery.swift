/// One thing to tell the observers, in terms of the objects that they know.
///
/// Small, since they wait by the hundred thousand while a store sends all that there is.
enum Delivery {
    /// New, in the state its object has.
    case shown(AnyObject)
    /// To be changed just before the callback that says so.
    case changed(AnyObject, StoreTransaction)
    /// Unfinished, told to an observer that came later.
    case again(AnyObject)
    case removed(AnyObject)
    indirect case restoreEnded(StoreFailure?)
    /// The app decides whether it goes on in a new storefront; under the store's name for it.
    indirect case mayContinue(AnyObject, identifier: String, StoreStorefront)
    case storefrontChanged
    /// The app decides whether the store may ask for consent to a higher price now.
    case priceConsent
    case revoked([String])
    case promoted(StorePayment, StoreProduct)
    /// To be changed just before the callback that says so.
    indirect case download(AnyObject, DownloadReport)
    /// Not for observers: all that was to be told before this has been.
    indirect case told(UpdateCursor)

    /// What it is, as far as one callback may tell of several.
    enum Kind { case shown, changed, again, removed, other }

    /// Asked before it is matched, which copies what it is about.
    var kind: Kind {
        switch self {
        case .shown: .shown
        case .changed: .changed
        case .again: .again
        case .removed: .removed
        default: .other
        }
    }

    /// The object of one that is about a transaction and nothing else.
    var transaction: AnyObject? {
        switch self {
        case .shown(let transaction), .again(let transaction), .removed(let transaction): transaction
        default: nil
        }
    }
}

/// What is taken out of an engine's outbox together.
struct DeliveryBatch {
    /// The next to be made last, from where it is moved out rather than copied.
    var deliveries: [Delivery] = []
    /// What belongs to another epoch than the engine's is applied and told to nobody.
    var epoch = 0

    var isDone: Bool { deliveries.isEmpty }

    /// The next one; there has to be one.
    var next: Delivery { _read { yield deliveries[deliveries.count - 1] } }

    /// Takes the next one out; there has to be one.
    @discardableResult
    mutating func removeNext() -> Delivery { deliveries.removeLast() }
}

/// What an engine speaks through: it makes the objects that observers see and calls the observers.
///
/// To the engine a transaction is an object of the stage's own making, nothing more.
protocol QueueStage: AnyObject, Sendable {
    /// Called with the engine's lock held: must not call back.
    func makeTransaction(_ number: Int, _ payment: StorePayment, in engine: QueueEngine) -> AnyObject
    /// The object for a transaction that the store brought, as it is. Called with the engine's lock held.
    func makeTransaction(_ number: Int, _ transaction: StoreTransaction, in engine: QueueEngine) -> AnyObject
    /// Called with the engine's lock held or from `deliver`, never at the same time for one object.
    func apply(_ change: StoreTransaction, to transaction: AnyObject)
    /// The same for a download.
    func apply(_ report: DownloadReport, toDownload download: AnyObject)
    /// Called with the engine's lock held: the object is to be told of nothing more.
    func markFinished(_ transaction: AnyObject)
    /// The observers there are. Called with the engine's lock held; they are let go of without it.
    var liveObservers: [AnyObject] { get }
    /// Calls the engine's `observersChanged` if all observers were deallocated without having been removed. Called without
    /// a lock.
    func noticeDeallocatedObservers()
    /// Called without a lock, by one thread at a time: takes batch after batch until there is none left, and calls the
    /// observers.
    func drain(_ engine: QueueEngine)
}
