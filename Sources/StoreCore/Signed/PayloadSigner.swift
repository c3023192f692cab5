import Foundation

/// A signer of JSON payloads as JWSs in compact serialization (RFC 7515).
///
/// Store Kit 2 and the App Store's servers describe transactions in this form.
///
/// ``HMACReceiptSigner`` conforms, with the algorithm HS256. Every requirement may be called on any thread at any time.
public protocol PayloadSigner: Sendable {
    /// The environment's name in payloads, such as `Production`, `Sandbox`, `Xcode` or `LocalTesting`; must not change.
    var environment: String { get }

    /// Signs a payload.
    ///
    /// - Parameter payload: a JSON object.
    /// - Returns: the header, the payload and the signature in URL-safe Base64, separated by dots.
    /// - Throws: the reason why the signer cannot sign.
    func jws(of payload: Data) throws -> String

    /// Signs a payload with a deliberate defect, so that a test can check how an app handles it.
    ///
    /// The default implementation breaks the signature if the defect is one of a certificate.
    ///
    /// - Parameters:
    ///   - payload: a JSON object.
    ///   - defect: the defect; all else should be correct.
    /// - Returns: the JWS.
    /// - Throws: the reason why the signer cannot sign.
    func jws(of payload: Data, with defect: SignatureDefect) throws -> String

    /// Verifies a JWS.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signingDate: reads from a payload the date at which certificates must have been valid; nil if there is none.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal.
    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data

    /// Returns the SHA-384 that binds a payload to a device; nil, the default, if the signer does not support it.
    ///
    /// If it is nil, payloads have neither ``JWSPayload/deviceVerification`` nor
    /// ``JWSPayload/deviceVerificationNonce``.
    ///
    /// - Parameter text: the nonce, followed by the device's identifier, in lowercase.
    /// - Returns: 48 bytes.
    func deviceVerification(of text: Data) -> Data?
}

extension PayloadSigner {
    /// Returns nil: the signer does not bind payloads to devices.
    public func deviceVerification(of text: Data) -> Data? { nil }
}

extension PayloadSigner {
    /// Signs a payload with a deliberate defect; breaks the signature if the defect is one of a certificate.
    public func jws(of payload: Data, with defect: SignatureDefect) throws -> String { try tampered(payload, defect) }

    /// Signs a payload with a defect, by changing the payload before it is signed, or the JWS afterwards.
    package func tampered(_ payload: Data, _ defect: SignatureDefect) throws -> String {
        switch defect {
        case .invalidEncoding: try jws(of: payload).replacingOccurrences(of: ".", with: ".*")
        case .invalidCertificateChain, .revokedCertificate, .invalidSignature: try brokenSignature(of: payload)
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

    /// Signs a payload, and changes a bit of the signature.
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

/// A defect of a signed value, by the names that Store Kit 2 uses.
///
/// If a value has several defects, a verifier reports the first that it finds.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum SignatureDefect: String, Hashable, Codable, CaseIterable, Sendable {
    /// The text is not a JWS, or the payload is not JSON of the expected kind.
    case invalidEncoding
    /// A certificate is not valid at the signing date, lacks its marker extension, or is not issued by the trusted
    /// root.
    case invalidCertificateChain
    /// A certificate is revoked.
    case revokedCertificate
    /// The signature does not match the payload and the certificate, or the payload is from another environment.
    case invalidSignature
    /// The payload lacks a property that is required for its kind.
    case missingRequiredProperties
    /// The payload was made for another device.
    case invalidDeviceVerification
}

/// An error of a verifier that determines the defect.
package protocol SignatureRefusal: Error {
    /// The defect.
    var defect: SignatureDefect { get }
}

extension SignatureDefect {
    /// Creates the defect of an error that a verifier has thrown; by default, an invalid signature.
    init(_ error: any Error) { self = (error as? any SignatureRefusal)?.defect ?? .invalidSignature }
}
