/// A service by which a store reports the country in which it sells.
public protocol StorefrontService: Sendable {
    /// The country in which the store sells on this device; nil if it is unknown.
    ///
    /// Read on the app's thread whenever the app reads the storefront. May block. Must have the new value by the time
    /// that the store sends a ``StoreUpdate/storefront(_:)``.
    var storefront: StoreStorefront? { get }

    /// Receives the app's decision about a purchase that was under way when the storefront changed.
    ///
    /// After a ``StoreUpdate/storefront(_:)``, the queue asks its delegate about each undecided transaction in the
    /// store, in order among the callbacks; without a delegate, the decision is true. A store that waits for decisions
    /// should give up after about a second and fail the transaction with `storeProductNotAvailable`. Called on the
    /// thread that makes callbacks; must not block.
    ///
    /// The default implementation does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's identifier of the transaction.
    ///   - shouldContinue: whether the purchase continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool)
}

extension StorefrontService {
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {}
}

/// A ``StorefrontService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncStorefrontService: Sendable {
    /// The country in which the store sells, as far as it is known now. Must not block.
    var storefront: StoreStorefront? { get }

    /// Receives the app's decision about a purchase that was under way when the storefront changed.
    ///
    /// See ``StorefrontService/decideAfterStorefrontChange(transaction:shouldContinue:)``. By default, does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's identifier of the transaction.
    ///   - shouldContinue: whether the purchase continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async
}

extension AsyncStorefrontService {
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {}
}

/// The country in which a store sells.
public struct StoreStorefront: Hashable, Codable, Sendable {
    /// The country's code in ISO 3166-1 alpha-3, as in `USA`.
    public var countryCode: String
    /// The store's own identifier of the storefront.
    public var identifier: String
    /// Creates a storefront.
    public init(countryCode: String, identifier: String) {
        self.countryCode = countryCode
        self.identifier = identifier
    }
}

/// A service by which a store reports at once whether the user may pay, which products are sold, and the app's rating.
///
/// Called on any thread when the app needs the information; must not block. An ``AsyncStoreBackend`` also conforms to
/// this protocol, and returns what it knows at that time.
public protocol AvailabilityService: Sendable {
    /// Whether the user of this device may make payments. Read each time that the app asks.
    ///
    /// By default true, as for a store without this service.
    var canMakePayments: Bool { get }

    /// Returns whether a product is sold on this device; nil if that is not known at once.
    ///
    /// The default implementation returns nil.
    func sells(_ productIdentifier: String) -> Bool?

    /// Whether the store is unreachable, as far as it is known now.
    ///
    /// If true, a Store Kit 2 purchase first looks up its product: if the look-up fails, the purchase fails too, and
    /// nothing is ordered. By default false.
    var isOutOfReach: Bool { get }

    /// The code of the app's age rating, for `AppStore.ageRatingCode` of Store Kit 2; nil if there is none.
    ///
    /// By default nil.
    var ageRatingCode: Int? { get }
}

extension AvailabilityService {
    /// True: payments are allowed.
    public var canMakePayments: Bool { true }
    /// Returns nil: whether a product is sold is not known at once.
    public func sells(_ productIdentifier: String) -> Bool? { nil }
    /// False: the store is not known to be unreachable.
    public var isOutOfReach: Bool { false }
    /// Nil: the app has no age rating.
    public var ageRatingCode: Int? { nil }
}
