import StoreCore

/// A store in its context: which one, and how many were before it.
final class StorePlace: Sendable {
    /// The store, which the place does not keep.
    weak let store: (any StoreBackend)?
    /// The number of times that the context's store had been replaced before.
    let storeChanges: Int

    init(_ store: any StoreBackend, storeChanges: Int) { (self.store, self.storeChanges) = (store, storeChanges) }
}
