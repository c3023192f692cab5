import Foundation

/// A payload that a store signs as a JWS: a JSON object with the App Store's names.
///
/// Nil properties are omitted. ``TransactionPayload``, ``RenewalPayload`` and ``AppTransactionPayload`` conform.
public protocol JWSPayload: Codable, Hashable, Sendable {
    /// The date of the signature, at which the signer's certificates must be valid.
    var signingDate: PayloadDate { get }
    /// The environment's name, as in ``PayloadSigner/environment``.
    var environmentName: String { get }
    /// The Base64 of a hash that binds the payload to one device; nil if the payload is not bound.
    ///
    /// Payloads for servers are not bound, nor are those of a signer that does not support the hash.
    ///
    /// The hash is the SHA-384 of ``deviceVerificationNonce`` and the device's identifier, both in lowercase.
    var deviceVerification: String? { get set }
    /// The nonce of ``deviceVerification``, a UUID in lowercase; nil if there is no hash.
    var deviceVerificationNonce: String? { get set }
}

extension JWSPayload {
    /// The payload as JSON in UTF-8, the form in which it is signed.
    ///
    /// The keys are sorted, so equal payloads have the same bytes. A type that cannot be encoded stops the process.
    public var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            fatalError("A payload has no JSON: \(error)")
        }
    }
}

/// The signing date of a payload of any kind, decoded alone.
package struct SigningDate: Decodable {
    /// The date; nil if the payload has none.
    package let date: Date?

    private enum CodingKeys: CodingKey {
        case signedDate, receiptCreationDate
    }

    package init?(of payload: Data) {
        guard let date = try? UntrustedJSON.decode(Self.self, from: payload) else { return nil }
        self = date
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        // The second field is decoded only if the first is missing. If the first is present, the second may have any
        // value.
        let signed = try fields.decodeIfPresent(PayloadDate.self, forKey: .signedDate)
        date = try (signed ?? fields.decodeIfPresent(PayloadDate.self, forKey: .receiptCreationDate))?.date
    }
}

/// A date in a signed payload: a whole number of milliseconds since 1970.
public struct PayloadDate: Hashable, Sendable {
    /// The milliseconds since the beginning of 1970, UTC.
    public let milliseconds: Int64

    /// The date.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Creates a date from its milliseconds.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates a date, rounded to the nearest millisecond.
    ///
    /// A date outside the range of ``milliseconds`` is clamped to it; one that is not a number becomes the latest.
    public init(_ date: Date) {
        // Nil if the date is out of range or is not a number.
        let nearest = (date.timeIntervalSince1970 * 1000).rounded()
        milliseconds = Int64(exactly: nearest) ?? (nearest < 0 ? .min : .max)
    }
}

extension PayloadDate: Comparable {
    /// Returns whether the first date is earlier.
    public static func < (left: PayloadDate, right: PayloadDate) -> Bool { left.milliseconds < right.milliseconds }
}

extension PayloadDate: Codable {
    /// Decodes a number of milliseconds; fractions, which Xcode's payloads have, are rounded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let milliseconds = try? container.decode(Int64.self) {
            self.init(milliseconds: milliseconds)
            return
        }
        guard let milliseconds = Int64(exactly: try container.decode(Double.self).rounded()) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The date is out of range.")
        }
        self.init(milliseconds: milliseconds)
    }

    /// Encodes the whole number of milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
