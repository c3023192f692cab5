import Foundation

/// The payload that a developer's server signs to grant a user a promotional offer.
///
/// The store builds the same payload from the payment that carries the offer, so that an offer is valid only for the
/// app, the product and the user that it was signed for. ``data`` is the message to sign: compare it with that of a
/// server's own code.
///
/// ```swift
/// let payload = PromotionalOfferPayload(
///     bundleIdentifier: "com.example.app",
///     keyIdentifier: "ABC123",
///     productIdentifier: "pro.monthly",
///     offerIdentifier: "winter",
///     nonce: UUID(),
///     timestamp: 1_735_689_600_000
/// )
/// ```
public struct PromotionalOfferPayload: Hashable, Sendable {
    /// The app's bundle identifier.
    public var bundleIdentifier: String
    /// The identifier of the developer's key that signs.
    public var keyIdentifier: String
    /// The product identifier of the offer's subscription.
    public var productIdentifier: String
    /// The offer's identifier in the store's set-up.
    public var offerIdentifier: String
    /// The app's own name for its user, as the payment carries it; empty where it carries none.
    public var applicationUsername: String
    /// A nonce, used for one payment only.
    public var nonce: UUID
    /// The date of the signature, in milliseconds since 1970.
    public var timestamp: Int64

    /// Creates a payload.
    public init(
        bundleIdentifier: String,
        keyIdentifier: String,
        productIdentifier: String,
        offerIdentifier: String,
        applicationUsername: String = "",
        nonce: UUID,
        timestamp: Int64
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.keyIdentifier = keyIdentifier
        self.productIdentifier = productIdentifier
        self.offerIdentifier = offerIdentifier
        self.applicationUsername = applicationUsername
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The bytes to sign: the properties in the order above, joined by U+2063, in UTF-8.
    ///
    /// The nonce is in lowercase, everything else unchanged.
    public var data: Data {
        let fields = [
            bundleIdentifier, keyIdentifier, productIdentifier, offerIdentifier, applicationUsername,
            nonce.uuidString.lowercased(), String(timestamp),
        ]
        return Data(fields.joined(separator: "\u{2063}").utf8)
    }

    /// Returns the payload signed, as a payment carries it.
    ///
    /// - Throws: the error that keeps the signer from signing.
    public func signed(by signer: any OfferSigner) throws -> StoreDiscount {
        StoreDiscount(
            identifier: offerIdentifier,
            keyIdentifier: keyIdentifier,
            nonce: nonce,
            signature: try signer.sign(data).base64EncodedString(),
            timestamp: timestamp
        )
    }
}
