import Foundation

/// A payload that is complete, with its device, and its JWS once that has been made.
final class SealedPayload<Payload: JWSPayload>: Sendable {
    let payload: Payload
    /// The signer; nil where the text has arrived, and is not made here.
    private let signer: (any PayloadSigner)?
    private let text: Locked<String?>

    init(_ payload: Payload, signer: (any PayloadSigner)?, jws: String? = nil) {
        self.payload = payload
        self.signer = signer
        text = Locked(jws)
    }

    /// The JWS, made when it is first read; a signer that fails is asked again at the next reading.
    var jws: String {
        get throws {
            if let text = text.withLock({ $0 }) { return text }
            // A signer is the client's code, and is not called with the lock held.
            guard let signer else { throw UnreadablePayload() }
            let signed = try signer.jws(of: payload.json)
            return text.withLock { text in
                if let text { return text }
                text = signed
                return signed
            }
        }
    }
}
