/// A notification to the observers, with the objects that they know, such as transactions.
///
/// Compact, since hundreds of thousands of notices may be pending while a store sends a snapshot.
enum Notice {
    /// A new transaction, whose object already has its state.
    case shown(AnyObject)
    /// A transaction's new state, applied to the object just before the callback that reports it.
    case changed(AnyObject, StoreTransaction)
    /// An unfinished transaction, repeated for an observer that was added later, or as the app came to the front.
    case again(AnyObject)
    case removed(AnyObject)
    indirect case restoreEnded(StoreFailure?)
    /// Asks the app whether a purchase continues in a new storefront; `identifier` is the transaction's in the store.
    indirect case mayContinue(AnyObject, identifier: String, StoreStorefront)
    case storefrontChanged
    /// Asks the app whether the store may now show the sheet for consent to a higher price.
    case priceConsent
    case revoked([String])
    case promoted(StorePayment, StoreProduct)
    /// A download's progress, applied to the object just before the callback that reports it.
    indirect case download(AnyObject, DownloadReport)
    /// A marker, not for observers: every notice before it has been delivered.
    indirect case delivered(UpdateCursor)

    /// The kinds of notices that one callback may combine.
    enum Kind { case shown, changed, again, removed, other }

    /// The kind.
    var kind: Kind {
        switch self {
        case .shown: .shown
        case .changed: .changed
        case .again: .again
        case .removed: .removed
        case .restoreEnded, .mayContinue, .storefrontChanged, .priceConsent, .revoked, .promoted, .download, .delivered:
            .other
        }
    }

    /// Applies the change of a notice that is not delivered to any observer.
    ///
    /// Returns whether the store must repeat updates for the next observer, which requires a new snapshot.
    func applyUndelivered(_ delegate: some QueueDriverDelegate) -> Bool {
        switch self {
        case .changed(let transaction, let change): delegate.apply(change, to: transaction)
        case .download(let download, let report): delegate.apply(report, toDownload: download)
        case .delivered: return true
        case .shown, .again, .removed, .restoreEnded, .mayContinue, .storefrontChanged, .priceConsent, .revoked,
            .promoted:
            break
        }
        return false
    }
}

/// A batch of notices taken from a driver's outbox.
struct NoticeBatch {
    /// The notices in reverse order, so that the next one is moved out of the end rather than copied.
    var notices: [Notice] = []
    /// The driver's epoch when the batch was taken; notices of an earlier epoch are not delivered.
    var epoch = 0

    var isDone: Bool { notices.isEmpty }

    /// The kind of the next notice; nil if there is none.
    ///
    /// Read in place, since reading the notice itself would copy it.
    var nextKind: Notice.Kind? { notices.withUnsafeBufferPointer { $0.last?.kind } }

    mutating func putBack(_ notice: consuming Notice) { notices.append(notice) }

    /// Removes and returns the next notice.
    ///
    /// The batch must not be empty. A `switch` over the result moves the objects out of the notice if no case binds the
    /// notice as a whole.
    @discardableResult
    mutating func removeNext() -> Notice { notices.removeLast() }
}
