/// A store's service that reports the country in which it sells.
public protocol StorefrontService: Sendable {
    /// The country that the store sells in on this device; nil while unknown.
    ///
    /// Read on the app's thread whenever the app reads it. May block.
    var storefront: StoreStorefront? { get }

    /// Receives the app's decision about a purchase that was under way when a ``StoreUpdate/storefront(_:)`` came.
    ///
    /// The queue calls its delegate once for each undecided transaction in the store, in order among the callbacks; without
    /// a delegate the decision is true. A store that waits for the decision should give up after about a second and fail
    /// the transaction with `storeProductNotAvailable`. Called on the thread that makes callbacks; must not block.
    ///
    /// Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's identifier of the transaction.
    ///   - shouldContinue: whether it continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool)
}

extension StorefrontService {
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {}
}

/// A ``StorefrontService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncStorefrontService: Sendable {
    /// The country that the store sells in, as far as is known now. Must not block.
    var storefront: StoreStorefront? { get }

    /// Receives the app's decision about a purchase that was under way when the storefront changed, as
    /// ``StorefrontService/decideAfterStorefrontChange(transaction:shouldContinue:)`` says. Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's identifier of the transaction.
    ///   - shouldContinue: whether it continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async
}

extension AsyncStorefrontService {
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {}
}

/// The country that a store sells in.
public struct StoreStorefront: Hashable, Codable, Sendable {
    /// The country's code in ISO 3166-1 alpha-3, as in `USA`.
    public var countryCode: String
    /// The store's own name for the storefront.
    public var identifier: String
    /// Creates a storefront.
    public init(countryCode: String, identifier: String) {
        self.countryCode = countryCode
        self.identifier = identifier
    }
}

/// A store's service that reports, without waiting, whether the user may pay and what is sold.
///
/// Called on any thread, on behalf of the app; must not block. An ``AsyncStoreBackend`` conforms to it as well, and returns
/// what is known now.
public protocol AvailabilityService: Sendable {
    /// Whether the user of this device may pay. Read whenever the app reads it.
    ///
    /// Default: true, as for a store without this service.
    var canMakePayments: Bool { get }

    /// Returns whether a product is sold here, or nil if that is not known at once.
    ///
    /// Default: nil.
    func sells(_ productIdentifier: String) -> Bool?

    /// Whether the store is unreachable, as far as is known now.
    ///
    /// If so, a purchase of Store Kit 2 begins with a look-up of its product: if that fails, so does the purchase, and
    /// nothing is ordered. Default: false.
    var isOutOfReach: Bool { get }
}

extension AvailabilityService {
    /// True: payments are allowed.
    public var canMakePayments: Bool { true }
    /// Nil: not known at once.
    public func sells(_ productIdentifier: String) -> Bool? { nil }
    /// False: not known to be unreachable.
    public var isOutOfReach: Bool { false }
}
