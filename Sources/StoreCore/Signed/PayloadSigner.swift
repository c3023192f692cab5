import Foundation

/// A signer of JSON payloads as compact JWS (RFC 7515), in which Store Kit 2 and the App Store's servers speak of
/// transactions.
///
/// ``HMACReceiptSigner`` conforms with the algorithm HS256. Any thread may call any member at any time; each answers before
/// it returns.
public protocol PayloadSigner: Sendable {
    /// The environment's name in payloads, constant: `Production`, `Sandbox`, `Xcode`, `LocalTesting`.
    var environment: String { get }

    /// Signs a payload.
    ///
    /// - Parameter payload: a JSON object.
    /// - Returns: header, payload and signature in Base64 for URLs, with dots between them.
    /// - Throws: the error that keeps it from signing.
    func jws(of payload: Data) throws -> String

    /// Signs a payload in a form that has a defect, for tests of what an app does then.
    ///
    /// Default: a broken signature in place of a defect in a certificate.
    ///
    /// - Parameters:
    ///   - payload: a JSON object.
    ///   - defect: what is wrong; everything else should be right.
    /// - Returns: the JWS.
    /// - Throws: the error that keeps it from signing.
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
