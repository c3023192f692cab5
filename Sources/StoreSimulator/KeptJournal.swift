import StoreCore

/// What a device has on its disk: it outlives the apps.
final class JournalDisk: @unchecked Sendable {  // unchecked: a life is lived on one thread
    fileprivate let device: Int
    private var openings: UInt64 = 0
    fileprivate(set) var commands: [StoreCommand] = []

    init(device: Int) { self.device = device }

    fileprivate func open() -> JournalContents {
        openings += 1
        return JournalContents(id: JournalID(rawValue: UInt64(device) << 32 | openings), commands: commands)
    }
}

/// The journal of one launch of an app.
final class KeptJournal: QueueJournal {
    private let disk: JournalDisk
    private let pulse: Pulse
    private let lifeline: Lifeline
    private let passages: Passages

    init(_ disk: JournalDisk, _ pulse: Pulse, _ lifeline: Lifeline, _ passages: Passages) {
        self.disk = disk
        self.pulse = pulse
        self.lifeline = lifeline
        self.passages = passages
    }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        try cross { disk.open() }
    }

    func record(_ commands: [StoreCommand]) throws {
        try cross { disk.commands += commands }
        passages.recorded(commands, on: disk.device)
    }

    func forget(_ commands: [OrderID]) throws {
        try cross { disk.commands.removeAll { commands.contains($0.id) } }
    }

    private func cross<R>(_ body: () -> R) throws -> R {
        lifeline.pass()
        if pulse.isDead { throw Death() }
        let result = body()
        lifeline.pass()
        if pulse.isDead { throw Death() }
        return result
    }
}
