import Foundation
import StoreCore
import Testing

/// A restore ends, whatever happens, and it ends once.
@Suite struct RestoreEndTests {
    private let clock = ManualClock()
    private let backend: ScriptedBackend
    private let observer = Recorder()

    init() { backend = ScriptedBackend(clock: clock) }

    private func queue(journal: (any QueueJournal)? = nil) -> SKPaymentQueue {
        .observed(by: observer, on: backend, journal: journal)
    }

    private func lastRestore() throws -> OrderID {
        try #require(
            backend.submissions.last?.commands.last { command in
                if case .restore = command.action { true } else { false }
            }?.id
        )
    }

    @Test func `B100: A restore on its way when the store begins anew ends with its acknowledgement`() {
        let queue = queue()
        backend.sendNothingUnfinished()
        queue.restoreCompletedTransactions()
        backend.send(after: .at(8), through: .at(9))
        backend.sendNothingUnfinished(at: 10)
        #expect(observer.history.isEmpty)
        backend.answer(.taken)
        #expect(observer.history == [.restoreFailed(.network(.networkConnectionLost))])
    }

    @Test func `B99: A restore on its way when the store begins anew may still end well before its acknowledgement`()
        throws
    {
        let queue = queue()
        backend.sendNothingUnfinished()
        queue.restoreCompletedTransactions()
        backend.send(after: .at(8), through: .at(9))
        backend.sendNothingUnfinished(at: 10)
        backend.send(after: .at(10), through: .at(11), .restoreEnded(try lastRestore(), failure: nil))
        backend.answer(.taken)
        #expect(observer.history == [.restoreFinished])
    }

    @Test func `B162: Of two restores sent together, the one that has ended does not fail with the other`() throws {
        let queue = queue()
        backend.sendNothingUnfinished()
        queue.add(SKPayment(productIdentifier: "sword"))
        queue.restoreCompletedTransactions()
        queue.restoreCompletedTransactions()
        backend.answer(.taken)
        let sent = try #require(backend.submissions.last).commands
        #expect(sent.count == 2)
        observer.clear()
        backend.send(after: .at(0), through: .at(1), .restoreEnded(sent[0].id, failure: nil))
        backend.answer(.trouble)
        #expect(observer.history == [.restoreFinished, .restoreFailed(.network(.timedOut))])
    }

    @Test func `B99: An order of an earlier launch does not hide the end of a restore that was sent with it`() throws {
        let journal = MemoryJournal()
        let first = SKPaymentQueue(backend: backend, journal: journal, delivery: .inline, log: .silent)
        first.add(SKPayment(productIdentifier: "sword"))
        let queue = first.relaunch()
        queue.add(observer)
        backend.sendNothingUnfinished()
        backend.answer(.trouble)
        queue.restoreCompletedTransactions()
        let sent = try #require(backend.submissions.last).commands
        #expect(sent.count == 2)
        backend.answer(.taken)
        #expect(backend.connections.count == 1)
        backend.send(
            after: .at(0),
            through: .at(1),
            .transaction("1", .purchased, order: sent[0].id),
            .transaction("2", .restored, of: "full.game"),
            .restoreEnded(sent[1].id, failure: nil)
        )
        #expect(observer.history.last == .restoreFinished)
        // Now nothing can be hidden any more, and the queue looks again.
        #expect(backend.connections.map(\.cursor) == [nil, nil])
    }

    @Test func `B100: While the connection is lost a restore fails at once, for the same reason`() {
        let queue = queue()
        backend.loseConnection()
        queue.restoreCompletedTransactions()
        #expect(observer.history == [.restoreFailed(.network(.networkConnectionLost))])
        #expect(backend.submissions.isEmpty)
        clock.advance(by: 1)
        backend.sendNothingUnfinished()
        queue.restoreCompletedTransactions()
        #expect(backend.submissions.count == 1)
    }

    @Test func `B100: A restore that waits for a snapshot fails when the connection is lost, and holds nothing up`() {
        let queue = queue()
        queue.restoreCompletedTransactions()
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(backend.submissions.isEmpty)
        backend.loseConnection()
        #expect(observer.history.contains(.restoreFailed(.network(.networkConnectionLost))))
        #expect(backend.submissions.map(\.commands.count) == [1])
    }

    @Test func `B100: At a store out of reach from the beginning a restore fails with the store's own reason`()
        async throws
    {
        let world = try Conformer.inProcess.world()
        world.store.isReachable = false
        let queue = await world.observedQueue(observer)
        queue.restoreCompletedTransactions()
        #expect(observer.history == [.restoreFailed(.network(.notConnectedToInternet))])
    }
}
