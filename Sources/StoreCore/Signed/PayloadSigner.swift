import Foundation

/// A signer of JSON payloads as compact JWS (RFC 7515), the form in which Store Kit 2 and the App Store's servers describe
/// transactions.
///
/// ``HMACReceiptSigner`` conforms with the algorithm HS256. Every member may be called on any thread at any time, and
/// returns its result directly.
public protocol PayloadSigner: Sendable {
    /// The environment's name in payloads, constant: `Production`, `Sandbox`, `Xcode`, `LocalTesting`.
    var environment: String { get }

    /// Signs a payload.
    ///
    /// - Parameter payload: a JSON object.
    /// - Returns: header, payload and signature in Base64 for URLs, with dots between them.
    /// - Throws: the reason why it cannot sign.
    func jws(of payload: Data) throws -> String

    /// Signs a payload with a defect, for tests of how an app handles it.
    ///
    /// Default: breaks the signature in place of a defect in a certificate.
    ///
    /// - Parameters:
    ///   - payload: a JSON object.
    ///   - defect: the defect; everything else should be correct.
    /// - Returns: the JWS.
    /// - Throws: the reason why it cannot sign.
    func jws(of payload: Data, with defect: SignatureDefect) throws -> String

    /// Verifies a JWS.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signingDate: reads the date from a payload as of which certificates must be valid; nil if there is none.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal.
    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data

    /// Returns the SHA-384 that ties a payload to a device, or nil if this signer has no such hash.
    ///
    /// Without it, which is the default, payloads for devices have neither ``JWSPayload/deviceVerification`` nor
    /// ``JWSPayload/deviceVerificationNonce``.
    ///
    /// - Parameter text: the nonce and the device's identifier, one after the other, in lowercase.
    /// - Returns: 48 bytes.
    func deviceVerification(of text: Data) -> Data?
}

extension PayloadSigner {
    /// Returns nil: the signer has no hash for devices.
    public func deviceVerification(of text: Data) -> Data? { nil }
}

extension PayloadSigner {
    /// Signs a payload with a defect; breaks the signature if the defect is a certificate's.
    public func jws(of payload: Data, with defect: SignatureDefect) throws -> String { try tampered(payload, defect) }

    /// Signs a payload, and changes the text or the payload so that it has a defect.
    package func tampered(_ payload: Data, _ defect: SignatureDefect) throws -> String {
        switch defect {
        case .invalidEncoding:
            try jws(of: payload).replacingOccurrences(of: ".", with: ".*")
        case .invalidCertificateChain, .revokedCertificate, .invalidSignature:
            try brokenSignature(of: payload)
        case .missingRequiredProperties:
            try jws(
                of: Self.changed(payload) { object in
                    for name in ["bundleId", "productId"] { object[name] = nil }
                }
            )
        case .invalidDeviceVerification:
            try jws(of: Self.changed(payload) { $0["deviceVerification"] = Data(count: 48).base64EncodedString() })
        }
    }

    /// Signs a payload, and changes one bit of the signature.
    package func brokenSignature(of payload: Data) throws -> String {
        let text = try jws(of: payload)
        guard let dot = text.lastIndex(of: "."),
            var signature = Base64URL.decode(Array(text[text.index(after: dot)...].utf8)[...]), !signature.isEmpty
        else { return text + "A" }
        signature[0] ^= 1
        return text[...dot] + String(decoding: signature.withUnsafeBytes(Base64URL.encode), as: UTF8.self)
    }

    private static func changed(_ payload: Data, _ change: (inout [String: Any]) -> Void) throws -> Data {
        guard var object = try JSONSerialization.jsonObject(with: payload) as? [String: Any] else { return payload }
        change(&object)
        return try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    }
}

/// A defect of a signed value, under Store Kit 2's names.
///
/// A verifier that finds several reports the first in this order.
public enum SignatureDefect: String, Hashable, Codable, CaseIterable, Sendable {
    /// The text is not a JWS, or its payload is not JSON of the expected kind.
    case invalidEncoding
    /// A certificate has expired, lacks its marker or does not lead to the trusted root.
    case invalidCertificateChain
    /// A certificate is revoked.
    case revokedCertificate
    /// The signature is not the certificate's for this payload, or the payload is from another environment.
    case invalidSignature
    /// The payload lacks a property that every payload of its kind has.
    case missingRequiredProperties
    /// The payload was made for another device.
    case invalidDeviceVerification
}

/// A verifier's error that has a defect.
package protocol SignatureRefusal: Error {
    /// The defect.
    var defect: SignatureDefect { get }
}

extension SignatureDefect {
    /// Creates the defect of a verifier's error; an invalid signature if the error has none.
    init(_ error: any Error) { self = (error as? any SignatureRefusal)?.defect ?? .invalidSignature }
}
