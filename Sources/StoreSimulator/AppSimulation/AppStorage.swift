import StoreCore

/// What an app keeps between launches, in place of its files, defaults and keychain.
///
/// ```swift
/// storage["swords", default: 0] += transaction.payment.quantity
/// ```
///
/// A write takes effect whole or not at all: the process may be killed before it and after it. Any thread may use a
/// storage, but see ``AppSimulation`` about threads of the app's own.
public final class AppStorage: Sendable {
    /// The values, which outlive launches.
    final class Disk: Sendable {
        fileprivate let values = Locked<[String: any Sendable]>([:])
    }

    private let disk: Disk
    private let process: AppProcess

    init(_ disk: Disk, _ process: AppProcess) {
        self.disk = disk
        self.process = process
    }

    /// A value, nil where there is none of this type under the key.
    ///
    /// Setting it to nil removes it.
    public subscript<Value: Codable & Sendable>(key: String) -> Value? {
        // Nothing is no value either where an optional one is asked for.
        get { disk.values.withLock { $0[key] }.flatMap { $0 as? Value } }
        set {
            guard process.pass(.storage) else { return }
            disk.values.withLock { $0[key] = newValue }
            process.pass(.storage)
        }
    }

    /// A value, the default where there is none of this type under the key.
    public subscript<Value: Codable & Sendable>(key: String, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        set { self[key] = newValue }
    }
}
