import StoreCore

/// What a performer remembers between commands.
final class Session: Sendable {
    private struct Memory {
        var account: String?
        var device: String?
        var orders = 0
    }

    private let memory = Locked(Memory())
    private let journal = JournalID.unique()

    /// The account of commands that name none; nil for the one that is signed in.
    var account: String? { memory.withLock { $0.account } }
    /// The device of commands that name none; nil for the first.
    var device: String? { memory.withLock { $0.device } }

    /// Sets the account and the device of commands that name none.
    func use(account: String?, device: String?) {
        memory.withLock { memory in
            memory.account = account
            memory.device = device
        }
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
