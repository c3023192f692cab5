/// A property as key-value coding sees it: its names, its getter, and a setter that may reject the value.
struct KeyedProperty: Sendable {
    fileprivate let names: [String]
    let read: @Sendable (KeyValueObject) -> Any?
    let write: @Sendable (KeyValueObject, Any?) -> Bool
    let wants: String

    /// Creates a property that reads through the open getter, so that an override is honored.
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

    /// Creates a property whose changes the object keeps under the property's name.
    init<Owner: ChangeKeeper, Value: SendableMetatype>(
        _ name: String,
        or oldName: String? = nil,
        _ path: any KeyPath<Owner, Value> & Sendable,
        _ kind: KeyedKind<Value>
    ) {
        self.init(name, or: oldName, path, kind) { $0.keep($1, for: name) }
    }
}

extension [String: KeyedProperty] {
    init(named properties: KeyedProperty...) {
        self.init(uniqueKeysWithValues: properties.flatMap { property in property.names.map { ($0, property) } })
    }
}
