import Foundation

/// An error to which an `NSError` of its domain can be cast, as in Objective-C.
///
/// Client code creates an `NSError` with Store Kit's domain, and casts it to this type or catches it by its code.
public protocol _BridgedError: Error, _ObjectiveCBridgeable where _ObjectiveCType == NSError {
    /// Returns the error that an `NSError` represents; nil if its domain or its code is not one of this type's.
    static func _bridged(from error: NSError) -> Self?
}

extension _BridgedError {
    /// Returns the error as an `NSError`, with the domain, code and information of `self as any Error as NSError`.
    public func _bridgeToObjectiveC() -> NSError {
        // The cast of an existential, unlike that of `self`, does not call this method again.
        let error: any Error = self
        return error as NSError
    }

    /// Casts an `NSError` and stores the result, nil if it represents no error of this type.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Self?) -> Bool {
        result = _bridged(from: source)
        return result != nil
    }

    /// Casts an `NSError` and stores the result; nil stops the process.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
        result = _bridged(from: source)
    }

    /// Casts an `NSError`, which must represent an error of this type: otherwise the process stops.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
        guard let source, let error = _bridged(from: source) else {
            fatalError("\(String(describing: source)) is no \(Self.self)")
        }
        return error
    }
}
