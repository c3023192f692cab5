import Foundation

extension JWSPayload {
    /// Reads the payload of a JWS that a signer vouches for.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signer: the signer that must have signed it.
    /// - Throws: the signer's reason for a refusal; a ``ReceiptRefusal`` for a payload of another kind, and for one from
    ///   another environment than the signer's.
    public init(verifying jws: String, signer: any PayloadSigner) throws {
        let data = try signer.payload(of: jws) { data in
            (try? JSONDecoder().decode(Self.self, from: data))?.signingDate.date
        }
        guard let payload = try? JSONDecoder().decode(Self.self, from: data) else {
            throw ReceiptRefusal(.malformed, "The store signed this, but its payload is of another kind.")
        }
        guard payload.environmentName == signer.environment else {
            throw ReceiptRefusal(environment: payload.environmentName, judgedIn: signer.environment)
        }
        self = payload
    }
}
