import StoreCore

/// The ledger on the store's disk, which outlives the store's processes.
final class LedgerDisk: @unchecked Sendable {  // unchecked: a run uses one thread
    private let storage: any StableStorage
    /// The appended records that may still be there.
    private var records: [LedgerRecord] = []
    private(set) var committed = 0
    /// Whether a commit is under way, or was interrupted by a crash.
    private var isCommitting = false
    /// The number of records left by the last crash.
    private(set) var survived = 0

    init(_ storage: any StableStorage) { self.storage = storage }

    var head: Int { records.count }

    func append(_ records: [LedgerRecord]) { self.records += records }

    /// Commits the appended records by a write.
    func commit(_ process: ProcessState, write: () throws -> Void) throws {
        isCommitting = true
        do { try write() } catch {
            // A process that is still running has been told that nothing was kept.
            if !process.hasCrashed {
                records.removeSubrange(committed...)
                isCommitting = false
            }
            throw error
        }
        committed = head
        isCommitting = false
    }

    /// Opens the ledger for a launch of the store.
    func open(_ crashInjector: CrashInjector) throws -> any Ledger {
        let process = crashInjector.store
        let ledger = try storage.open {
            crashInjector.passDisk()
            return process.hasCrashed
        }.ledger
        let found = try ledger.head
        // An interrupted commit may have been kept, whole or not at all.
        guard found == committed || isCommitting && found == head else {
            let sentence = "\(committed) records were committed, \(head - committed) more not, and \(found) are left"
            throw StorageFailure(sentence)
        }
        records.removeSubrange(found...)
        let left = try ledger.read(after: 0, limit: found)
        if left != records {
            let place = zip(left, records).prefix { $0 == $1 }.count
            throw StorageFailure("record \(place) of \(found) is not the one that was appended")
        }
        survived = found
        committed = found
        isCommitting = false
        if let ledger = ledger as? any DurableLedger {
            return SimulatedDurableLedger(self, ledger, process, crashInjector)
        }
        return SimulatedLedger(self, ledger, process, crashInjector)
    }

    /// Crashes the machine: uncommitted records are lost with the process.
    func crash() throws { try storage.crash() }
    func remove() { storage.remove() }
}
