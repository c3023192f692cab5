import Foundation

/// The reason for a store's refusal or failure: a code of Store Kit or of the URL loading system, and a sentence.
///
/// The queue passes the failure to the app as an `SKError` or `URLError` with the same code, and with the sentence in
/// its `userInfo`. The sentence is for a developer's log: it names the product and the rule, but no receipt, user or
/// key.
public struct StoreFailure: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The family of codes that a failure belongs to.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Domain: String, Hashable, Codable, Sendable {
        /// Store Kit's codes; see ``SKError/Code``.
        case storeKit
        /// Codes of `URLError`: the network failed, and the outcome of a purchase is unknown.
        case network
    }

    /// The family that ``code`` belongs to.
    public var domain: Domain { parts.domain }
    /// The raw value of an `SKError.Code` or `URLError.Code`.
    public var code: Int { parts.code }
    /// One sentence that names the cause.
    ///
    /// The wording is not stable.
    public var reason: String { parts.reason }
    /// The underlying error, which the app finds under `NSUnderlyingErrorKey`; nil if there is none.
    public var underlying: Underlying? { parts.underlying }
    /// Whether the purchase may still succeed once the user has done something in the store.
    ///
    /// Store Kit 1 reports such a purchase as failed, Store Kit 2 as pending.
    public var isPending: Bool { parts.isPending }

    /// The properties, in an object, since many values contain an optional failure that is copied with them.
    private final class Parts: Sendable {
        let domain: Domain
        let code: Int
        let reason: String
        let underlying: Underlying?
        let isPending: Bool

        init(_ domain: Domain, _ code: Int, _ reason: String, _ underlying: Underlying?, _ isPending: Bool) {
            self.domain = domain
            self.code = code
            self.reason = reason
            self.underlying = underlying
            self.isPending = isPending
        }
    }

    private let parts: Parts

    /// An underlying error of another domain.
    public struct Underlying: Hashable, Codable, Sendable {
        /// The error's domain, such as `ASDServerErrorDomain`.
        public let domain: String
        /// The error's code.
        public let code: Int
        /// One sentence that names the cause.
        public let reason: String
        /// The error that underlies this one; nil if there is none.
        public var underlying: Underlying? { causes.first }

        // At most one: an array, since a struct cannot contain itself.
        private let causes: [Underlying]

        /// Creates an error from its domain, code and sentence, and the error that underlies it.
        public init(domain: String, code: Int, reason: String, underlying: Underlying? = nil) {
            self.domain = domain
            self.code = code
            self.reason = reason
            causes = underlying.map { [$0] } ?? []
        }

        private enum CodingKeys: String, CodingKey { case domain, code, reason, underlying }

        /// Decodes an error; the one that underlies it may be absent.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                domain: try container.decode(String.self, forKey: .domain),
                code: try container.decode(Int.self, forKey: .code),
                reason: try container.decode(String.self, forKey: .reason),
                underlying: try container.decodeIfPresent(Underlying.self, forKey: .underlying)
            )
        }

        /// Encodes the error, and the one that underlies it if there is one.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(domain, forKey: .domain)
            try container.encode(code, forKey: .code)
            try container.encode(reason, forKey: .reason)
            try container.encodeIfPresent(underlying, forKey: .underlying)
        }
    }

    /// Creates a failure from a domain, a raw code and a sentence.
    public init(domain: Domain, code: Int, reason: String, underlying: Underlying? = nil, isPending: Bool = false) {
        parts = Parts(domain, code, reason, underlying, isPending)
    }

    /// Returns a failure with one of Store Kit's codes.
    public static func storeKit(_ code: Code, _ reason: String) -> StoreFailure {
        StoreFailure(domain: .storeKit, code: code.rawValue, reason: reason)
    }

    /// The domain of the error that underlies the refusal of an Advanced Commerce request; its code is Apple's number.
    package static let advancedCommerceDomain = "AdvancedCommerceAPI"

    /// Returns a failure of the network.
    public static func network(_ code: URLError.Code, _ reason: String) -> StoreFailure {
        StoreFailure(domain: .network, code: code.rawValue, reason: reason)
    }

    /// Whether two failures have the same domain, code, sentence and underlying error, and both or neither is pending.
    public static func == (left: StoreFailure, right: StoreFailure) -> Bool {
        left.parts === right.parts
            || left.domain == right.domain && left.code == right.code && left.reason == right.reason
                && left.underlying == right.underlying && left.isPending == right.isPending
    }

    /// Hashes the domain, the code and the sentence.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(domain)
        hasher.combine(code)
        hasher.combine(reason)
    }

    /// The domain, the code and the sentence.
    public var description: String { "\(domain.rawValue) \(code): \(reason)" }

    private enum CodingKeys: String, CodingKey { case domain, code, reason, underlying, isPending }

    /// Decodes a failure; the underlying error and the pending mark may be absent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            domain: try container.decode(Domain.self, forKey: .domain),
            code: try container.decode(Int.self, forKey: .code),
            reason: try container.decode(String.self, forKey: .reason),
            underlying: try container.decodeIfPresent(Underlying.self, forKey: .underlying),
            isPending: try container.decodeIfPresent(Bool.self, forKey: .isPending) ?? false
        )
    }

    /// Encodes the failure without the properties that have their default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(domain, forKey: .domain)
        try container.encode(code, forKey: .code)
        try container.encode(reason, forKey: .reason)
        try container.encodeIfPresent(underlying, forKey: .underlying)
        if isPending { try container.encode(true, forKey: .isPending) }
    }
}

