import StoreCore

/// The journal on a device's disk, which outlives the apps.
final class JournalDisk: @unchecked Sendable {  // unchecked: a life is lived on one thread
    fileprivate let device: Int
    private let storage: any StableStorage
    private var openings: UInt64 = 0
    /// The commands recorded and not forgotten.
    fileprivate private(set) var commands: [StoreCommand] = []
    /// The commands that would be there if the write interrupted by a crash had been whole.
    private var doubt: [StoreCommand]?

    init(device: Int, _ storage: any StableStorage) {
        self.device = device
        self.storage = storage
    }

    func crash() throws { try storage.crash() }
    func remove() { storage.remove() }

    fileprivate func open(
        _ pulse: ProcessState,
        _ lifeline: CrashInjector
    ) throws -> (journal: any QueueJournal, contents: JournalContents) {
        let journal = try storage.open {
            lifeline.passDisk()
            return pulse.isDead
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
    fileprivate func change(_ pulse: ProcessState, to commands: [StoreCommand], write: () throws -> Void) throws {
        doubt = commands
        do { try write() } catch {
            // A process that is still running has been told that nothing was changed.
            if !pulse.isDead { doubt = nil }
            throw error
        }
        self.commands = commands
        doubt = nil
    }
}

/// The journal of one launch of an app.
final class KeptJournal: QueueJournal, @unchecked Sendable {  // unchecked: a life is lived on one thread
    private let disk: JournalDisk
    private let pulse: ProcessState
    private let lifeline: CrashInjector
    private unowned let diary: EventLog
    private var journal: (any QueueJournal)?

    init(_ disk: JournalDisk, _ pulse: ProcessState, _ lifeline: CrashInjector, _ diary: EventLog) {
        self.disk = disk
        self.pulse = pulse
        self.lifeline = lifeline
        self.diary = diary
    }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        try cross {
            let (journal, contents) = try disk.open(pulse, lifeline)
            self.journal = journal
            return contents
        }
    }

    func record(_ commands: [StoreCommand]) throws {
        try cross {
            try disk.change(pulse, to: disk.commands + commands) { try journal?.record(commands) }
        }
        diary.passages.recorded(commands, on: disk.device)
    }

    func forget(_ commands: [OrderID]) throws {
        try cross {
            let left = disk.commands.filter { !commands.contains($0.id) }
            try disk.change(pulse, to: left) { try journal?.forget(commands) }
        }
    }

    private func cross<R>(_ body: () throws -> R) throws -> R {
        lifeline.pass()
        if pulse.isDead { throw Death() }
        let result: R
        do { result = try body() } catch {
            // A queue logs it and does what it can.
            if !pulse.isDead { diary.broke("the journal of device \(disk.device) fails: \(error)") }
            throw error
        }
        lifeline.pass()
        if pulse.isDead { throw Death() }
        return result
    }
}
