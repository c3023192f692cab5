import StoreContract
import StoreCore

/// The state of a ``ScenarioPerformer`` between commands.
final class Session: Sendable {
    private struct Memory {
        var account: String?
        var device: String?
        var orders = 0
        var settings: [(key: String, line: String)] = []
        weak var connections: (any DeviceConnections)?
    }

    private let memory = Locked(Memory())
    private let journal = JournalID.unique()
    /// A reader that reads each transaction only once, and continues after the last.
    private let reader: Locked<TransactionReader>

    init(store: SandboxStore) { reader = Locked(TransactionReader(store)) }

    /// All transactions ever, oldest first.
    var transactions: [SandboxTransaction] { get throws { try reader.withLock { try $0.transactions() } } }

    /// Returns a transaction; nil if it does not exist.
    func transaction(_ identifier: String) throws -> SandboxTransaction? {
        try reader.withLock { try $0.transaction(identifier) }
    }

    /// The account for commands that name none; nil for the account that is signed in on the device.
    var account: String? { memory.withLock { $0.account } }
    /// The device for commands that name none; nil for the store's first device.
    var device: String? { memory.withLock { $0.device } }

    /// Sets the account and the device for commands that name none.
    func use(account: String?, device: String?) {
        memory.withLock { memory in
            memory.account = account
            memory.device = device
        }
    }

    /// The lines of commands that restore the settings that no ledger stores, in order.
    var settings: [String] { memory.withLock { $0.settings.map(\.line) } }

    /// Stores a line of ``settings``, replacing the one with the same key.
    func remember(_ line: String, key: String) {
        memory.withLock { memory in
            memory.settings.removeAll { $0.key == key }
            memory.settings.append((key, line))
        }
    }

    /// Removes all lines of ``settings``.
    func forgetSettings() { memory.withLock { $0.settings = [] } }

    /// The connections of remote devices; nil while no server serves the store.
    var connections: (any DeviceConnections)? {
        get { memory.withLock { $0.connections } }
        set { memory.withLock { $0.connections = newValue } }
    }

    /// Returns an idempotency key that no other order has.
    func nextOrder() -> OrderID {
        OrderID(
            journal: journal,
            number: memory.withLock { memory in
                memory.orders += 1
                return memory.orders
            }
        )
    }
}

/// The connections of remote devices to a store, which a server keeps.
package protocol DeviceConnections: AnyObject, Sendable {
    /// Returns the injector of faults between the queues of a device and the store.
    func injector(of device: SandboxDevice) -> FaultInjector
}
