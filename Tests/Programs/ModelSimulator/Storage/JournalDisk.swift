import StoreCore

/// The journal on a device's disk, which outlives the apps.
final class JournalDisk: @unchecked Sendable {  // unchecked: a run uses one thread
    let device: Int
    private let storage: any StableStorage
    private var openings: UInt64 = 0
    /// The commands recorded and not forgotten.
    private(set) var commands: [StoreCommand] = []
    /// The commands that would be there if the write interrupted by a crash had been whole.
    private var doubt: [StoreCommand]?

    init(device: Int, _ storage: any StableStorage) {
        self.device = device
        self.storage = storage
    }

    func crash() throws { try storage.crash() }
    func remove() { storage.remove() }

    func open(
        _ process: ProcessState,
        _ crashInjector: CrashInjector
    ) throws -> (journal: any QueueJournal, contents: JournalContents) {
        let journal = try storage.open {
            crashInjector.passDisk()
            return process.hasCrashed
        }.journal
        // A crashed app is told nothing.
        let found = try journal.open(superseded: {}).commands
        guard found == commands || found == doubt else {
            throw StorageFailure("it held \(commands.map(\.id)), and \(found.map(\.id)) are left")
        }
        commands = found
        doubt = nil
        openings += 1
        // Its own name is random, and no seed would replay it.
        return (journal, JournalContents(id: JournalID(rawValue: UInt64(device) << 32 | openings), commands: found))
    }

    /// Changes the commands by a write.
    func change(_ process: ProcessState, to commands: [StoreCommand], write: () throws -> Void) throws {
        doubt = commands
        do { try write() } catch {
            // A process that is still running has been told that nothing was changed.
            if !process.hasCrashed { doubt = nil }
            throw error
        }
        self.commands = commands
        doubt = nil
    }
}