extension StoreFailure {
    /// An error code of Store Kit, as used by a backend.
    ///
    /// The set is open: other codes than those listed here reach the app unchanged.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The raw value of the code in Store Kit.
        public let rawValue: Int
        /// Creates a code from its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// An unexpected error.
        public static let unknown = Code(rawValue: 0)
        /// The app is not allowed to do what it attempted.
        public static let clientInvalid = Code(rawValue: 1)
        /// The user canceled.
        public static let paymentCancelled = Code(rawValue: 2)
        /// The store does not recognize a part of the payment.
        public static let paymentInvalid = Code(rawValue: 3)
        /// The user may not authorize payments.
        public static let paymentNotAllowed = Code(rawValue: 4)
        /// The product is not sold in the user's country.
        public static let storeProductNotAvailable = Code(rawValue: 5)
        /// The user refused access to cloud information.
        public static let cloudServicePermissionDenied = Code(rawValue: 6)
        /// The device had no connection to the cloud service.
        public static let cloudServiceNetworkConnectionFailed = Code(rawValue: 7)
        /// The user revoked a permission that they had granted.
        public static let cloudServiceRevoked = Code(rawValue: 8)
        /// The user has not yet read the store's privacy text.
        public static let privacyAcknowledgementRequired = Code(rawValue: 9)
        /// The payment has request data, for which the app lacks the entitlement.
        public static let unauthorizedRequestData = Code(rawValue: 10)
        /// The promotional offer is unknown or withdrawn.
        public static let invalidOfferIdentifier = Code(rawValue: 11)
        /// The promotional offer's signature is invalid.
        public static let invalidSignature = Code(rawValue: 12)
        /// A part of the promotional offer is missing.
        public static let missingOfferParams = Code(rawValue: 13)
        /// The price of the promotional offer is not below the current price.
        public static let invalidOfferPrice = Code(rawValue: 14)
        /// The user is not eligible for this offer.
        public static let ineligibleForOffer = Code(rawValue: 18)
        /// The user has to add a payment method first.
        public static let paymentMethodBindingConfigurationRequired = Code(rawValue: 21)
    }
}

extension StoreFailure.Code {
    /// The name of the case of `SKError.Code`, for logs; nil for a number that Store Kit does not use.
    package var name: String? { Self.names.indices.contains(rawValue) ? Self.names[rawValue] : nil }

    /// The names of the cases of `SKError.Code`, by number.
    private static let names = [
        "unknown", "clientInvalid", "paymentCancelled", "paymentInvalid", "paymentNotAllowed",
        "storeProductNotAvailable", "cloudServicePermissionDenied", "cloudServiceNetworkConnectionFailed",
        "cloudServiceRevoked", "privacyAcknowledgementRequired", "unauthorizedRequestData", "invalidOfferIdentifier",
        "invalidSignature", "missingOfferParams", "invalidOfferPrice", "overlayCancelled",
        "overlayInvalidConfiguration", "overlayTimeout", "ineligibleForOffer", "unsupportedPlatform",
        "overlayPresentedInBackgroundScene", "paymentMethodBindingConfigurationRequired",
    ]
}
