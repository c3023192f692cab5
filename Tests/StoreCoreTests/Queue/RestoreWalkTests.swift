import Foundation
import StoreCore
import Testing

/// Restores and what other queues bought, over a store that is cut, repeated and lost.
@Suite struct RestoreWalkTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `B36, B71, B162: Every restore ends once, and what was finished does not come again`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let spoiler = Locked(SplitMix64(seed: ~seed))
        let world = try Conformer.inProcess.world()
        await world.buyAndFinish("full.game")
        let backend = SpoilingBackend(world.store)
        backend.spoilBatches { batch in
            switch spoiler.withLock({ Int.random(in: 0..<8, using: &$0) }) {
            case 0: []
            case 1: [batch, batch]
            default: [batch]
            }
        }
        let journal = FailingJournal(seed % 2 == 0 ? [.record] : [])
        let queue = SKPaymentQueue(backend: backend, journal: journal, delivery: .inline, log: .silent)
        let observer = Recorder.finishing()
        queue.add(observer)
        let shop = world.queue()
        let shopper = Recorder()
        shop.add(shopper)
        let fates: [SpoilingBackend.Fate] = [.pass, .pass, .denyHavingTaken, .answerTwice, .hold]
        var restores = 0
        for _ in 0..<30 {
            backend.fate = fates.randomElement(using: &random)!
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1: shop.add(SKPayment(productIdentifier: "sword"))
            case 2:
                queue.restoreCompletedTransactions()
                restores += 1
            case 3: backend.loseConnections()
            case 4: backend.release()
            case 5: world.store.isReachable.toggle()
            default: await world.advance(by: TimeInterval(Int.random(in: 1...5, using: &random)))
            }
        }
        world.store.isReachable = true
        backend.spoilBatches(nil)
        backend.fate = .pass
        backend.release()
        await world.advance(by: 1200)
        // What was dropped last is noticed with the next change.
        shop.add(SKPayment(productIdentifier: "shield"))
        await world.advance(by: 1200)
        let ends = observer.history.count {
            switch $0 {
            case .restoreFinished, .restoreFailed: true
            default: false
            }
        }
        #expect(ends == restores, "seed \(seed)")
        let finished = observer.transactions.compactMap(\.transactionIdentifier)
        #expect(Set(finished).count == finished.count, "seed \(seed)")
        #expect(queue.transactions.isEmpty, "seed \(seed)")
        #expect(shopper.history.last == .removed("shield"), "seed \(seed)")
        let late = Recorder()
        _ = await world.observedQueue(late)
        #expect(late.history.isEmpty, "seed \(seed)")
    }
}
