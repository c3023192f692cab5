import Foundation
import StoreCore

/// The header of a JWS.
struct JWSHeader: Codable {
    var alg: String?
    var kid: String?
    var typ: String?
    var x5c: [String]?

    static let algorithm = "ES256"

    /// The maximum number of characters of a header in Base64: a chain of three certificates has fewer than 7,000.
    static let maximumLength = 32_768

    /// Creates the header of a chain's signatures.
    init(_ certificates: [Data], form: SigningForm) {
        alg = Self.algorithm
        if form == .xcode { (kid, typ) = ("Apple_Xcode_Key", "JWT") }
        x5c = certificates.map { $0.base64EncodedString() }
    }

    /// Reads a header in Base64.
    ///
    /// The header is untrusted when it is read, so its length is limited and only the needed members are stored.
    init(_ text: ArraySlice<UInt8>) throws(VerificationFailure) {
        guard text.count <= Self.maximumLength, let json = Base64URL.decode(text).map({ Data($0) }),
            let header = try? UntrustedJSON.decode(Self.self, from: json),
            let critical = try? UntrustedJSON.decode(CriticalMember.self, from: json)
        else { throw .malformed }
        guard !critical.isPresent else { throw .unknownCriticalHeader }
        self = header
    }

    /// The header in Base64, followed by the dot.
    func text() throws(CryptoError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else { throw CryptoError("the header cannot be encoded") }
        return json.withUnsafeBytes(Base64URL.encode) + [UInt8(ascii: ".")]
    }

    /// The certificates in DER, the leaf first.
    func certificates() throws(VerificationFailure) -> [Data] {
        var certificates: [Data] = []
        for text in x5c ?? [] {
            guard let certificate = Data(base64Encoded: text) else { throw .unreadableCertificate }
            certificates.append(certificate)
        }
        return certificates
    }
}

/// The member `crit` of a header, which names extensions that must be understood (RFC 7515, 4.1.11).
///
/// No extension is supported here, so a header with this member is refused, whatever its value.
private struct CriticalMember: Decodable {
    let isPresent: Bool

    private enum CodingKeys: CodingKey {
        case crit
    }

    init(from decoder: any Decoder) throws {
        isPresent = try decoder.container(keyedBy: CodingKeys.self).contains(.crit)
    }
}
