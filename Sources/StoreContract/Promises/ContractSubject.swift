import Foundation
import StoreCore

/// A description of the store that the suite checks.
public struct ContractSubject: Sendable {
    /// Opens a new store with empty data of its own.
    ///
    /// Called several times. Stores that were opened earlier may still exist, and must not be affected.
    public var newStore: @Sendable () throws -> Store
    /// The identifiers to order.
    public var products: Products
    /// The longest time for a reply, in seconds, by the store's clock and by the system's clock; by default 60.
    ///
    /// Whatever has not arrived by then is reported as missing.
    public var deadline: TimeInterval = 60
    /// The time to wait for unexpected messages, in seconds by the system's clock; by default 0.05.
    ///
    /// It has to be longer than any work of the store's server.
    ///
    /// If the store's time can be advanced, the suite advances it by ``deadline`` instead. If something is still
    /// missing, it waits several pauses more, since a task may do work that it did not report to the clock's activity.
    public var pause: TimeInterval = 0.05
    /// The number of purchases that are unfinished at the same time, at least 1; by default 20.
    ///
    /// If the number exceeds the size of the store's batches, the suite tests a snapshot in several parts.
    public var crowd = 20
    /// Whether the store claims to have a receipt for each unfinished transaction that is purchased or restored; false
    /// by default.
    public var hasReceipts = false
    /// Advances the store's time by some seconds, possibly 0, and returns when everything due by then has happened.
    ///
    /// Nil for a store on a `ManualClock`, which the suite advances, and for a store whose time passes by itself.
    public var letTimePass: (@Sendable (any StoreBackend, TimeInterval) -> Void)?

    /// Creates a description of the store to check.
    ///
    /// - Parameters:
    ///   - products: the identifiers to order.
    ///   - newStore: opens a new store, on data of its own that is empty.
    public init(products: Products, newStore: @escaping @Sendable () throws -> Store) {
        self.products = products
        self.newStore = newStore
    }

    /// A store that has just been opened.
    public struct Store: Sendable {
        /// The store.
        public var backend: any StoreBackend
        /// Reopens the same data, as after a crash of the process.
        ///
        /// The previous backend may still exist.
        ///
        /// Nil for a store that cannot be reopened: persistence is then not tested.
        public var reopen: (@Sendable () throws -> any StoreBackend)?
        /// Approves a waiting transaction, given its identifier.
        ///
        /// Nil if that cannot be done: results after waiting are then not tested.
        public var approve: (@Sendable (String) throws -> Void)?
        /// Refunds a transaction, given its identifier, as the store's operator does.
        ///
        /// Nil if that cannot be done: refunds are then not tested.
        public var refund: (@Sendable (String) throws -> Void)?
        /// Revokes a transaction of ``Products/restorable``, given its identifier: ends the access and notifies apps.
        ///
        /// Nil if that cannot be done: revocations are then not tested.
        public var revoke: (@Sendable (String) throws -> Void)?
        /// Begins a purchase of a product as a user does in the store itself, given the product's identifier.
        ///
        /// Nil if that cannot be done: promoted purchases are then not tested.
        public var promote: (@Sendable (String) throws -> Void)?
        /// Changes the country that the store sells in.
        ///
        /// Nil if that cannot be done: changes of the storefront are then not tested.
        public var changeStorefront: (@Sendable () throws -> Void)?

        /// Creates a store to check.
        ///
        /// - Parameters:
        ///   - backend: the store.
        ///   - reopen: reopens the same data.
        ///   - approve: approves a waiting transaction.
        ///   - refund: refunds a transaction.
        ///   - revoke: ends the access that a transaction grants.
        ///   - promote: begins a purchase in the store itself.
        ///   - changeStorefront: changes the country that the store sells in.
        public init(
            _ backend: any StoreBackend,
            reopen: (@Sendable () throws -> any StoreBackend)? = nil,
            approve: (@Sendable (String) throws -> Void)? = nil,
            refund: (@Sendable (String) throws -> Void)? = nil,
            revoke: (@Sendable (String) throws -> Void)? = nil,
            promote: (@Sendable (String) throws -> Void)? = nil,
            changeStorefront: (@Sendable () throws -> Void)? = nil
        ) {
            self.backend = backend
            self.reopen = reopen
            self.approve = approve
            self.refund = refund
            self.revoke = revoke
            self.promote = promote
            self.changeStorefront = changeStorefront
        }
    }

    /// The product identifiers that the suite orders.
    public struct Products: Hashable, Sendable {
        /// A product whose every order succeeds, and which a restore does not return.
        public var consumable: String
        /// A product whose order succeeds, and which a restore returns once it is finished; nil if the store has
        /// none.
        public var restorable: String?
        /// A product whose order is refused, for example because the card is declined; nil if the store has none.
        public var refused: String?
        /// A product whose order stays undecided; nil if the store has none.
        public var waiting: String?
        /// An auto-renewable subscription whose order succeeds; nil if the store has none.
        ///
        /// The suite buys the subscription only from a store with a history. It orders the subscription from every
        /// store under an unknown offer, which the store has to refuse.
        public var subscription: String?
        /// A product whose order succeeds, and whose transactions come with hosted files; nil if the store has
        /// none.
        public var hosted: String?
        /// An identifier that the store does not sell.
        public var unknown: String

        /// Creates the set of products.
        public init(
            consumable: String,
            restorable: String? = nil,
            refused: String? = nil,
            waiting: String? = nil,
            subscription: String? = nil,
            hosted: String? = nil,
            unknown: String = "storecontract.nobody.sells.this"
        ) {
            self.consumable = consumable
            self.restorable = restorable
            self.refused = refused
            self.waiting = waiting
            self.subscription = subscription
            self.hosted = hosted
            self.unknown = unknown
        }
    }
}
