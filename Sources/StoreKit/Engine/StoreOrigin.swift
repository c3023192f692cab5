import StoreCore

/// The origin of a value: the face that read it, and the store from which.
final class StoreOrigin: Sendable {
    let face: StoreFace
    /// The store, which values do not keep while it is the context's.
    ///
    /// Never read: as long as there is this reference, no other store comes to be where it was. A weak one would slow down
    /// all use of the store.
    private unowned let store: any StoreBackend
    let storeID: ObjectIdentifier
    /// The number of times that the context's store had been replaced before.
    let storeChanges: Int
    private let left = Locked<FormerStore?>(nil)
    /// The store, once the queue's context has another one: values keep it from then on, to be finished there.
    var former: FormerStore? {
        get { left.withLock { $0 } }
        set { left.withLock { $0 = newValue } }
    }

    init(_ face: StoreFace, _ store: any StoreBackend, storeChanges: Int) {
        (self.face, self.store, self.storeChanges) = (face, store, storeChanges)
        storeID = ObjectIdentifier(store)
    }

    /// Whether the queue's context still has the store.
    var isCurrent: Bool { storeChanges == face.storeChanges || currentStore != nil }

    /// The store, unless the queue's context has another one by now.
    var currentStore: (any StoreBackend)? {
        guard let store = face.backend, ObjectIdentifier(store) == storeID else { return nil }
        return store
    }
}

/// A page of transactions, and where it was read.
struct OriginalPage {
    let transactions: ArraySlice<SignedValue<TransactionPayload>>
    let next: String?
    let origin: StoreOrigin
}
