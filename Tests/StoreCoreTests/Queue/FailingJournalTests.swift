import Foundation
import StoreCore
import Testing

/// What becomes of commands that the journal cannot keep.
@Suite struct FailingJournalTests {
    private let clock = ManualClock()
    private let backend: ScriptedBackend
    private let journal = FailingJournal([.record])
    private let observer = Recorder()

    init() { backend = ScriptedBackend(clock: clock) }

    private func queue(_ journal: (any QueueJournal)? = nil) -> SKPaymentQueue {
        .observed(by: observer, on: backend, journal: journal ?? self.journal)
    }

    /// A queue whose store takes nothing yet, with a payment in a journal whose answer was lost.
    private func queueInDoubt(_ journal: DoubtfulJournal) -> SKPaymentQueue {
        let queue = queue(journal)
        backend.sendNothingUnfinished()
        backend.onSubmit { $0.reply(.trouble) }
        queue.add(SKPayment(productIdentifier: "sword"))
        return queue
    }

    @Test func `B71: A finish that cannot be recorded goes to the store all the same, after the pause`() throws {
        let queue = queue()
        backend.send(after: nil, through: .at(1), .transaction("77", .purchased))
        backend.onSubmit { $0.reply(.trouble) }
        queue.finishTransaction(try #require(queue.transactions.first))
        backend.onSubmit { $0.reply(.taken) }
        clock.advance(by: 1)
        #expect(
            backend.submissions.map { $0.commands.map(\.action) }
                == Array(repeating: [.finish(transaction: "77")], count: 2)
        )
        #expect(journal.commands.isEmpty)
    }

    @Test func `B33: A finish that could not be recorded is offered to the journal again`() throws {
        let queue = queue()
        backend.send(after: nil, through: .at(1), .transaction("77", .purchased))
        backend.onSubmit { $0.reply(.trouble) }
        queue.finishTransaction(try #require(queue.transactions.first))
        journal.repair()
        clock.advance(by: 1)
        #expect(journal.commands.map(\.action) == [.finish(transaction: "77")])
    }

    @Test func `Many payments that cannot be recorded fail in their order, each once`() {
        let queue = queue()
        backend.sendNothingUnfinished()
        let count = 2000
        backend.onSubmit { [backend] submission in
            backend.onSubmit(nil)
            for number in 1...count { queue.add(SKPayment(productIdentifier: "sword\(number)")) }
            submission.reply(.trouble)
        }
        queue.add(SKPayment(productIdentifier: "sword0"))
        let failed = observer.history.compactMap {
            if case .updated(let product, .failed) = $0 { product } else { nil }
        }
        #expect(failed == (0...count).map { "sword\($0)" })
        clock.advance(by: 1)
        #expect(backend.submissions.count == 1)
    }

    @Test
    func `B57: A payment of which nobody knows whether it is recorded does not fail, and is told once it is taken`() {
        let journal = DoubtfulJournal()
        let queue = queueInDoubt(journal)
        defer { withExtendedLifetime(queue) {} }
        #expect(observer.history.isEmpty)
        #expect(journal.commands.count == 1)
        clock.advance(by: 1)
        #expect(observer.history.isEmpty)
        backend.onSubmit { $0.reply(.taken) }
        clock.advance(by: 2)
        #expect(observer.history == [.updated("sword", .purchasing)])
        #expect(Set(backend.submissions.flatMap(\.commands).map(\.id)).count == 1)
        // A relaunch must not send it again.
        #expect(journal.commands.isEmpty)
    }

    @Test func `B57: A payment of which nobody knew whether it is recorded is sent by the next launch`() {
        let journal = DoubtfulJournal()
        let queue = queueInDoubt(journal)
        defer { withExtendedLifetime(queue) {} }
        let sent = backend.submissions.flatMap(\.commands).map(\.id)
        backend.onSubmit { $0.reply(.taken) }
        let next = SKPaymentQueue(backend: backend, journal: journal, delivery: .inline, log: .silent)
        next.add(Recorder())
        #expect(backend.submissions.last?.commands.map(\.id) == Array(sent.prefix(1)))
        #expect(observer.history.isEmpty)
    }

    @Test func `B57: A payment that may be recorded does not fail when the journal then cannot be reached`() {
        let journal = DoubtfulJournal()
        let queue = queueInDoubt(journal)
        defer { withExtendedLifetime(queue) {} }
        journal.leave()
        clock.advance(by: 1)
        #expect(observer.history.isEmpty)
        backend.onSubmit { $0.reply(.taken) }
        clock.advance(by: 2)
        #expect(observer.history == [.updated("sword", .purchasing)])
        #expect(journal.commands.isEmpty)
    }

    @Test func `B33: Commands that were recorded out of their order are sent in the order of their numbers`() {
        let journal = MemoryJournal()
        let earlier = journal.open {}.id
        let commands = [2, 1, 3].map { number in
            let payment = StorePayment(productIdentifier: "sword\(number)")
            return StoreCommand(id: OrderID(journal: earlier, number: number), action: .purchase(payment))
        }
        journal.record(commands)
        let queue = queue(journal)
        #expect(backend.submissions.flatMap(\.commands).map(\.id.number) == [1, 2, 3])
        withExtendedLifetime(queue) {}
    }
}
