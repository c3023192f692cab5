import Foundation

/// A value that a store signed, and whether its signature can be trusted.
///
/// A store in the process that makes its values itself is trusted without a signature. A value that arrived as text has
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
