import Foundation

/// A payload and its JWS, which is made when it is first read.
///
/// Any thread may call any member.
public final class SignedValue<Payload: JWSPayload>: Sendable {
    /// The payload.
    ///
    /// Reading it signs nothing.
    public let payload: Payload
    private let signer: any PayloadSigner
    private let text = Locked<String?>(nil)

    init(_ payload: Payload, signer: any PayloadSigner) {
        self.payload = payload
        self.signer = signer
    }

    /// The signed payload: header, payload and signature in Base64 for URLs, with dots between them.
    ///
    /// It is made once; a signer that fails is asked again at the next reading.
    ///
    /// - Throws: the error that keeps the signer from signing.
    public var jws: String {
        get throws {
            try text.withLock { text in
                if let text { return text }
                let signed = try signer.jws(of: payload.json)
                text = signed
                return signed
            }
        }
    }
}
