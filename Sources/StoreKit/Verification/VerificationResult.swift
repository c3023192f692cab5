import Foundation
import StoreCore

/// A value that a store signed, with the result of verifying its signature.
///
/// An in-process store that creates its values itself is trusted without a signature. A value that arrived as text has
/// been verified with the store's signer.
@frozen public enum VerificationResult<SignedType> {
    /// A value that failed verification, and the reason.
    ///
    /// The value can be read; whether to trust it is the app's decision.
    case unverified(SignedType, VerificationResult<SignedType>.VerificationError)
    /// A value that passed verification.
    case verified(SignedType)

    /// The value, if it passed verification.
    ///
    /// - Throws: the ``VerificationError`` of a value that failed.
    public var payloadValue: SignedType {
        get throws {
            switch self {
            case .verified(let value): return value
            case .unverified(_, let error): throw error
            }
        }
    }

    /// The value, whether or not it passed verification.
    public var unsafePayloadValue: SignedType {
        switch self {
        case .verified(let value), .unverified(let value, _): value
        }
    }
}

extension VerificationResult: Equatable where SignedType: Equatable {}
extension VerificationResult: Hashable where SignedType: Hashable {}
extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult: CustomDebugStringConvertible where SignedType: CustomDebugStringConvertible {
    /// The case, the error and the value's own description.
    public var debugDescription: String {
        switch self {
        case .verified(let value): "verified(\(value.debugDescription))"
        case .unverified(let value, let error): "unverified(\(error), \(value.debugDescription))"
        }
    }
}

extension VerificationResult where SignedType == AppTransaction {
    init(_ signed: SignedValue<AppTransactionPayload>) { self.init(verifying: AppTransaction(signed)) }

    /// The JWS in compact serialization, for a server to verify.
    ///
    /// An in-process store signs the value when this is first read. Empty if the signer fails.
    public var jwsRepresentation: String { signed.text }

    /// The JWS header's JSON.
    public var headerData: Data { signed.header }

    /// The JSON of the JWS's payload, from which the value was read.
    public var payloadData: Data { signed.json }

    /// The JWS signature's bytes.
    public var signatureData: Data { signed.signature }

    /// The bytes that are signed.
    public var signedData: Data { signed.signedData }

    /// The date of the signature.
    public var signedDate: Date { unsafePayloadValue.signedDate }

    /// The hash that binds the value to a device; empty if there is none.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }

    /// The UUID with which the input of `deviceVerification` begins; all zeros if there is no hash.
    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    init(_ signed: SignedValue<RenewalPayload>) { self.init(verifying: Product.SubscriptionInfo.RenewalInfo(signed)) }

    /// The JWS in compact serialization, for a server to verify.
    ///
    /// An in-process store signs the value when this is first read. Empty if the signer fails.
    public var jwsRepresentation: String { signed.text }

    /// The JWS header's JSON.
    public var headerData: Data { signed.header }

    /// The JSON of the JWS's payload, from which the value was read.
    public var payloadData: Data { signed.json }

    /// The JWS signature's bytes.
    public var signatureData: Data { signed.signature }

    /// The bytes that are signed.
    public var signedData: Data { signed.signedData }

    /// The date of the signature.
    public var signedDate: Date { unsafePayloadValue.signedDate }

    /// The hash that binds the value to a device; empty if there is none.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }

    /// The UUID with which the input of `deviceVerification` begins; all zeros if there is no hash.
    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == Transaction {
    init(_ signed: SignedValue<TransactionPayload>, _ origin: StoreOrigin?) {
        self.init(verifying: Transaction(signed, origin))
    }

    /// The JWS in compact serialization, for a server to verify.
    ///
    /// An in-process store signs the value when this is first read. Empty if the signer fails.
    public var jwsRepresentation: String { signed.text }

    /// The JWS header's JSON.
    public var headerData: Data { signed.header }

    /// The JSON of the JWS's payload, from which the value was read.
    public var payloadData: Data { signed.json }

    /// The JWS signature's bytes.
    public var signatureData: Data { signed.signature }

    /// The bytes that are signed.
    public var signedData: Data { signed.signedData }

    /// The date of the signature.
    public var signedDate: Date { unsafePayloadValue.signedDate }

    /// The hash that binds the value to a device; empty if there is none.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }

    /// The UUID with which the input of `deviceVerification` begins; all zeros if there is no hash.
    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

/// A value of Store Kit 2 whose properties are read from a signed payload.
protocol SignedInformation {
    associatedtype Payload: JWSPayload
    /// The payload, its JWS, and the verifier's result.
    var signed: SignedValue<Payload> { get }
}

extension SignedInformation {
    /// The payload that the properties are read from, without the date of its signature and its binding to a device.
    var payload: Payload { signed.content }

    /// The hash that binds the payload to a device; empty if there is none.
    var deviceHash: Data { signed.payload.deviceVerification.flatMap { Data(base64Encoded: $0) } ?? Data() }

    /// The UUID with which the input of `deviceVerification` begins; all zeros if there is no hash.
    var deviceNonce: UUID {
        UUID(payload: signed.payload.deviceVerificationNonce)
            ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}

extension VerificationResult where SignedType: SignedInformation {
    /// Creates the result of verifying a value: unverified if its verifier found a defect.
    init(verifying value: SignedType) {
        self =
            if let defect = value.signed.defect {
                .unverified(value, VerificationError(defect))
            } else {
                .verified(value)
            }
    }

    var signed: SignedValue<SignedType.Payload> { unsafePayloadValue.signed }
}

// The parts of a JWS. Reading a part signs a value that its store has not signed yet.
extension SignedValue {
    /// The JWS; empty if the signer fails.
    var text: String { (try? jws) ?? "" }

    /// The decoded header; empty if it cannot be decoded.
    var header: Data { part(0) ?? Data() }

    /// The decoded payload; the JSON of ``payload`` if it cannot be decoded.
    var json: Data { part(1) ?? payload.json }

    /// The decoded signature; empty if it cannot be decoded.
    var signature: Data { part(2) ?? Data() }

    /// The bytes that are signed: header and payload in Base64 for URLs, with a dot between them.
    var signedData: Data {
        let text = text.utf8
        return Data(text[..<(text.lastIndex(of: UInt8(ascii: ".")) ?? text.startIndex)])
    }

    private func part(_ index: Int) -> Data? {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return Base64URL.decode(parts[index]).map { Data($0) }
    }
}

extension UUID {
    /// Creates a UUID from a payload's text; nil if the text is no UUID.
    init?(payload text: String?) {
        guard let text, let uuid = UUID(uuidString: text) else { return nil }
        self = uuid
    }
}

extension Decimal {
    /// Creates an amount from thousandths, the unit of prices and percentages in payloads.
    init(thousandths: some BinaryInteger) { self = Decimal(Int64(thousandths)) / 1000 }
}
