import Foundation

/// The claims of a JWS in which a developer's server grants a user an offer of Store Kit 2.
///
/// The audience is `promotional-offer` for a promotional offer, and `introductory-offer-eligibility` for eligibility
/// for the introductory offer. A payment contains the JWS as ``StoreOffer/proof``. For the older kind of signature,
/// over joined fields, see ``PromotionalOfferPayload``.
///
/// ```swift
/// let claims = OfferClaims(
///     bundleIdentifier: "com.example.app",
///     productIdentifier: "pro.monthly",
///     grant: .promotionalOffer("winter"),
///     nonce: UUID(),
///     issuedAt: 1_735_689_600
/// )
/// let proof = try claims.signed(by: signer)
/// ```
public struct OfferClaims: Hashable, Sendable {
    /// The granted offer, which determines the JWS's audience, `aud`.
    public enum Grant: Hashable, Sendable {
        /// A promotional offer, by its identifier in the store.
        case promotionalOffer(String)
        /// The introductory offer, or none if `isAllowed` is false, whatever the account's eligibility.
        case introductoryOffer(isAllowed: Bool)
    }

    /// The app's bundle identifier, the claim `bid`.
    public var bundleIdentifier: String
    /// The product identifier of the subscription to which the offer applies, the claim `productId`.
    public var productIdentifier: String
    /// The granted offer.
    public var grant: Grant
    /// A transaction of the user to whom the offer is granted, the claim `transactionId`; nil if there is none.
    ///
    /// A sandbox store does not check that the transaction is the user's.
    public var transactionIdentifier: String?
    /// The nonce, which may be used for one payment only.
    public var nonce: UUID
    /// The date of the signature in seconds since 1970, the claim `iat`.
    ///
    /// A sandbox store accepts the claims within 24 hours before or after this date, by its own clock.
    public var issuedAt: Int64
    /// The issuer, the claim `iss`: the developer's account at App Store Connect; nil if there is none.
    public var issuer: String?

    /// Creates claims.
    public init(
        bundleIdentifier: String,
        productIdentifier: String,
        grant: Grant,
        transactionIdentifier: String? = nil,
        nonce: UUID,
        issuedAt: Int64,
        issuer: String? = nil
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.productIdentifier = productIdentifier
        self.grant = grant
        self.transactionIdentifier = transactionIdentifier
        self.nonce = nonce
        self.issuedAt = issuedAt
        self.issuer = issuer
    }

    /// Returns the signed claims: a JWS in compact serialization whose header has `alg`, `kid` and `typ`.
    ///
    /// - Throws: the reason why the signer cannot sign, or a ``StoreFailure`` if it does not sign JWSs.
    public func signed(by signer: any OfferSigner) throws -> String { try OfferProof.jws(of: self, by: signer) }
}

extension OfferClaims: Codable {
    private enum CodingKeys: String, CodingKey {
        case bid, productId, aud, offerIdentifier, allowIntroductoryOffer, transactionId, nonce, iat, iss
    }

    private static let promotional = "promotional-offer"
    private static let introductory = "introductory-offer-eligibility"

    /// Decodes claims by their names in a JWS.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let audience = try container.decode(String.self, forKey: .aud)
        let grant: Grant
        switch audience {
        case Self.promotional: grant = .promotionalOffer(try container.decode(String.self, forKey: .offerIdentifier))
        case Self.introductory:
            let isAllowed = try container.decode(Bool.self, forKey: .allowIntroductoryOffer)
            grant = .introductoryOffer(isAllowed: isAllowed)
        case let other:
            let description = "\"\(other)\" is no offer's audience."
            throw DecodingError.dataCorruptedError(forKey: .aud, in: container, debugDescription: description)
        }
        // In a JWS, a number of seconds may have a fraction.
        let seconds = try container.decode(Double.self, forKey: .iat).rounded(.down)
        guard let issuedAt = Int64(exactly: seconds) else {
            throw DecodingError.dataCorruptedError(forKey: .iat, in: container, debugDescription: "Out of range.")
        }
        self.init(
            bundleIdentifier: try container.decode(String.self, forKey: .bid),
            productIdentifier: try container.decode(String.self, forKey: .productId),
            grant: grant,
            transactionIdentifier: try container.decodeIfPresent(String.self, forKey: .transactionId),
            nonce: try container.decode(UUID.self, forKey: .nonce),
            issuedAt: issuedAt,
            issuer: try container.decodeIfPresent(String.self, forKey: .iss)
        )
    }

    /// Encodes claims by their names in a JWS; the nonce is in lowercase.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(bundleIdentifier, forKey: .bid)
        try container.encode(productIdentifier, forKey: .productId)
        switch grant {
        case .promotionalOffer(let identifier):
            try container.encode(Self.promotional, forKey: .aud)
            try container.encode(identifier, forKey: .offerIdentifier)
        case .introductoryOffer(let isAllowed):
            try container.encode(Self.introductory, forKey: .aud)
            try container.encode(isAllowed, forKey: .allowIntroductoryOffer)
        }
        try container.encodeIfPresent(transactionIdentifier, forKey: .transactionId)
        try container.encode(nonce.uuidString.lowercased(), forKey: .nonce)
        try container.encode(issuedAt, forKey: .iat)
        try container.encodeIfPresent(issuer, forKey: .iss)
    }
}
