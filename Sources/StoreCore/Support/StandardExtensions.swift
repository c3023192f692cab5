import Foundation

extension Array {
    /// Removes all elements.
    ///
    /// A buffer of a usual size is kept for reuse.
    mutating func empty() {
        if count > 8 { return removeAll(keepingCapacity: capacity <= 4096) }
        // Faster than removing them at once.
        while !isEmpty { removeLast() }
    }

    /// Reverses the array, so that its elements can be moved out from the end: `reverse()` would copy each of them.
    @inline(__always)
    mutating func reverseInPlace() {
        guard count > 1 else { return }
        withUnsafeMutableBufferPointer { elements in
            for index in 0..<elements.count / 2 { elements.swapAt(index, elements.count - 1 - index) }
        }
    }
}

extension Optional {
    /// Sets this to nil and returns the previous value.
    mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }

    /// Sets a new value and returns the previous one.
    mutating func replace(with new: Wrapped) -> Wrapped? {
        defer { self = new }
        return self
    }
}

extension Range<Int> {
    /// Returns the first index that does not satisfy a predicate, which all indices before it have to satisfy, and none
    /// behind it; the end of the range if all do.
    ///
    /// A binary search.
    @inline(__always)
    package func partitionPoint(_ isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension UUID {
    /// Creates the identifier of a name: the same in every process, and another for every other name.
    init(named name: String) {
        var bytes = SHA256.digest(of: Data(name.utf8))
        // RFC 9562: version 8, with a custom rule.
        bytes[6] = 0x80 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

/// An error to which an `NSError` of its domain can be cast, as Objective-C does it.
///
/// Foreign code makes an `NSError` with Store Kit's domain, and casts it or catches it by its code.
public protocol _BridgedError: Error, _ObjectiveCBridgeable where _ObjectiveCType == NSError {
    /// Returns the error that an `NSError` stands for; nil for one of another domain, or with a number that has no case.
    static func _bridged(from error: NSError) -> Self?
}

extension _BridgedError {
    /// Returns the error as an `NSError`, with the domain, code and information of `self as any Error as NSError`.
    public func _bridgeToObjectiveC() -> NSError {
        // The way for any error: it does not come back here.
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

    /// Casts an `NSError`, which has to be of the error's domain.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
        guard let source, let error = _bridged(from: source) else {
            fatalError("\(String(describing: source)) is no \(Self.self)")
        }
        return error
    }
}
