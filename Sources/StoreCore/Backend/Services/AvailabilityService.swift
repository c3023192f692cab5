/// A store's service that tells at once whether the user may pay and what is sold.
///
/// Any thread may call it, on behalf of the app: it must not block. An ``AsyncStoreBackend`` conforms to it as well, and
/// answers with what is known now.
public protocol AvailabilityService: Sendable {
    /// Whether the user of this device may pay. Read whenever the app asks.
    ///
    /// Default: true, as for a store without this service.
    var canMakePayments: Bool { get }

    /// Returns whether an identifier is sold here, or nil if that is not known at once.
    ///
    /// Default: nil.
    func sells(_ productIdentifier: String) -> Bool?

    /// Whether the store is out of reach, as far as is known now.
    ///
    /// A purchase of Store Kit 2 then begins with a look-up of its product. If that fails, so does the purchase, and
    /// nothing is ordered. Default: false.
    var isOutOfReach: Bool { get }
}

extension AvailabilityService {
    /// True: payments are allowed.
    public var canMakePayments: Bool { true }
    /// Nil: not known at once.
    public func sells(_ productIdentifier: String) -> Bool? { nil }
    /// False: not known to be out of reach.
    public var isOutOfReach: Bool { false }
}
