import Foundation

/// What a developer's server signs when it lets a user have a promotional offer.
///
/// The store puts the same together from the payment that the offer comes with, so that an offer serves only the app, the
/// product and the user that it was signed for. ``data`` is what goes into the signature: compare it with what a server's
/// own code makes.
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
    /// The app.
    public var bundleIdentifier: String
    /// Which of the developer's keys signs.
    public var keyIdentifier: String
    /// The subscription that the offer is for.
    public var productIdentifier: String
    /// The offer, by its identifier in the store's set-up.
    public var offerIdentifier: String
    /// The app's own name for its user, as the payment carries it; empty where it carries none.
    public var applicationUsername: String
    /// A number used for one payment only.
    public var nonce: UUID
    /// When it is signed, in milliseconds since 1970.
    public var timestamp: Int64

    /// Describes what is signed.
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

    /// The bytes that are signed: the properties in the order above, joined by U+2063, in UTF-8.
    ///
    /// The nonce is in lower case, everything else as it is.
    public var data: Data {
        let fields = [
            bundleIdentifier, keyIdentifier, productIdentifier, offerIdentifier, applicationUsername,
            nonce.uuidString.lowercased(), String(timestamp),
        ]
        return Data(fields.joined(separator: "\u{2063}").utf8)
    }

    /// The same payload signed, as a payment carries it.
    ///
    /// - Throws: what keeps the signer from signing.
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
