import Foundation

/// The domain of Store Kit's errors, and of an ``SKError`` as an `NSError`.
public let SKErrorDomain: String = "SKErrorDomain"

/// An error from a purchase, a request or another call to the store.
///
/// ```swift
/// do {
///     try await buy("coins.100")
/// } catch SKError.paymentCancelled {
///     // nothing to say
/// } catch let error as SKError {
///     print(error.code, error.localizedDescription)
/// }
/// ```
///
/// Network errors are `URLError`s. If the store gave a reason, the error has it in its ``userInfo``, under
/// `NSLocalizedFailureReasonErrorKey` and ``StoreFailure/reasonKey``: meant for a developer's log.
///
/// An `NSError` of ``SKErrorDomain`` can be cast to `SKError` and caught as one, and `error as NSError` works everywhere. All
/// that is delivered here are `SKError` values.
public struct SKError: _BridgedStoredNSError, Sendable {
    /// The error as Foundation stores it.
    public let _nsError: NSError

    /// Wraps a stored error.
    ///
    /// An error of another domain than ``SKErrorDomain`` reads as ``SKErrorCode/unknown``. It keeps its ``userInfo``
    /// and its description, and ``errorUserInfo`` has it under `NSUnderlyingErrorKey`.
    public init(_nsError: NSError) { self._nsError = _nsError }

    /// Creates an error with a code and, optionally, a ``userInfo``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        _nsError = NSError(domain: SKErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// Equal to ``SKErrorDomain``.
    public static var errorDomain: String { SKErrorDomain }
    /// Equal to ``SKErrorDomain``.
    public static var _nsErrorDomain: String { SKErrorDomain }

    /// The code of the error.
    ///
    /// ``SKErrorCode/unknown`` for a number that has no case; ``errorCode`` has the number.
    public var code: Code { Code(rawValue: errorCode) ?? .unknown }
    /// The number of the code; that of ``SKErrorCode/unknown`` for an error of another domain.
    public var errorCode: Int { isForeign ? Code.unknown.rawValue : _nsError.code }
    /// The information that came with the error, exactly as it was given.
    public var userInfo: [String: Any] { _nsError.userInfo }

    /// The information of the error as an `NSError`: ``userInfo``, and what that lacks of a description, of the reason
    /// that a code stands for, and of an error of another domain as the underlying one.
    public var errorUserInfo: [String: Any] {
        var info = _nsError.userInfo
        if isForeign { info[NSUnderlyingErrorKey] = _nsError }
        guard info[NSLocalizedDescriptionKey] == nil else { return info }
        info[NSLocalizedDescriptionKey] = localizedDescription
        if !isForeign, info[NSLocalizedFailureReasonErrorKey] == nil {
            info[NSLocalizedFailureReasonErrorKey] = code.sentence
        }
        return info
    }

    /// The description in ``userInfo``, else the text that Store Kit has for every code, with its domain and number; for
    /// another domain, that error's own description.
    ///
    /// English. A sentence that says what the code means is the reason in ``errorUserInfo``.
    public var localizedDescription: String {
        if isForeign { return _nsError.localizedDescription }
        return _nsError.userInfo[NSLocalizedDescriptionKey] as? String
            ?? "The operation couldn’t be completed. (\(SKErrorDomain) error \(errorCode).)"
    }

    /// A sentence for a developer: the description that was given, or what the code means.
    var explanation: String {
        isForeign || _nsError.userInfo[NSLocalizedDescriptionKey] != nil ? localizedDescription : code.sentence
    }

    private var isForeign: Bool { _nsError.domain != SKErrorDomain }

    /// Whether the codes and all information of the errors are equal.
    public static func == (lhs: SKError, rhs: SKError) -> Bool {
        lhs.errorCode == rhs.errorCode
            && NSDictionary(dictionary: lhs.errorUserInfo).isEqual(NSDictionary(dictionary: rhs.errorUserInfo))
    }

    // Both are needed: Foundation's own for bridged errors recurse endlessly on Linux.
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(errorCode) }
    /// A hash of the code.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

#if !canImport(Darwin)
    // With Objective-C, Foundation does it for every such error.
    extension SKError: _BridgedError {
        /// Returns the error that an `NSError` of ``SKErrorDomain`` stands for.
        public static func _bridged(from error: NSError) -> SKError? {
            error.domain == SKErrorDomain ? SKError(_nsError: error) : nil
        }
    }
#endif
