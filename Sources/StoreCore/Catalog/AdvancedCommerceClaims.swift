import Foundation

/// The claims of a JWS in which a developer's server describes a purchase of the Advanced Commerce API.
///
/// The audience is `advanced-commerce-api`. The request is the JSON of one of Apple's objects
/// `OneTimeChargeCreateRequest`, `SubscriptionCreateRequest`, `SubscriptionModifyInAppRequest` and
/// `SubscriptionReactivateInAppRequest`. The app passes the JWS to the purchase of a generic product, see
/// ``SandboxProduct/isAdvancedCommerce``.
///
/// ```swift
/// let claims = AdvancedCommerceClaims(
///     bundleIdentifier: "com.example.app",
///     request: requestJSON,
///     nonce: UUID(),
///     issuedAt: 1_735_689_600
/// )
/// let jws = try claims.signed(by: signer)
/// ```
public struct AdvancedCommerceClaims: Hashable, Sendable {
    /// The app's bundle identifier, the claim `bid`.
    public var bundleIdentifier: String
    /// The JSON of the request, in Base64 the claim `request`.
    public var request: Data
    /// The nonce, which may be used for one payment only.
    public var nonce: UUID
    /// The date of the signature in seconds since 1970, the claim `iat`.
    ///
    /// A sandbox store accepts the claims within 24 hours before or after this date, by its own clock.
    public var issuedAt: Int64
    /// The issuer, the claim `iss`: the developer's account at App Store Connect; nil if there is none.
    public var issuer: String?

    /// Creates claims.
    public init(bundleIdentifier: String, request: Data, nonce: UUID, issuedAt: Int64, issuer: String? = nil) {
        self.bundleIdentifier = bundleIdentifier
        self.request = request
        self.nonce = nonce
        self.issuedAt = issuedAt
        self.issuer = issuer
    }

    /// Returns the signed claims: a JWS in compact serialization whose header has `alg`, `kid` and `typ`.
    ///
    /// - Throws: the reason why the signer cannot sign, or a ``StoreFailure`` if it does not sign JWSs.
    public func signed(by signer: any OfferSigner) throws -> String {
        try SignedClaims<AdvancedCommerceClaims>.jws(of: self, by: signer)
    }
}

extension AdvancedCommerceClaims: Codable {
    private enum CodingKeys: String, CodingKey { case bid, aud, request, nonce, iat, iss }

    private static let audience = "advanced-commerce-api"

    /// Decodes claims by their names in a JWS.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(String.self, forKey: .aud) == Self.audience else {
            throw DecodingError.dataCorruptedError(forKey: .aud, in: container, debugDescription: "Another audience.")
        }
        // In a JWS, a number of seconds may have a fraction.
        guard let issuedAt = Int64(exactly: try container.decode(Double.self, forKey: .iat).rounded(.down)) else {
            throw DecodingError.dataCorruptedError(forKey: .iat, in: container, debugDescription: "Out of range.")
        }
        self.init(
            bundleIdentifier: try container.decode(String.self, forKey: .bid),
            request: try container.decode(Data.self, forKey: .request),
            nonce: try container.decode(UUID.self, forKey: .nonce),
            issuedAt: issuedAt,
            issuer: try container.decodeIfPresent(String.self, forKey: .iss)
        )
    }

    /// Encodes claims by their names in a JWS; the nonce is in lowercase.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(bundleIdentifier, forKey: .bid)
        try container.encode(Self.audience, forKey: .aud)
        try container.encode(request, forKey: .request)
        try container.encode(nonce.uuidString.lowercased(), forKey: .nonce)
        try container.encode(issuedAt, forKey: .iat)
        try container.encodeIfPresent(issuer, forKey: .iss)
    }
}

/// The data with which an app passes a signed request to a purchase: a JSON object that contains the JWS.
package struct AdvancedCommerceData: Codable {
    private struct SignatureInfo: Codable { let token: String }

    private let signatureInfo: SignatureInfo

    /// The key of the purchase option that carries the data.
    package static let optionKey = "advancedCommerceData"

    /// Creates the data for a JWS in compact serialization.
    package init(compactJWS: String) { signatureInfo = SignatureInfo(token: compactJWS) }

    /// Reads the data; returns nil for any other data.
    init?(_ data: Data) {
        guard let read = try? UntrustedJSON.decode(Self.self, from: data) else { return nil }
        self = read
    }

    /// The JSON.
    package var json: Data {
        get throws { try JSONEncoder().encode(self) }
    }

    /// The JWS before it is verified; nil unless it has the claims of a request.
    fileprivate var proof: SignedClaims<AdvancedCommerceClaims>? { SignedClaims(signatureInfo.token) }
}

extension StorePayment {
    /// The JWS of the payment's request before it is verified; nil if there is none, or if it is malformed.
    var requestProof: SignedClaims<AdvancedCommerceClaims>? {
        isStoreKit2 ? requestData.flatMap { AdvancedCommerceData($0)?.proof } : nil
    }
}
