import Foundation

/// An error to which an `NSError` of its domain can be cast, as in Objective-C.
///
/// Client code creates an `NSError` with Store Kit's domain, and casts it or catches it by its code.
public protocol _BridgedError: Error, _ObjectiveCBridgeable where _ObjectiveCType == NSError {
    /// Returns the error that an `NSError` represents; nil for one of another domain, or with a number that has no case.
    static func _bridged(from error: NSError) -> Self?
}

extension _BridgedError {
    /// Returns the error as an `NSError`, with the domain, code and information of `self as any Error as NSError`.
    public func _bridgeToObjectiveC() -> NSError {
        // The conversion for any error, which does not call this method again.
        let error: any Error = self
        return error as NSError
    }

    /// Casts an `NSError`, or sets nil.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Self?) -> Bool {
        result = _bridged(from: source)
        return result != nil
    }

    /// Casts an `NSError`; nil stops the process.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
        result = _bridged(from: source)
    }

    /// Casts an `NSError`, which must be of the error's domain.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
        guard let source, let error = _bridged(from: source) else {
            fatalError("\(String(describing: source)) is no \(Self.self)")
        }
        return error
    }
}
