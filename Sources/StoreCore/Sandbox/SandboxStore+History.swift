import Foundation

// The store's history. All of this reads the ledger from its beginning: meant for the end of a test.
extension SandboxStore {
    /// Whether the ``timeline`` includes what is sent to devices from now on; false by default.
    ///
    /// Turning it off discards the trace, which is kept in memory, not in the ledger.
    public var tracesDeliveries: Bool {
        get { core.shell.withLock { $0.deliveries != nil } }
        set { core.shell.withLock { $0.deliveries = newValue ? $0.deliveries ?? [] : nil } }
    }

    /// Every transaction there ever was, including failed, waiting and finished ones (behavior 217), oldest first.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var transactions: [SandboxTransaction] { get throws { try history().transactions } }

    /// Returns a transaction and all related ones: the original that it renews or restores, and all that renew or
    /// restore that.
    ///
    /// - Parameter transaction: the identifier of any of them.
    /// - Returns: the chain, oldest first; empty for an identifier that this store never used.
    /// - Throws: the error that prevents reading the ledger.
    public func chain(of transaction: String) throws -> [SandboxTransaction] {
        try history().chain(of: transaction)
    }

    fileprivate func history() throws -> LedgerHistory { try core.history() }
}

extension SandboxAccount {
    /// Every transaction that the account ever had, oldest first.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var transactions: [SandboxTransaction] {
        get throws {
            let name = name
            return try core.history().transactions.filter { $0.account == name }
        }
    }

    /// The transactions that the account was charged for, oldest first, without those that cost nothing.
    ///
    /// ``totalCharged`` is their sum.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var charges: [SandboxTransaction] { get throws { try transactions.filter { $0.charge ?? 0 != 0 } } }
}

extension SandboxDevice {
    /// The unfinished transactions of the device, as its queues are told: oldest first.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var unfinished: [SandboxTransaction] {
        get throws {
            let numbers = core.look { shell, _ in shell.state.unfinished(on: number).map(\.identifier) }
            let history = try core.history()
            return numbers.compactMap { TransactionNumber($0).flatMap { history.transaction($0) } }
        }
    }
}

extension SandboxDriver {
    fileprivate func history() throws -> LedgerHistory {
        try look { shell, _ in
            var history = LedgerHistory()
            try shell.forEachRecord { history.take($0) }
            return history
        }
    }
}
