import Foundation

/// An object whose properties tests can read and set by name.
///
/// It is the superclass of those Store Kit classes whose objects tests prepare. Apple's classes inherit key-value
/// coding from `NSObject`, which lacks it without Objective-C. Key-value observing is not supported.
open class KeyValueObject: NSObject {
    /// Creates an object without properties, for Store Kit's own subclasses.
    public override init() { super.init() }

    /// The properties, by name.
    class var properties: [String: KeyedProperty] { [:] }

    #if canImport(ObjectiveC)
        override open func setValue(_ value: Any?, forKey key: String) { write(value, key) }
        override open func value(forKey key: String) -> Any? { read(key) }
    #else
        /// Sets a property by its name.
        ///
        /// Traps if the name is unknown, if the value has another type, or if the property cannot be changed, as those
        /// of an immutable ``SKPayment``. For payments, `setValueThrowing(_:forKey:)` throws an error instead.
        open func setValue(_ value: Any?, forKey key: String) { write(value, key) }

        /// Returns the value of a property by its name.
        ///
        /// Traps if the name is unknown.
        open func value(forKey key: String) -> Any? { read(key) }

        /// Sets the property at the end of a dot-separated key path, like ``setValue(_:forKey:)``.
        ///
        /// As in Objective-C, nothing is set if a property on the path is nil.
        public final func setValue(_ value: Any?, forKeyPath path: String) {
            let (key, remainder) = split(path)
            guard let remainder else { return setValue(value, forKey: key) }
            object(at: key, of: path)?.setValue(value, forKeyPath: remainder)
        }

        /// Returns the property at the end of a dot-separated key path; nil if a property on the path is nil.
        public final func value(forKeyPath path: String) -> Any? {
            let (key, remainder) = split(path)
            guard let remainder else { return value(forKey: key) }
            return object(at: key, of: path)?.value(forKeyPath: remainder)
        }

        private func split(_ path: String) -> (key: String, remainder: String?) {
            guard let dot = path.firstIndex(of: ".") else { return (path, nil) }
            return (String(path[..<dot]), String(path[path.index(after: dot)...]))
        }

        private func object(at key: String, of path: String) -> KeyValueObject? {
            guard let value = value(forKey: key) else { return nil }
            guard let object = value as? KeyValueObject else {
                fatalError("the key path \"\(path)\" leads through \"\(key)\", which is a \(type(of: value))")
            }
            return object
        }
    #endif

    /// Sets a property; returns the reason why it cannot be set, or nil.
    func change(to value: Any?, _ key: String) -> String? {
        guard let property = Self.properties[key] else { return unknown(key) }
        guard !property.write(self, value) else { return nil }
        let given = value.map { "a value of type \(type(of: $0))" } ?? "nil"
        return "setValue(_:forKey: \"\(key)\") on \(type(of: self)) takes \(property.wants), not \(given)"
    }

    private func write(_ value: Any?, _ key: String) { if let mistake = change(to: value, key) { fatalError(mistake) } }

    private func read(_ key: String) -> Any? {
        guard let property = Self.properties[key] else { fatalError(unknown(key)) }
        return property.read(self)
    }

    private func unknown(_ key: String) -> String {
        "\(type(of: self)) has no property \"\(key)\" that key-value coding could reach"
    }
}

/// An object that stores values set through key-value coding in addition to its immutable properties.
protocol ChangeStoring: KeyValueObject {
    func storeChange(_ value: Any, for key: String)
}

/// The values set through key-value coding on an object that is otherwise immutable.
///
/// It takes up one word of memory until a value is set.
struct KeyedChanges: ~Copyable, Sendable {
    private let box = LazyReference<Locked<[String: Any]>>()

    /// Returns the value that was set for a key; the original value if none was set.
    func value<Value>(_ key: String, else original: @autoclosure () -> Value) -> Value {
        guard let changed = box.load(), let value = changed.withLock({ $0[key] }) else { return original() }
        return value as! Value
    }

    func set<Value>(_ key: String, to value: Value) {
        (box.load() ?? box.storeIfNil(Locked([:]))).withLock { $0[key] = value }
    }
}

/// The conversion between the type of a property and the values of key-value coding.
///
/// As in Objective-C, a Foundation object may be passed for a Swift value, and vice versa.
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

    /// Returns a kind that accepts all values that can be cast to the type.
    static func cast(_ name: String) -> KeyedKind { KeyedKind(name) { $0 as? Value } }

    /// This kind, with nil as an additional value.
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
            // Converted through text, since 0.99 as a binary fraction is a different number.
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
    /// The kind of an enumeration: accepts a case or its raw value, and returns the raw value, as in Objective-C.
    static var cases: KeyedKind {
        KeyedKind("a \(Value.self) or its raw value", give: { $0.rawValue }) { value in
            value as? Value ?? KeyedKind<Value.RawValue>.integer.take(value).flatMap(Value.init(rawValue:))
        }
    }
}

/// A property for key-value coding: its names, its getter, and a setter that may reject the value.
struct KeyedProperty: Sendable {
    fileprivate let names: [String]
    let read: @Sendable (KeyValueObject) -> Any?
    let write: @Sendable (KeyValueObject, Any?) -> Bool
    let wants: String

    /// Creates a property that is read through the class's open getter, so that an override takes effect.
    init<Owner: KeyValueObject, Value: SendableMetatype>(
        _ name: String,
        or oldName: String? = nil,
        _ path: any KeyPath<Owner, Value> & Sendable,
        _ kind: KeyedKind<Value>,
        write: @escaping @Sendable (Owner, Value) -> Void
    ) {
        names = [name] + (oldName.map { [$0] } ?? [])
        wants = kind.name
        read = { kind.give(($0 as! Owner)[keyPath: path]) }
        self.write = { owner, value in
            guard let value = kind.take(value) else { return false }
            write(owner as! Owner, value)
            return true
        }
    }

    /// Creates a property whose changed value the object stores under the property's name.
    init<Owner: ChangeStoring, Value: SendableMetatype>(
        _ name: String,
        or oldName: String? = nil,
        _ path: any KeyPath<Owner, Value> & Sendable,
        _ kind: KeyedKind<Value>
    ) {
        self.init(name, or: oldName, path, kind) { $0.storeChange($1, for: name) }
    }
}

extension [String: KeyedProperty] {
    init(named properties: KeyedProperty...) {
        self.init(uniqueKeysWithValues: properties.flatMap { property in property.names.map { ($0, property) } })
    }
}
