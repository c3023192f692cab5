import Foundation

extension JWSPayload {
    /// Reads the payload of a JWS that a signer vouches for.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signer: the signer that must have signed it.
    /// - Throws: the signer's reason for a refusal, with a signer that judges certificates also for a payload without a
    ///   date; a ``ReceiptRefusal`` for a dated payload of another kind, and for one from another environment than the
    ///   signer's.
    public init(verifying jws: String, signer: any PayloadSigner) throws {
        let data = try signer.payload(of: jws) { data in
            // A payload of another kind is dated too, so that it is refused for its kind.
            let payload = try? UntrustedJSON.decode(Self.self, from: data)
            return payload?.signingDate.date ?? SigningDate(of: data)?.date
        }
        guard let payload = try? UntrustedJSON.decode(Self.self, from: data) else {
            throw ReceiptRefusal(.malformed, "The store signed this, but its payload is of another kind.")
        }
        guard payload.environmentName == signer.environment else {
            throw ReceiptRefusal(environment: payload.environmentName, judgedIn: signer.environment)
        }
        self = payload
    }
}
