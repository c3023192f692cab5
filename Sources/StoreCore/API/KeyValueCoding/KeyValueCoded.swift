import Foundation

/// An object that key-value coding may read and change: with Objective-C, `NSObject` itself.
protocol KeyValueCoded: NSObject {
    func setValue(_ value: Any?, forKey key: String)
    func value(forKey key: String) -> Any?
}

extension KeyValueCoded {
    func write<Owner>(_ value: Any?, _ key: String, in properties: [String: KeyedProperty<Owner>]) {
        if let mistake = change(to: value, key, in: properties) { fatalError(mistake) }
    }

    /// Sets a property, or returns the reason why it cannot be set.
    func change<Owner>(to value: Any?, _ key: String, in properties: [String: KeyedProperty<Owner>]) -> String? {
        guard let property = properties[key] else { return unknown(key) }
        guard !property.write(self as! Owner, value) else { return nil }
        let given = value.map { "a value of type \(type(of: $0))" } ?? "nil"
        return "setValue(_:forKey: \"\(key)\") on \(type(of: self)) takes \(property.wants), not \(given)"
    }

    func read<Owner>(_ key: String, in properties: [String: KeyedProperty<Owner>]) -> Any? {
        guard let property = properties[key] else { fatalError(unknown(key)) }
        return property.read(self as! Owner)
    }

    private func unknown(_ key: String) -> String {
        "\(type(of: self)) has no property \"\(key)\" that key-value coding could reach"
    }

    func write(_ value: Any?, along path: String) {
        let (key, rest) = split(path)
        guard let rest else { return setValue(value, forKey: key) }
        // As in Objective-C, a message to nil has no effect.
        object(at: key, of: path)?.write(value, along: rest)
    }

    func read(along path: String) -> Any? {
        let (key, rest) = split(path)
        guard let rest else { return value(forKey: key) }
        return object(at: key, of: path)?.read(along: rest)
    }

    private func split(_ path: String) -> (key: String, rest: String?) {
        guard let dot = path.firstIndex(of: ".") else { return (path, nil) }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }

    private func object(at key: String, of path: String) -> (any KeyValueCoded)? {
        guard let value = value(forKey: key) else { return nil }
        guard let object = value as? any KeyValueCoded else {
            fatalError("the key path \"\(path)\" leads through \"\(key)\", which is a \(type(of: value))")
        }
        return object
    }
}
