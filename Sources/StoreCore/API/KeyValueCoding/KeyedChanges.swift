/// An object that keeps the values that key-value coding sets, beside its immutable ones.
protocol ChangeKeeper: KeyValueObject {
    func keep(_ value: Any, for key: String)
}

/// The values that key-value coding has set on an otherwise immutable object.
///
/// Costs one word until it is used.
struct KeyedChanges: ~Copyable, Sendable {
    private let box = LazyReference<Locked<[String: Any]>>()

    /// Returns the value that was set, else the original.
    func value<Value>(_ key: String, else original: @autoclosure () -> Value) -> Value {
        guard let changed = box.load(), let value = changed.withLock({ $0[key] }) else { return original() }
        return value as! Value
    }

    func set<Value>(_ key: String, to value: Value) {
        (box.load() ?? box.storeIfNil(Locked([:]))).withLock { $0[key] = value }
    }
}
