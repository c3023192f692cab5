import StoreCore

/// The journal of one launch of an app.
final class SimulatedJournal: QueueJournal, @unchecked Sendable {  // unchecked: a run uses one thread
    private let disk: JournalDisk
    private let process: ProcessState
    private let crashInjector: CrashInjector
    private unowned let eventLog: EventLog
    private var journal: (any QueueJournal)?

    init(_ disk: JournalDisk, _ process: ProcessState, _ crashInjector: CrashInjector, _ eventLog: EventLog) {
        self.disk = disk
        self.process = process
        self.crashInjector = crashInjector
        self.eventLog = eventLog
    }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        try cross {
            let (journal, contents) = try disk.open(process, crashInjector)
            self.journal = journal
            return contents
        }
    }

    func record(_ commands: [StoreCommand]) throws {
        try cross { try disk.change(process, to: disk.commands + commands) { try journal?.record(commands) } }
        eventLog.payments.recorded(commands, on: disk.device)
    }

    func forget(_ commands: [OrderID]) throws {
        try cross {
            let left = disk.commands.filter { !commands.contains($0.id) }
            try disk.change(process, to: left) { try journal?.forget(commands) }
        }
    }

    private func cross<R>(_ body: () throws -> R) throws -> R {
        crashInjector.pass()
        if process.hasCrashed { throw ProcessState.Crashed() }
        let result: R
        do { result = try body() } catch {
            // A queue logs it and does what it can.
            if !process.hasCrashed { eventLog.broke("the journal of device \(disk.device) fails: \(error)") }
            throw error
        }
        crashInjector.pass()
        if process.hasCrashed { throw ProcessState.Crashed() }
        return result
    }
}
