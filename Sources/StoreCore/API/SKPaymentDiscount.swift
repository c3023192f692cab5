import Foundation

/// A promotional offer, signed by the app's server for one payment.
///
/// The store checks the signature against the payment. An offer holds for 24 hours from its timestamp, and its nonce and
/// signature serve one attempt to buy, even one that fails.
///
/// Cannot be changed once made. Two are equal when all their parts are.
open class SKPaymentDiscount: NSObject, @unchecked Sendable {  // unchecked: an open class; its one property is a `let`
    private let stored: StoreDiscount

    /// An offer without content, to be filled in by a subclass.
    ///
    /// No store accepts it.
    public override init() {
        stored = StoreDiscount(identifier: "", keyIdentifier: "", nonce: .zero, signature: "", timestamp: 0)
        super.init()
    }

    /// Makes an offer of what the app's server sent.
    ///
    /// - Parameters:
    ///   - identifier: the offer's identifier in the store's set-up.
    ///   - keyIdentifier: which of the developer's keys signed.
    ///   - nonce: a number used for this payment only.
    ///   - signature: Base64 of the signature.
    ///   - timestamp: when it was signed, in milliseconds since 1970.
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

    /// An offer that has been signed: see ``SandboxStore/signedOffer(_:for:applicationUsername:nonce:)`` and
    /// ``PromotionalOfferPayload/signed(by:)``.
    ///
    /// Not part of Apple's Store Kit.
    public convenience init(_ value: StoreDiscount) {
        self.init(
            identifier: value.identifier,
            keyIdentifier: value.keyIdentifier,
            nonce: value.nonce,
            signature: value.signature,
            timestamp: NSNumber(value: value.timestamp)
        )
    }

    /// The offer's identifier in the store's set-up.
    open var identifier: String { stored.identifier }
    /// Which of the developer's keys signed.
    open var keyIdentifier: String { stored.keyIdentifier }
    /// A number used for one payment only.
    ///
    /// Lower-case in what is signed.
    open var nonce: UUID { stored.nonce }
    /// Base64 of the signature: ECDSA over P-256 with SHA-256, in DER.
    open var signature: String { stored.signature }
    /// When it was signed, in whole milliseconds since 1970.
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

    /// Whether the other object is an offer with the same parts.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? SKPaymentDiscount).map { $0.value == value } ?? false
    }

    /// A hash of the parts.
    override open var hash: Int { value.hashValue }
}

extension UUID {
    fileprivate static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
