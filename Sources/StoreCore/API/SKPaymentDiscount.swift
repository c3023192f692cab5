import Foundation

/// A promotional offer, signed by the app's server for one payment.
///
/// The store checks the signature against the payment. An offer is valid for 24 hours from its timestamp. Its nonce and
/// signature can be used for only one attempt to buy, even if the attempt fails.
///
/// Offers are immutable. Two offers are equal if all their properties are equal.
open class SKPaymentDiscount: NSObject, @unchecked Sendable {  // unchecked: an open class with one property, a `let`
    private let stored: StoreDiscount

    /// Creates an offer without content, to be filled in by a subclass.
    ///
    /// No store accepts an offer without content.
    public override init() {
        stored = StoreDiscount(identifier: "", keyIdentifier: "", nonce: .zero, signature: "", timestamp: 0)
        super.init()
    }

    /// Creates an offer from the values that the app's server sent.
    ///
    /// - Parameters:
    ///   - identifier: the offer's identifier in the store.
    ///   - keyIdentifier: the identifier of the developer's key that signed the offer.
    ///   - nonce: a unique value that is used for this payment only.
    ///   - signature: the signature in Base64.
    ///   - timestamp: the time of signing, in milliseconds since 1970.
    public init(identifier: String, keyIdentifier: String, nonce: UUID, signature: String, timestamp: NSNumber) {
        stored = StoreDiscount(
            identifier: identifier,
            keyIdentifier: keyIdentifier,
            nonce: nonce,
            signature: signature,
            timestamp: timestamp.int64Value
        )
        super.init()
    }

    /// Creates an offer from one that was signed by a sandbox store or an ``OfferSigner``.
    ///
    /// See ``SandboxStore/signedOffer(_:for:applicationUsername:nonce:)`` and ``PromotionalOfferPayload/signed(by:)``.
    ///
    /// This initializer is not part of Apple's Store Kit.
    public convenience init(_ value: StoreDiscount) {
        self.init(
            identifier: value.identifier,
            keyIdentifier: value.keyIdentifier,
            nonce: value.nonce,
            signature: value.signature,
            timestamp: NSNumber(value: value.timestamp)
        )
    }

    /// The offer's identifier in the store.
    open var identifier: String { stored.identifier }
    /// The identifier of the developer's key that signed the offer.
    open var keyIdentifier: String { stored.keyIdentifier }
    /// A unique value that is used for one payment only.
    ///
    /// It is in lowercase in the signed data.
    open var nonce: UUID { stored.nonce }
    /// The signature in Base64: for Store Kit's own servers, ECDSA over P-256 with SHA-256, in DER.
    open var signature: String { stored.signature }
    /// The time of signing, in whole milliseconds since 1970.
    open var timestamp: NSNumber { NSNumber(value: stored.timestamp) }

    final var value: StoreDiscount {
        if type(of: self) == SKPaymentDiscount.self { return stored }
        return StoreDiscount(
            identifier: identifier,
            keyIdentifier: keyIdentifier,
            nonce: nonce,
            signature: signature,
            timestamp: timestamp.int64Value
        )
    }

    /// Whether the other object is an offer with equal properties.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? SKPaymentDiscount).map { $0.value == value } ?? false
    }

    /// A hash of the properties.
    override open var hash: Int { value.hashValue }
}

extension UUID {
    fileprivate static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
