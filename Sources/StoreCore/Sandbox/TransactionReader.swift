/// A reader of all transactions of a store, which reads on in the ledger from where it read last.
///
/// A class, so that nothing copies what it has read. One thread may use it at a time.
package final class TransactionReader {
    private let driver: SandboxDriver
    private var history = LedgerHistory()

    package init(_ store: SandboxStore) { driver = store.core }

    /// The number of the ledger's records that were read.
    package var position: Int { history.state.position }

    /// Returns every transaction there ever was, as ``SandboxStore/transactions`` does.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transactions() throws -> [SandboxTransaction] {
        try read()
        return history.transactions
    }

    /// Returns a transaction; nil for one that there is not.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transaction(_ identifier: String) throws -> SandboxTransaction? {
        try read()
        return TransactionNumber(identifier).flatMap { history.transaction($0) }
    }

    private func read() throws {
        try driver.look { shell, _ in try shell.forEachRecord(after: history.state.position) { history.take($0) } }
    }
}
