/// One thing to tell the observers, in terms of the objects that they know.
///
/// Small, since they wait by the hundred thousand while a store sends all that there is.
enum Notice {
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

/// The notices that are taken out of a driver's outbox together.
struct NoticeBatch {
    /// The next to be made last, from where it is moved out rather than copied.
    var notices: [Notice] = []
    /// What belongs to another epoch than the driver's is applied and told to nobody.
    var epoch = 0

    var isDone: Bool { notices.isEmpty }

    mutating func popNext() -> Notice? { notices.popLast() }

    mutating func putBack(_ notice: consuming Notice) { notices.append(notice) }

    /// Removes and returns the next notice.
    ///
    /// There has to be one.
    @discardableResult
    mutating func removeNext() -> Notice { notices.removeLast() }
}
