import StoreCore

/// The journal of one launch, on a disk that outlives it.
final class LaunchJournal: QueueJournal {
    private struct Killed: Error {}

    private let disk: MemoryJournal
    private let process: AppProcess

    init(_ disk: MemoryJournal, _ process: AppProcess) {
        self.disk = disk
        self.process = process
    }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        // The launch before is over: it has nothing to say about it.
        try pass { disk.open(superseded: {}) }
    }

    func record(_ commands: [StoreCommand]) throws { try pass { disk.record(commands) } }
    func forget(_ commands: [OrderID]) throws { try pass { disk.forget(commands) } }

    private func pass<R>(_ body: () -> R) throws -> R {
        guard process.pass(.journal) else { throw Killed() }
        let result = body()
        guard process.pass(.journal) else { throw Killed() }
        return result
    }
}
