import Foundation
import StoreCore
import Testing

/// Orders that another queue on the device finished before this one has heard of them.
@Suite struct HiddenOrderTests {
    private let clock = ManualClock()
    private let backend: ScriptedBackend
    private let observer = Recorder()

    init() { backend = ScriptedBackend(clock: clock) }

    private func queue() -> SKPaymentQueue { .observed(by: observer, on: backend) }

    @Test func `B43: An order acknowledged before a snapshot that does not have it comes out`() {
        let queue = queue()
        queue.add(SKPayment(productIdentifier: "sword"))
        backend.answer(.taken)
        #expect(observer.history == [.updated("sword", .purchasing)])
        backend.sendNothingUnfinished(at: 2)
        // It was taken before that snapshot or after it: the next one says which.
        #expect(backend.connections.map(\.cursor) == [nil, nil])
        backend.sendNothingUnfinished(at: 2)
        #expect(queue.transactions.isEmpty)
        #expect(observer.history == [.updated("sword", .purchasing), .removed("sword")])
    }

    @Test func `B43: An order on its way during a snapshot comes out, however late its acknowledgement`() {
        let queue = queue()
        queue.add(SKPayment(productIdentifier: "sword"))
        backend.sendNothingUnfinished(at: 2)
        #expect(backend.connections.count == 1)
        backend.answer(.taken)
        #expect(backend.connections.map(\.cursor) == [nil, nil])
        backend.sendNothingUnfinished(at: 2)
        #expect(queue.transactions.isEmpty)
        #expect(observer.history == [.updated("sword", .purchasing), .removed("sword")])
    }

    @Test func `B43: An order whose first answer was lost comes out`() {
        let queue = queue()
        queue.add(SKPayment(productIdentifier: "sword"))
        backend.answer(.trouble)
        backend.sendNothingUnfinished(at: 2)
        clock.advance(by: 1)
        backend.answer(.taken)
        backend.sendNothingUnfinished(at: 2)
        #expect(queue.transactions.isEmpty)
        #expect(observer.history == [.updated("sword", .purchasing), .removed("sword")])
    }

    @Test func `B36: An order taken behind a snapshot is told of by the next one, where it did not come first`() throws
    {
        let queue = queue()
        queue.add(SKPayment(productIdentifier: "sword"))
        let order = try #require(backend.submissions.first?.commands.first?.id)
        backend.answer(.taken)
        backend.sendNothingUnfinished(at: 0)
        backend.send(after: nil, through: .at(1), .transaction("1", .purchased, order: order))
        #expect(queue.transactions.map(\.transactionIdentifier) == ["1"])
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(backend.connections.count == 2)
    }

    @Test func `B36: An order that the store has told of needs no other snapshot, nor does one sent after it`() throws {
        let queue = queue()
        queue.add(SKPayment(productIdentifier: "sword"))
        let order = try #require(backend.submissions.first?.commands.first?.id)
        backend.sendNothingUnfinished(at: 0)
        backend.send(after: .at(0), through: .at(1), .transaction("1", .purchased, order: order))
        backend.answer(.taken)
        queue.add(SKPayment(productIdentifier: "shield"))
        backend.answer(.taken)
        #expect(backend.connections.count == 1)
        #expect(queue.transactions.count == 2)
    }

    @Test(arguments: Conformer.allCases)
    func `B43: Queues of one device that finish whatever they hear of leave nothing purchasing`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        var queues: [(SKPaymentQueue, Recorder)] = []
        for _ in 0..<20 {
            let recorder = Recorder(onUpdate: { queue, transactions in
                for transaction in transactions where transaction.transactionState == .purchased {
                    queue.finishTransaction(transaction)
                }
            })
            let queue = world.queue()
            queue.add(recorder)
            queue.add(SKPayment(productIdentifier: "sword"))
            queues.append((queue, recorder))
        }
        for (queue, _) in queues { await queue.settle() }
        for (queue, recorder) in queues {
            #expect(queue.transactions.isEmpty)
            #expect(recorder.history.last == .removed("sword"))
        }
    }
}
