import Foundation

/// A payload that a store signs as JWS: a JSON object under the App Store's names.
///
/// Encoded, an absent value has no key. ``TransactionPayload``, ``RenewalPayload`` and ``AppTransactionPayload`` conform.
public protocol JWSPayload: Codable, Hashable, Sendable {
    /// The date of the signature, as of which a verifier judges certificates.
    var signingDate: PayloadDate { get }
    /// The environment's name, as ``PayloadSigner/environment`` has it.
    var environmentName: String { get }
    /// The Base64 of a hash that ties the payload to one device; nil in copies for servers, and where the signer has no
    /// hash for it.
    ///
    /// It is the SHA-384 of ``deviceVerificationNonce`` and of the device's identifier, both in lowercase.
    var deviceVerification: String? { get set }
    /// The UUID with which ``deviceVerification`` begins, in lowercase; nil where that is.
    var deviceVerificationNonce: String? { get set }
}

extension JWSPayload {
    /// The payload as a store signs it, in UTF-8.
    ///
    /// The keys are in alphabetical order, so the same payload has the same bytes. A conforming type of the app's own
    /// must be encodable as JSON: one that is not stops the process.
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

/// The signing date of a payload of any kind.
package struct SigningDate: Decodable {
    /// The date, nil if the payload tells none.
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
        // The other field is not read if the first is there, so that it may have any value.
        let signed = try fields.decodeIfPresent(PayloadDate.self, forKey: .signedDate)
        date = try (signed ?? fields.decodeIfPresent(PayloadDate.self, forKey: .receiptCreationDate))?.date
    }
}
