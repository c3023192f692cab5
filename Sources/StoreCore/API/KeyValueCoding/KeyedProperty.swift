import Foundation
import Synchronization

/// One property as key-value coding sees it: how it is read, and how it is changed if the value will do.
struct KeyedProperty<Owner: AnyObject>: Sendable {
    let read: @Sendable (Owner) -> Any?
    let write: @Sendable (Owner, Any?) -> Bool
    let wants: String

    /// Reads through the open getter, so an override is honoured.
    init<Value: SendableMetatype>(
        _ path: any KeyPath<Owner, Value> & Sendable,
        _ kind: KeyedKind<Value>,
        write: @escaping @Sendable (Owner, Value) -> Void
    ) {
        wants = kind.name
        read = { kind.give($0[keyPath: path]) }
        self.write = { owner, value in
            guard let value = kind.take(value) else { return false }
            write(owner, value)
            return true
        }
    }
}

/// What a property gives to key-value coding and takes from it.
///
/// Foundation's classes and Swift's types stand for each other, as in Objective-C.
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

    /// Whatever casts to the type.
    static func cast(_ name: String) -> KeyedKind { KeyedKind(name) { $0 as? Value } }

    /// The same, or nil.
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
            // By way of the text: as a binary fraction 0.99 is something else.
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
    /// A case or its number; gives the number, as in Objective-C.
    static var cases: KeyedKind {
        KeyedKind("a \(Value.self) or its raw value", give: { $0.rawValue }) { value in
            value as? Value ?? KeyedKind<Value.RawValue>.integer.take(value).flatMap(Value.init(rawValue:))
        }
    }
}

/// What key-value coding has set on an object that is otherwise immutable.
///
/// Costs one word until it is used.
struct KeyedChanges: ~Copyable, Sendable {
    private let box = LazyReference<Locked<[String: Any]>>()

    /// What was set, else the original.
    func value<Value>(_ key: String, else original: @autoclosure () -> Value) -> Value {
        guard let changed = box.load(), let value = changed.withLock({ $0[key] }) else { return original() }
        return value as! Value
    }

    func set<Value>(_ key: String, to value: Value) {
        (box.load() ?? box.storeIfNil(Locked([:]))).withLock { $0[key] = value }
    }
}
