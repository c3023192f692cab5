import Foundation
import StoreCore
import Testing

/// What a queue takes from a store's account of what is unfinished.
@Suite struct SnapshotTests {
    private let clock = ManualClock()
    private let backend: ScriptedBackend
    private let observer = Recorder()

    init() { backend = ScriptedBackend(clock: clock) }

    private func queue(journal: (any QueueJournal)? = nil) -> SKPaymentQueue {
        .observed(by: observer, on: backend, journal: journal)
    }

    private func identifiers(_ queue: SKPaymentQueue) -> [String] {
        queue.transactions.compactMap(\.transactionIdentifier)
    }

    @Test func `B36: What a snapshot does not show leaves the list, also when it was cut and went on`() {
        let queue = queue()
        backend.send(after: nil, through: .at(1), .transaction("1", .purchased), .transaction("2", .purchased))
        backend.loseConnection()
        clock.advance(by: 1)
        // The store begins anew: 2 is gone there.
        backend.send(after: nil, through: .at(9, part: 1), .transaction("1", .purchased))
        backend.loseConnection()
        clock.advance(by: 4)
        #expect(backend.connections.map(\.cursor) == [nil, .at(1), .at(9, part: 1)])
        backend.send(after: .at(9, part: 1), through: .at(9))
        #expect(identifiers(queue) == ["1"])
        #expect(observer.history.last == .removed("sword"))
    }

    @Test func `B36: A snapshot that was cut and is begun anew shows by itself what is left`() {
        let queue = queue()
        backend.send(after: nil, through: .at(1), .transaction("1", .purchased), .transaction("2", .purchased))
        backend.loseConnection()
        clock.advance(by: 1)
        backend.send(after: nil, through: .at(9, part: 1), .transaction("1", .purchased))
        backend.loseConnection()
        clock.advance(by: 4)
        backend.send(after: nil, through: .at(12), .transaction("2", .purchased))
        #expect(identifiers(queue) == ["2"])
    }

    @Test func `B36: What was taken between the parts of a snapshot need not be in it`() throws {
        let queue = queue()
        backend.send(after: nil, through: .at(9, part: 1), .transaction("1", .purchased))
        queue.add(SKPayment(productIdentifier: "shield"))
        backend.answer(.taken)
        backend.loseConnection()
        clock.advance(by: 1)
        backend.send(after: .at(9, part: 1), through: .at(9))
        #expect(queue.transactions.map(\.payment.productIdentifier) == ["sword", "shield"])
    }

    @Test func `B34: An order of an earlier launch is looked for after a connection from a cursor, too`() {
        let first = SKPaymentQueue(backend: backend, journal: MemoryJournal(), delivery: .inline, log: .silent)
        first.add(SKPayment(productIdentifier: "sword"))
        let queue = first.relaunch()
        queue.add(observer)
        backend.sendNothingUnfinished(at: 5)
        backend.loseConnection()
        clock.advance(by: 1)
        // The store is silent: it has nothing new after the cursor.
        backend.answer(.taken)
        #expect(backend.connections.map(\.cursor) == [nil, .at(5), nil])
        // It was sold and finished in the earlier launch.
        backend.sendNothingUnfinished(at: 6)
        #expect(queue.transactions.isEmpty)
        #expect(observer.history == [.updated("sword", .purchasing), .removed("sword")])
    }

    @Test func `B36: An acknowledgement that comes late excuses nothing that an earlier connection told of`() throws {
        let queue = queue()
        backend.sendNothingUnfinished(at: 1)
        queue.add(SKPayment(productIdentifier: "ghost"))
        let submission = try #require(backend.submissions.first)
        backend.send(
            after: .at(1),
            through: .at(2),
            .transaction("1", .failed, of: "ghost", order: submission.commands[0].id)
        )
        // Somebody else signs in on the device: the queue looks at what is theirs.
        backend.send(after: .at(3), through: .at(3))
        #expect(backend.connections.count == 2)
        submission.reply(.taken)
        backend.sendNothingUnfinished(at: 3)
        #expect(queue.transactions.isEmpty)
        #expect(observer.history.last == .removed("ghost"))
    }
}
