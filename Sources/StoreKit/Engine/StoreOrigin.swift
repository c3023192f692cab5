import StoreCore

/// The origin of a value: the driver that read it, and the store that it was read from.
final class StoreOrigin: Sendable {
    let driver: StoreKit2Driver
    /// The store, which is not retained: values do not keep the store alive while it is the context's.
    ///
    /// Never read. While this reference exists, no other store has the same address. A weak reference would slow down
    /// every use of the store.
    private unowned let store: any StoreBackend
    let storeID: ObjectIdentifier
    /// The number of times that the context's store had been replaced when the reading of the value began.
    let storeChanges: Int
    private let formerStore = Locked<FormerStore?>(nil)
    /// The store, once the context has another one; nil before.
    ///
    /// Values then retain the store, so their transactions can still be finished there.
    var former: FormerStore? {
        get { formerStore.withLock { $0 } }
        set { formerStore.withLock { $0 = newValue } }
    }

    init(_ driver: StoreKit2Driver, _ store: any StoreBackend, storeChanges: Int) {
        (self.driver, self.store, self.storeChanges) = (driver, store, storeChanges)
        storeID = ObjectIdentifier(store)
    }

    /// Whether the queue's context still has the store.
    var isCurrent: Bool {
        storeChanges == driver.storeChanges || driver.backend.map { ObjectIdentifier($0) } == storeID
    }
}

/// Transactions of a page, from which readers remove the first ones.
typealias SignedTransactions = ArraySlice<SignedValue<TransactionPayload>>

/// A page of transactions, and its origin.
struct OriginalPage {
    let transactions: SignedTransactions
    let next: String?
    let origin: StoreOrigin
}
