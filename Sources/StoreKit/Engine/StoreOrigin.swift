import StoreCore

/// The origin of a value: the face that read it, and the store from which.
final class StoreOrigin: Sendable {
    let face: StoreFace
    private let place: StorePlace
    /// The store, which values do not keep.
    var store: (any StoreBackend)? { place.store }

    init(_ face: StoreFace, _ place: StorePlace) { (self.face, self.place) = (face, place) }

    /// Whether the queue's context still has the store.
    var isCurrent: Bool { place.storeChanges == face.storeChanges || currentStore != nil }

    /// The store, unless the queue's context has another one by now.
    var currentStore: (any StoreBackend)? {
        guard let store, store === face.backend else { return nil }
        return store
    }
}

/// A page of transactions, and where it was read.
struct OriginalPage {
    let transactions: ArraySlice<SignedValue<TransactionPayload>>
    let next: String?
    let origin: StoreOrigin
}
