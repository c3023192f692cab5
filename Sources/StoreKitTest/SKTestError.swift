import Foundation
import StoreCore

/// The domain of a test session's errors: that of ``SKTestError`` as an `NSError`.
public let SKTestErrorDomain: String = "SKTestErrorDomain"

/// An error of a test session.
///
/// The known cause is a sentence in ``userInfo``, under `NSLocalizedFailureReasonErrorKey`.
///
/// An `NSError` of ``SKTestErrorDomain`` can be cast to `SKTestError` and caught as one.
public struct SKTestError: _BridgedStoredNSError, Sendable {
    /// The error as Foundation stores it.
    public let _nsError: NSError

    /// Wraps a stored error.
    ///
    /// An error of another domain has the code ``Code/serviceUnavailable``, and retains its ``userInfo`` and its
    /// description. ``errorUserInfo`` contains the original error under `NSUnderlyingErrorKey`.
    public init(_nsError: NSError) { self._nsError = _nsError }

    /// Creates an error with a code and, optionally, a ``userInfo``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        _nsError = NSError(domain: SKTestErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// Creates an error with a sentence that names its cause.
    init(_ code: Code, _ reason: String) { self.init(code, userInfo: [NSLocalizedFailureReasonErrorKey: reason]) }

    /// Equal to ``SKTestErrorDomain``.
    public static var errorDomain: String { SKTestErrorDomain }
    /// Equal to ``SKTestErrorDomain``.
    public static var _nsErrorDomain: String { SKTestErrorDomain }

    /// The error's code.
    ///
    /// ``Code/serviceUnavailable`` for a number that has no case; ``errorCode`` has the number.
    public var code: Code { Code(rawValue: errorCode) ?? .serviceUnavailable }
    /// The number of the code; that of ``Code/serviceUnavailable`` for an error of another domain.
    public var errorCode: Int { isForeign ? Code.serviceUnavailable.rawValue : _nsError.code }
    /// The information supplied with the error, unchanged.
    public var userInfo: [String: Any] { _nsError.userInfo }

    /// The dictionary of the error as an `NSError`: ``userInfo``, with a description if there is none, and with a
    /// wrapped error of another domain as the underlying error.
    public var errorUserInfo: [String: Any] {
        var info = _nsError.userInfo
        if info[NSLocalizedDescriptionKey] == nil { info[NSLocalizedDescriptionKey] = localizedDescription }
        if isForeign { info[NSUnderlyingErrorKey] = _nsError }
        return info
    }

    /// The description in ``userInfo``, else a sentence for the code and, if it is known, one for the cause.
    ///
    /// For a wrapped error of another domain, its own description. In English; the wording may change.
    public var localizedDescription: String {
        if isForeign { return _nsError.localizedDescription }
        if let description = _nsError.userInfo[NSLocalizedDescriptionKey] as? String { return description }
        guard let reason = _nsError.userInfo[NSLocalizedFailureReasonErrorKey] as? String else { return code.sentence }
        return "\(code.sentence) \(reason)"
    }

    private var isForeign: Bool { _nsError.domain != SKTestErrorDomain }

    /// Returns whether the numbers and the dictionaries of the errors are equal.
    public static func == (lhs: SKTestError, rhs: SKTestError) -> Bool {
        lhs.errorCode == rhs.errorCode
            && NSDictionary(dictionary: lhs.errorUserInfo).isEqual(NSDictionary(dictionary: rhs.errorUserInfo))
    }

    // Both members are needed: Foundation's defaults for bridged errors recurse endlessly on Linux.
    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(errorCode) }
    /// A hash of the number.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

extension SKTestError {
    /// The numbers of a test session's errors (behavior 221).
    ///
    /// Later versions may add codes: a `switch` needs `@unknown default`.
    @nonexhaustive
    public enum Code: Int, Sendable, _ErrorCodeProtocol {
        /// The error that belongs to these codes.
        public typealias _ErrorType = SKTestError

        /// The test environment cannot be reached; this library never throws this error.
        case serviceUnavailable = 0
        /// The configuration has no product with this identifier.
        case invalidProductIdentifier = 1
        /// The call does not apply to products of this type.
        case invalidProductType = 2
        /// The URL is not a file's.
        case invalidURL = 3
        /// There is no such configuration file.
        case fileNotFound = 4
        /// There is no such subscription.
        case noSubscriptionFound = 5
        /// No transaction has this identifier.
        case noTransactionFound = 6
        /// The call does not apply to the transaction in its current state.
        case invalidAction = 7

        var sentence: String {
            switch self {
            case .serviceUnavailable: "The test environment is not available."
            case .invalidProductIdentifier: "The configuration has no such product."
            case .invalidProductType: "This cannot be done to a product of this type."
            case .invalidURL: "A configuration is read from a file."
            case .fileNotFound: "There is no such configuration file."
            case .noSubscriptionFound: "There is no such subscription."
            case .noTransactionFound: "There is no such transaction."
            case .invalidAction: "This cannot be done to the transaction as it is."
            }
        }
    }

    /// The test environment cannot be reached.
    public static var serviceUnavailable: Code { .serviceUnavailable }
    /// The configuration has no product with this identifier.
    public static var invalidProductIdentifier: Code { .invalidProductIdentifier }
    /// The call does not apply to products of this type.
    public static var invalidProductType: Code { .invalidProductType }
    /// The URL is not a file's.
    public static var invalidURL: Code { .invalidURL }
    /// There is no such configuration file.
    public static var fileNotFound: Code { .fileNotFound }
    /// There is no such subscription.
    public static var noSubscriptionFound: Code { .noSubscriptionFound }
    /// No transaction has this identifier.
    public static var noTransactionFound: Code { .noTransactionFound }
    /// The call does not apply to the transaction in its current state.
    public static var invalidAction: Code { .invalidAction }
}

#if !canImport(Darwin)
    // On Apple's platforms, Foundation does this for every `_BridgedStoredNSError`.
    extension SKTestError: _BridgedError {
        /// Returns the error that an `NSError` of ``SKTestErrorDomain`` represents.
        public static func _bridged(from error: NSError) -> SKTestError? {
            error.domain == SKTestErrorDomain ? SKTestError(_nsError: error) : nil
        }
    }
#endif
