import Foundation

/// The domain of Store Kit's errors, which is what ``SKError`` becomes as an `NSError`.
public let SKErrorDomain: String = "SKErrorDomain"

/// Why a purchase, a request or another call to the store failed.
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
/// Errors of the network are `URLError`s. An error that the store gave a reason for has that sentence in its
/// ``userInfo``, under `NSLocalizedFailureReasonErrorKey` and ``StoreFailure/reasonKey``: meant for a developer's log.
///
/// Where there is no Objective-C an `NSError` cannot be cast to `SKError`, whatever its domain; everything in this package
/// hands out `SKError` values. `error as NSError` works everywhere.
public struct SKError: _BridgedStoredNSError, Sendable {
    /// The error as Foundation stores it.
    public let _nsError: NSError

    /// Wraps a stored error.
    ///
    /// An error of another domain than ``SKErrorDomain`` reads as ``SKErrorCode/unknown``. It keeps its ``userInfo`` and its
    /// description, and ``errorUserInfo`` has it under `NSUnderlyingErrorKey`.
    public init(_nsError: NSError) { self._nsError = _nsError }

    /// Makes an error with a code and, where there is more to say, what goes into ``userInfo``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        _nsError = NSError(domain: SKErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// Equal to ``SKErrorDomain``.
    public static var errorDomain: String { SKErrorDomain }
    /// Equal to ``SKErrorDomain``.
    public static var _nsErrorDomain: String { SKErrorDomain }

    /// What happened.
    ///
    /// May be a code without a case.
    public var code: Code {
        // C's enumerations take every number.
        Code(rawValue: errorCode)!
    }
    /// The number of the code; that of ``SKErrorCode/unknown`` for an error of another domain.
    public var errorCode: Int { isForeign ? Code.unknown.rawValue : _nsError.code }
    /// What came with the error, exactly as it was given.
    public var userInfo: [String: Any] { _nsError.userInfo }

    /// What goes with the error when it becomes an `NSError`: ``userInfo``, a description if that has none, and an error
    /// of another domain as the underlying one.
    public var errorUserInfo: [String: Any] {
        var info = _nsError.userInfo
        if info[NSLocalizedDescriptionKey] == nil { info[NSLocalizedDescriptionKey] = localizedDescription }
        if isForeign { info[NSUnderlyingErrorKey] = _nsError }
        return info
    }

    /// The description in ``userInfo``, else a sentence for the code, or what an error of another domain says of itself.
    ///
    /// English, and not meant to be stable.
    public var localizedDescription: String {
        if isForeign { return _nsError.localizedDescription }
        return _nsError.userInfo[NSLocalizedDescriptionKey] as? String ?? code.sentence
    }

    private var isForeign: Bool { _nsError.domain != SKErrorDomain }

    /// Equal when the numbers and all that came with the errors are equal.
    public static func == (lhs: SKError, rhs: SKError) -> Bool {
        lhs.errorCode == rhs.errorCode
            && NSDictionary(dictionary: lhs.errorUserInfo).isEqual(NSDictionary(dictionary: rhs.errorUserInfo))
    }

    // Both are needed: Foundation's own for bridged errors call each other without end on Linux.
    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(errorCode) }
    /// A hash of the number.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}
