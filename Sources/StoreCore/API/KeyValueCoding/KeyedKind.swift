import Foundation

/// The conversion between a property's type and the values of key-value coding.
///
/// Foundation's classes and Swift's types are interchangeable, as in Objective-C.
struct KeyedKind<Value: SendableMetatype>: Sendable {
    let name: String
    let give: @Sendable (Value) -> Any?
    let take: @Sendable (Any?) -> Value?

    init(
        _ name: String,
        give: @escaping @Sendable (Value) -> Any? = { $0 },
        take: @escaping @Sendable (Any) -> Value?
    ) {
        self.init(name: name, give: give, take: { $0.flatMap(take) })
    }

    private init(name: String, give: @escaping @Sendable (Value) -> Any?, take: @escaping @Sendable (Any?) -> Value?) {
        self.name = name
        self.give = give
        self.take = take
    }

    /// Returns the kind of values that cast to the type.
    static func cast(_ name: String) -> KeyedKind { KeyedKind(name) { $0 as? Value } }

    /// The same kind, with nil as a value.
    var optional: KeyedKind<Value?> {
        KeyedKind<Value?>(
            name: "\(name) or nil",
            give: { [give] in $0.flatMap(give) },
            take: { [take] in $0 == nil ? .some(nil) : take($0).map { .some($0) } }
        )
    }
}

extension KeyedKind<String> {
    static var text: KeyedKind { cast("a String") }
}

extension KeyedKind<Bool> {
    static var flag: KeyedKind { KeyedKind("a Bool") { ($0 as? NSNumber)?.boolValue } }
}

extension KeyedKind<NSDecimalNumber> {
    static var decimal: KeyedKind {
        KeyedKind("an NSDecimalNumber") { value in
            if let value = value as? NSDecimalNumber { return value }
            // Converted through the text: as a binary fraction 0.99 is another number.
            return (value as? NSNumber).map { NSDecimalNumber(string: $0.stringValue) }
        }
    }
}

extension KeyedKind where Value: FixedWidthInteger {
    static var integer: KeyedKind {
        KeyedKind("an integer") { value in
            guard let number = value as? NSNumber, number.doubleValue == number.doubleValue.rounded() else {
                return nil
            }
            return Value(exactly: number.int64Value)
        }
    }
}

extension KeyedKind where Value: RawRepresentable, Value.RawValue: FixedWidthInteger & SendableMetatype {
    /// The kind of enumerations: takes a case or its raw value, and returns the raw value, as in Objective-C.
    static var cases: KeyedKind {
        KeyedKind("a \(Value.self) or its raw value", give: { $0.rawValue }) { value in
            value as? Value ?? KeyedKind<Value.RawValue>.integer.take(value).flatMap(Value.init(rawValue:))
        }
    }
}
