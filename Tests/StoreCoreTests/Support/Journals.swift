import Foundation
import StoreCore
import Testing

/// A journal that records what is asked of it.
final class RecordingJournal: QueueJournal {
    enum Event: Equatable {
        case opened
        case recorded([StoreCommand.Action])
        case forgot(Int)
    }

    private let kept: MemoryJournal
    private let events = Locked<[Event]>([])

    init(firstID: JournalID = .unique()) { kept = MemoryJournal(firstID: firstID) }

    var history: [Event] { events.withLock { $0 } }
    var commands: [StoreCommand] { kept.commands }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        events.withLock { $0.append(.opened) }
        return kept.open(superseded: superseded)
    }

    func record(_ commands: [StoreCommand]) throws {
        events.withLock { $0.append(.recorded(commands.map(\.action))) }
        kept.record(commands)
    }

    func forget(_ commands: [OrderID]) throws {
        events.withLock { $0.append(.forgot(commands.count)) }
        kept.forget(commands)
    }
}

/// A journal that keeps commands, and whose answers are lost; or that cannot be reached at all.
final class DoubtfulJournal: QueueJournal {
    private let kept = MemoryJournal()
    private let isGone = Locked(false)

    /// From now on nothing arrives.
    func leave() { isGone.withLock { $0 = true } }

    var commands: [StoreCommand] { kept.commands }

    func open(superseded: @escaping @Sendable () -> Void) -> JournalContents { kept.open(superseded: superseded) }

    func record(_ commands: [StoreCommand]) throws {
        if isGone.withLock({ $0 }) { throw StoreFailure.storeKit(.unknown, "the journal is away") }
        let known = Set(kept.commands.map(\.id))
        kept.record(commands.filter { !known.contains($0.id) })
        throw JournalInDoubtError("the answer was lost")
    }

    func forget(_ commands: [OrderID]) { kept.forget(commands) }
}

/// A journal that cannot do some of what it is asked.
final class FailingJournal: QueueJournal {
    enum Act { case open, record, forget }

    private let kept = MemoryJournal()
    private let failing: Locked<Set<Act>>

    init(_ failing: Set<Act>) { self.failing = Locked(failing) }

    var commands: [StoreCommand] { kept.commands }

    /// From now on everything works.
    func repair() { failing.withLock { $0 = [] } }

    private func check(_ act: Act) throws {
        if failing.withLock({ $0.contains(act) }) { throw StoreFailure.storeKit(.unknown, "the disk is full") }
    }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        try check(.open)
        return kept.open(superseded: superseded)
    }

    func record(_ commands: [StoreCommand]) throws {
        try check(.record)
        kept.record(commands)
    }

    func forget(_ commands: [OrderID]) throws {
        try check(.forget)
        kept.forget(commands)
    }
}

/// Ledgers that were written and read again.
enum LedgerCopy {
    /// A ledger with the same records, written as text and read again.
    static func rewritten(_ ledger: any Ledger) throws -> (MemoryLedger, text: String) {
        let data = try JSONEncoder().encode(try ledger.read(after: 0, limit: 1000))
        let copy = MemoryLedger()
        let records = try JSONDecoder().decode([LedgerRecord].self, from: data)
        #expect(copy.append(records, ifHeadIs: 0))
        return (copy, String(decoding: data, as: UTF8.self))
    }
}
