import Foundation
import StoreCore

extension VerificationResult where SignedType == Transaction {
    init(_ signed: SignedValue<TransactionPayload>, _ origin: StoreOrigin?) {
        self.init(judging: Transaction(signed, origin))
    }

    /// The JWS in compact serialization, for a server to verify.
    ///
    /// A store in the process signs when it is first read. Empty if its signer fails.
    public var jwsRepresentation: String { signed.text }

    /// The JWS header's JSON.
    public var headerData: Data { signed.header }

    /// The JWS payload's JSON, which the value was read from.
    public var payloadData: Data { signed.json }

    /// The JWS signature's bytes.
    public var signatureData: Data { signed.signature }

    /// The bytes that the signature is over.
    public var signedData: Data { signed.signedData }

    /// The date of the signature.
    public var signedDate: Date { unsafePayloadValue.signedDate }

    /// The hash that ties the value to a device; empty if there is none.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }

    /// The UUID that the hash begins with; zeros if there is none.
    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}
