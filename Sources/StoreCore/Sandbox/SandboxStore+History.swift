import Foundation

// The store's history. The first read loads the whole ledger into memory; each later read loads only the records
// appended since.
extension SandboxStore {
    /// Whether the ``timeline`` includes the updates sent to devices from now on; false by default.
    ///
    /// Turning this off discards the trace of updates, which is in memory, not in the ledger. The trace retains at
    /// least the last 10,000 updates.
    public var tracesDeliveries: Bool {
        get { driver.state.withLock { $0.deliveries != nil } }
        set { driver.state.withLock { $0.deliveries = newValue ? $0.deliveries ?? [] : nil } }
    }

    /// Every transaction of the store, including failed, waiting and finished ones (behavior 217), oldest first.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var transactions: [SandboxTransaction] { get throws { try driver.readHistory(\.transactions) } }

    /// Returns a transaction's chain: its original, and every transaction that renews or restores the original.
    ///
    /// - Parameter transaction: the identifier of any transaction of the chain.
    /// - Returns: the chain, oldest first; empty for an identifier that this store never used.
    /// - Throws: the error that prevents reading the ledger.
    public func chain(of transaction: String) throws -> [SandboxTransaction] {
        try driver.readHistory { $0.chain(of: transaction) }
    }
}

extension SandboxAccount {
    /// Every transaction of the account, oldest first.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var transactions: [SandboxTransaction] {
        get throws {
            let name = name
            return try driver.readHistory { $0.transactions.filter { $0.account == name } }
        }
    }

    /// The transactions that the account was charged for, oldest first, without those that cost nothing.
    ///
    /// ``totalCharged`` is their sum. Refunded transactions are included.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var charges: [SandboxTransaction] { get throws { try transactions.filter { $0.chargedAmount ?? 0 != 0 } } }
}

extension SandboxDevice {
    /// The unfinished transactions of the device, as its queues receive them: oldest first.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var unfinished: [SandboxTransaction] {
        get throws {
            let numbers = driver.look { driverState, _ in
                driverState.state.unfinished(on: number).compactMap { TransactionNumber($0.identifier) }
            }
            return try driver.readHistory { history in numbers.compactMap { history.transaction($0) } }
        }
    }
}

extension SandboxDriver {
    /// Reads the history, after performing everything due by now, such as renewals.
    fileprivate func readHistory<R>(_ body: (LedgerHistory) -> R) throws -> R {
        try look { driverState, _ in
            try history.withLock { known in
                let history = known ?? LedgerHistory()
                known = history
                try driverState.forEachRecord(after: history.state.position) { history.take($0) }
                return body(history)
            }
        }
    }
}

/// A reader of all transactions of a store, which resumes in the ledger where its last read ended.
///
/// One thread may use it at a time.
package final class TransactionReader {
    private let driver: SandboxDriver
    private let history = LedgerHistory()

    package init(_ store: SandboxStore) { driver = store.driver }

    /// The number of the ledger's records that have been read.
    package var position: Int { history.state.position }

    /// Returns every transaction of the store, as ``SandboxStore/transactions`` does.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transactions() throws -> [SandboxTransaction] {
        try read()
        return history.transactions
    }

    /// Returns a transaction, or nil if there is none with the identifier.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transaction(_ identifier: String) throws -> SandboxTransaction? {
        try read()
        return TransactionNumber(identifier).flatMap { history.transaction($0) }
    }

    private func read() throws {
        try driver.look { driverState, _ in
            try driverState.forEachRecord(after: history.state.position) { history.take($0) }
        }
    }
}
