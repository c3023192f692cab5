import Foundation
import Testing

@testable import StoreCore

/// Commands that a store will never take, and what was sent with them.
@Suite struct RefusedCommandTests {
    private let tooLong = StoreFailure.storeKit(.paymentInvalid, "the payment for sword is too long")

    private func refusal(_ numbers: Int..., journal: JournalID = MachineBench.journal) -> SubmissionReply {
        .refused(numbers.map { RefusedCommand(id: OrderID(journal: journal, number: $0), failure: tooLong) })
    }

    @Test func `B36: A refused payment fails, and the rest of its submission is taken`() {
        var bench = MachineBench.connected()
        _ = bench.add("axe")
        let commands = [MachineBench.purchase(2, "sword"), MachineBench.purchase(3, "shield")]
        _ = bench.add("sword")
        _ = bench.add("shield")
        #expect(bench.reply(.taken).store == [.submit(commands, number: 2)])
        let actions = bench.reply(refusal(2), to: 2)
        #expect(actions.store == [])
        #expect(actions.observers.map { "\($0)".prefix { $0 != "," } } == ["show(2", "change(2", "show(3"])
        #expect(bench.machine.outbound.isEmpty)
        // Nobody but this queue knows of it: its finish goes nowhere.
        #expect(bench.finish(2) == [.withdraw(2), .remove(2)])
        #expect(bench.reply(.taken, to: 2) == [])
    }

    @Test func `B36: What waits behind a refused payment is sent at once`() {
        var bench = MachineBench.connected()
        _ = bench.add("sword")
        #expect(bench.returned() == [.record([MachineBench.purchase(1, "sword")])])
        _ = bench.recorded([MachineBench.purchase(1, "sword")])
        #expect(bench.add("shield") == [.record([MachineBench.purchase(2, "shield")])])
        let actions = bench.reply(refusal(1))
        #expect(
            actions.store == [
                .forget([MachineBench.order(1)]), .submit([MachineBench.purchase(2, "shield")], number: 2),
            ]
        )
        #expect(actions.observers.count == 1)
    }

    @Test func `B34: A payment of an earlier launch that is refused fails, and does not come again`() {
        let earlier = JournalID(rawValue: 3)
        var bench = MachineBench(adopting: [MachineBench.purchase(9, "sword", journal: earlier)])
        _ = bench.observe()
        let actions = bench.reply(refusal(9, journal: earlier))
        #expect(actions.store == [.forget([OrderID(journal: earlier, number: 9)])])
        guard case .change(1, let transaction)? = actions.observers.first else { return _ = Issue.record("\(actions)") }
        #expect(transaction.state == .failed)
        #expect(transaction.failure == tooLong)
        #expect(bench.finish(1) == [.withdraw(1), .remove(1)])
        #expect(bench.machine.adopted.isEmpty)
    }

    @Test func `B100: A refused restore ends with the store's failure`() {
        var bench = MachineBench.connected()
        _ = bench.after { $0.restore(applicationUsername: nil, &$1) }
        #expect(bench.reply(refusal(1)) == [.restoreEnded(tooLong)])
        #expect(bench.machine.restores.isEmpty)
    }

    @Test func `B71: A refused finish is heard removed, and is not sent again`() {
        var bench = MachineBench.connected()
        _ = bench.receive(after: .at(0), through: .at(1), [.transaction("a", .purchased)])
        #expect(bench.finish(1).store == [.submit([MachineBench.finish(2, of: "a")], number: 1)])
        #expect(bench.reply(refusal(2)) == [.remove(1)])
        #expect(bench.machine.outbound.isEmpty)
        #expect(bench.machine.finished.isEmpty)
    }

    @Test func `B35: A retired queue leaves a refused payment to the next launch, which hears of it`() {
        var bench = MachineBench.connected()
        _ = bench.add("sword")
        _ = bench.returned()
        _ = bench.recorded([MachineBench.purchase(1, "sword")])
        _ = bench.after { $0.retire(leavesFinishes: true, &$1) }
        #expect(bench.reply(refusal(1)) == [])
    }

    @Test func `B36: An app hears why its payment failed, and buys on`() throws {
        let clock = ManualClock()
        let backend = ScriptedBackend(clock: clock)
        let log = LogRecorder()
        let observer = Recorder()
        let journal = MemoryJournal()
        let queue = SKPaymentQueue(backend: backend, journal: journal, delivery: .inline, log: log.log)
        queue.add(observer)
        backend.sendNothingUnfinished()
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.history == [.updated("sword", .purchasing)])
        let order = try #require(backend.submissions.first?.commands.first?.id)
        backend.answer(.refused([RefusedCommand(id: order, failure: tooLong)]))
        #expect(observer.history.last == .updated("sword", .failed))
        let error = try #require(queue.transactions.first?.error as? SKError)
        #expect(error.code == .paymentInvalid)
        #expect(error.userInfo[StoreFailure.reasonKey] as? String == tooLong.reason)
        queue.add(SKPayment(productIdentifier: "shield"))
        #expect(backend.submissions.last?.commands.count == 1)
        queue.finishTransaction(try #require(queue.transactions.first))
        #expect(observer.history(of: "sword").last == .removed("sword"))
        // The journal has forgotten it.
        let next = queue.relaunch()
        let after = Recorder()
        next.add(after)
        #expect(after.history(of: "sword").isEmpty)
    }

    @Test func `B36: A store with async functions refuses by an error`() async {
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: Refusing().asStoreBackend())
        await queue.buy("sword")
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .failed)])
    }
}

/// Refuses whatever it is asked for.
private struct Refusing: AsyncStoreBackend {
    let clock: any StoreClock = ManualClock()

    func submit(_ commands: [StoreCommand]) async throws {
        throw RefusedCommandsError(
            commands.map { RefusedCommand(id: $0.id, failure: .storeKit(.paymentInvalid, "too long")) }
        )
    }

    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        feed.send(UpdateBatch(after: nil, through: UpdateCursor(position: 0), updates: []))
        let (silence, end) = AsyncStream.makeStream(of: Void.self)
        for await _ in silence {}
        withExtendedLifetime(end) {}
    }

    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer { ProductsAnswer(products: []) }
}
