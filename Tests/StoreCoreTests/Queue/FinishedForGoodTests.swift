import Foundation
import StoreCore
import Testing

/// What the store brought by itself and the app finished does not come again, whatever becomes of the finish.
@Suite struct FinishedForGoodTests {
    private let clock = ManualClock()
    private let backend: ScriptedBackend
    private let observer = Recorder()

    init() { backend = ScriptedBackend(clock: clock) }

    private func queue(journal: (any QueueJournal)? = nil) -> SKPaymentQueue {
        .observed(by: observer, on: backend, journal: journal)
    }

    @Test func `B71: What was finished during a snapshot stays gone until the store has acknowledged that`() throws {
        let queue = queue()
        backend.send(after: nil, through: .at(5, part: 1), .transaction("77", .purchased))
        queue.finishTransaction(try #require(queue.transactions.first))
        backend.send(after: .at(5, part: 1), through: .at(5))
        backend.answer(.trouble)
        backend.loseConnection()
        backend.onSubmit { $0.reply(.trouble) }
        clock.advance(by: 1)
        backend.send(after: nil, through: .at(6), .transaction("77", .purchased))
        #expect(observer.history == [.updated("sword", .purchased), .removed("sword")])
        #expect(queue.transactions.isEmpty)
    }

    @Test func `B71: A snapshot that comes before the finish is recorded does not bring it again`() throws {
        let journal = EavesdroppingJournal { [backend] in
            backend.send(after: nil, through: .at(9), .transaction("77", .purchased))
        }
        let queue = queue(journal: journal)
        backend.send(after: nil, through: .at(5), .transaction("77", .purchased))
        // A gap: the queue connects again, and hears what was open before the finish.
        backend.onSubmit { [backend] _ in backend.send(after: .at(8), through: .at(9)) }
        queue.finishTransaction(try #require(queue.transactions.first))
        #expect(backend.connections.count == 2)
        #expect(observer.history == [.updated("sword", .purchased), .removed("sword")])
    }

    @Test func `B71: A finish acknowledged while a snapshot is on its way holds until that has ended`() throws {
        let queue = queue()
        backend.send(after: nil, through: .at(5), .transaction("77", .purchased))
        queue.finishTransaction(try #require(queue.transactions.first))
        backend.send(after: .at(8), through: .at(9))
        backend.answer(.taken)
        backend.send(after: nil, through: .at(9, part: 1), .transaction("77", .purchased))
        backend.send(after: .at(9, part: 1), through: .at(9))
        #expect(observer.history == [.updated("sword", .purchased), .removed("sword")])
        // The store would have to break its word now; then it is believed.
        backend.send(after: .at(9), through: .at(10), .transaction("77", .purchased))
        #expect(observer.history.count == 3)
    }

    @Test func `B71: A finish of an earlier launch holds until it is acknowledged and the snapshot has ended`() throws {
        let journal = MemoryJournal()
        let first = queue(journal: journal)
        backend.send(after: nil, through: .at(5), .transaction("77", .purchased))
        backend.onSubmit { $0.reply(.trouble) }
        first.finishTransaction(try #require(first.transactions.first))
        #expect(journal.commands.count == 1)
        let next = first.relaunch()
        backend.onSubmit { $0.reply(.taken) }
        let after = Recorder()
        next.add(after)
        #expect(journal.commands.isEmpty)
        backend.send(after: nil, through: .at(5), .transaction("77", .purchased))
        #expect(after.history.isEmpty)
    }
}

/// A journal that does something just before it records.
private final class EavesdroppingJournal: QueueJournal {
    private let kept = MemoryJournal()
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func open(superseded: @escaping @Sendable () -> Void) -> JournalContents { kept.open(superseded: superseded) }

    func record(_ commands: [StoreCommand]) {
        body()
        kept.record(commands)
    }

    func forget(_ commands: [OrderID]) { kept.forget(commands) }
}
