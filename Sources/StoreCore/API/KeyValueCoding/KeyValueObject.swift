import Foundation

/// An object whose properties can be read and set by their names, for tests that prepare objects that way.
///
/// The superclass of those classes of Store Kit that tests prepare. Apple's inherit key-value coding from `NSObject`,
/// which has none without Objective-C; there is no key-value observing here.
open class KeyValueObject: NSObject {
    /// Creates an object without properties, for Store Kit's own subclasses.
    public override init() { super.init() }

    /// The properties by name.
    class var properties: [String: KeyedProperty] { [:] }

    #if canImport(ObjectiveC)
        override open func setValue(_ value: Any?, forKey key: String) { write(value, key) }
        override open func value(forKey key: String) -> Any? { read(key) }
    #else
        /// Sets a property by its name.
        ///
        /// An unknown name or a value of another type traps. Enumerations may be given as their raw values.
        open func setValue(_ value: Any?, forKey key: String) { write(value, key) }

        /// Returns the value of a property by its name.
        ///
        /// An unknown name traps.
        open func value(forKey key: String) -> Any? { read(key) }

        /// Sets the property at the end of a dot-separated key path, as ``setValue(_:forKey:)`` does.
        ///
        /// As in Objective-C, it has no effect if the path leads through nil.
        public final func setValue(_ value: Any?, forKeyPath path: String) {
            let (key, rest) = split(path)
            guard let rest else { return setValue(value, forKey: key) }
            object(at: key, of: path)?.setValue(value, forKeyPath: rest)
        }

        /// Returns the property at the end of a dot-separated key path, nil if the path leads through nil.
        public final func value(forKeyPath path: String) -> Any? {
            let (key, rest) = split(path)
            guard let rest else { return value(forKey: key) }
            return object(at: key, of: path)?.value(forKeyPath: rest)
        }

        private func split(_ path: String) -> (key: String, rest: String?) {
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

    /// Sets a property, or returns the reason why it cannot be set.
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
