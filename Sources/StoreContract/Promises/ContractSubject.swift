import Foundation
import StoreCore

/// What the suite has to know of a store before it can hold it to account.
public struct ContractSubject: Sendable {
    /// Opens a new store, on data of its own that is empty.
    ///
    /// Called several times. Stores that were opened earlier may still exist, and must not notice.
    public var newStore: @Sendable () throws -> Store
    /// Which identifiers to order.
    public var products: Products
    /// How long an answer may take, in seconds: by the store's clock, and by the system's clock as well.
    ///
    /// Whatever has not come by then is reported as missing.
    public var deadline: TimeInterval = 60
    /// How long to listen for what should not come, in seconds by the system's clock: longer than a server takes for
    /// anything.
    ///
    /// Where time can be moved, it is moved on by ``deadline`` instead, and this is how long to listen for what is missing
    /// then: a task may have something on its way that it did not report to the clock's activity.
    public var pause: TimeInterval = 0.05
    /// How many purchases to have unfinished at once, at least 1.
    ///
    /// More than the store puts into one batch show how it cuts a snapshot into parts.
    public var crowd = 20
    /// Whether the store claims to have a receipt for each purchased and restored transaction that is unfinished.
    public var hasReceipts = false
    /// Moves the store's time on by some seconds, 0 included, and returns when everything that can happen by then has
    /// happened.
    ///
    /// Nil for a store on a `ManualClock`, which is moved, and for one whose time passes by itself.
    public var letTimePass: (@Sendable (any StoreBackend, TimeInterval) -> Void)?

    /// States what to hold to account.
    ///
    /// - Parameters:
    ///   - products: which identifiers to order.
    ///   - newStore: opens a new store, on data of its own that is empty.
    public init(products: Products, newStore: @escaping @Sendable () throws -> Store) {
        self.products = products
        self.newStore = newStore
    }

    /// A store that has just been opened.
    public struct Store: Sendable {
        /// The store.
        public var backend: any StoreBackend
        /// Opens the same data once more, as after the death of the process, while the backend before it may still exist.
        ///
        /// Nil for a store that cannot be opened again: what should outlive the process is then not tried.
        public var reopen: (@Sendable () throws -> any StoreBackend)?
        /// Decides that a transaction which waits is sold after all.
        ///
        /// It is given the transaction's identifier. Nil if that cannot be done: what comes after waiting is then not
        /// tried.
        public var approve: (@Sendable (String) throws -> Void)?

        /// Hands over a store.
        ///
        /// - Parameters:
        ///   - backend: the store.
        ///   - reopen: opens the same data once more.
        ///   - approve: decides that a transaction which waits is sold.
        public init(
            _ backend: any StoreBackend,
            reopen: (@Sendable () throws -> any StoreBackend)? = nil,
            approve: (@Sendable (String) throws -> Void)? = nil
        ) {
            self.backend = backend
            self.reopen = reopen
            self.approve = approve
        }
    }

    /// The product identifiers that the suite orders.
    public struct Products: Hashable, Sendable {
        /// Sells, any number of times, and is not brought back by a restore.
        public var consumable: String
        /// Sells, and is brought back by a restore once it is finished; nil if the store has no such thing.
        public var restorable: String?
        /// Is refused when it is ordered: a card that is declined, for example; nil if the store has no such thing.
        public var refused: String?
        /// Stays undecided when it is ordered; nil if the store has no such thing.
        public var waiting: String?
        /// Nobody sells it.
        public var unknown: String

        /// Names products.
        public init(
            consumable: String,
            restorable: String? = nil,
            refused: String? = nil,
            waiting: String? = nil,
            unknown: String = "storecontract.nobody.sells.this"
        ) {
            self.consumable = consumable
            self.restorable = restorable
            self.refused = refused
            self.waiting = waiting
            self.unknown = unknown
        }
    }
}
