import Foundation
import StoreCore
import Testing

/// A backend answers at least once, the queue acts exactly once.
@Suite struct AtLeastOnceTests {
    private let world: World
    private let backend: SpoilingBackend
    private let journal = MemoryJournal()

    init() throws {
        world = try Conformer.inProcess.world()
        backend = SpoilingBackend(world.store)
    }

    private func queue(_ observer: Recorder) -> SKPaymentQueue {
        .observed(by: observer, on: backend, journal: journal)
    }

    @Test(arguments: [SpoilingBackend.Fate.loseAnswer, .loseRequest, .denyHavingTaken])
    func `B34, B106: A payment whose answer was lost is sold once, whatever the store knew of it`(
        fate: SpoilingBackend.Fate
    ) async throws {
        let before = Recorder()
        let first = queue(before)
        backend.fate = fate
        first.add(SKPayment(productIdentifier: "full.game"))
        #expect(before.history.first == .updated("full.game", .purchasing))
        backend.fate = .pass
        let next = first.relaunch()
        let after = Recorder.finishing()
        next.add(after)
        await world.advance(by: 10)
        #expect(after.history.suffix(2) == [.updated("full.game", .purchased), .removed("full.game")])
        #expect(after.transactions.count == 1)
        #expect(journal.commands.isEmpty)
        // One purchase in the account's history is one restored transaction.
        after.clear()
        next.restoreCompletedTransactions()
        #expect(
            after.history == [.updated("full.game", .restored), .restoreFinished, .removed("full.game")]
                || after.history == [.updated("full.game", .restored), .removed("full.game"), .restoreFinished]
        )
    }

    @Test func `B71: What was finished before the store's answer was lost does not come back`() async throws {
        let before = Recorder.finishing()
        let first = queue(before)
        backend.fate = .loseAnswer
        first.add(SKPayment(productIdentifier: "sword"))
        #expect(before.history.last == .removed("sword"))
        backend.fate = .pass
        let next = first.relaunch()
        #expect(next.transactions.isEmpty)
        let after = Recorder()
        next.add(after)
        await world.advance(by: 10)
        #expect(after.history.isEmpty)
        #expect(journal.commands.isEmpty)
        let everything = Recorder()
        _ = await world.observedQueue(everything)
        #expect(everything.history.isEmpty)
    }

    @Test func `B71: What was finished after a denied purchase does not come back`() async throws {
        let before = Recorder.finishing()
        let first = queue(before)
        backend.fate = .denyHavingTaken
        first.add(SKPayment(productIdentifier: "sword"))
        #expect(before.history.last == .removed("sword"))
        let next = first.relaunch()
        let after = Recorder()
        next.add(after)
        backend.fate = .pass
        await world.advance(by: 10)
        #expect(after.history.isEmpty)
        #expect(journal.commands.isEmpty)
    }

    @Test func `B36: A second and a third answer to one submission do nothing`() async throws {
        backend.fate = .answerTwice
        let observer = Recorder.finishing()
        let queue = queue(observer)
        for product in ["sword", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await world.advance(by: 10)
        for product in ["sword", "shield"] {
            #expect(
                observer.history(of: product)
                    == [.updated(product, .purchasing), .updated(product, .purchased), .removed(product)]
            )
        }
        #expect(Set(backend.submissions.flatMap { $0 }).count == backend.submissions.flatMap { $0 }.count)
    }

    @Test func `B34: An answer that comes after a relaunch changes nothing`() async throws {
        let before = Recorder()
        let first = queue(before)
        backend.fate = .hold
        first.add(SKPayment(productIdentifier: "sword"))
        backend.fate = .pass
        let next = first.relaunch()
        let after = Recorder.finishing()
        next.add(after)
        let heard = before.history
        backend.release()
        await world.advance(by: 10)
        #expect(before.history == heard)
        #expect(after.history.last == .removed("sword"))
        #expect(journal.commands.isEmpty)
    }

    @Test(arguments: 1...3)
    func `B36: Updates that are repeated change nothing`(times: Int) async throws {
        backend.spoilBatches { batch in Array(repeating: batch, count: 1 + times) }
        let observer = Recorder.finishing()
        let queue = queue(observer)
        for product in ["sword", "swrod", "full.game"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.restore()
        #expect(
            observer.history(of: "sword")
                == [.updated("sword", .purchasing), .updated("sword", .purchased), .removed("sword")]
        )
        #expect(observer.history(of: "swrod").count == 3)
        #expect(
            observer.history(of: "full.game").suffix(2)
                == [.updated("full.game", .restored), .removed("full.game")]
        )
        #expect(observer.history.filter { $0 == .restoreFinished }.count == 1)
    }

    @Test func `B36: Old updates that come again much later change nothing`() async throws {
        let seen = Locked<[UpdateBatch]>([])
        backend.spoilBatches { batch in
            let old = seen.withLock { seen in
                seen.append(batch)
                return seen
            }
            return old
        }
        let observer = Recorder.finishing()
        let queue = queue(observer)
        for _ in 1...5 { queue.add(SKPayment(productIdentifier: "sword")) }
        await queue.settle()
        #expect(observer.history.count == 15)
        #expect(observer.transactions.count == 5)
        #expect(queue.transactions.isEmpty)
    }

    @Test func `B36: An update that was dropped is asked for again`() async throws {
        let count = Locked(0)
        backend.spoilBatches { batch in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? [] : [batch]
        }
        let observer = Recorder()
        let queue = queue(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.history == [.updated("sword", .purchasing)])
        queue.add(SKPayment(productIdentifier: "shield"))
        await world.advance(by: 10)
        for product in ["sword", "shield"] {
            #expect(observer.history(of: product) == [.updated(product, .purchasing), .updated(product, .purchased)])
        }
        #expect(backend.connections == 2)
    }

    @Test func `B36: Updates that come in the wrong order are told in the right one`() async throws {
        let held = Locked<UpdateBatch?>(nil)
        backend.spoilBatches { batch in
            guard batch.after != nil else { return [batch] }
            return held.withLock { held in
                guard let first = held else {
                    held = batch
                    return []
                }
                held = nil
                return [batch, first]
            }
        }
        let observer = Recorder()
        let queue = queue(observer)
        let products = ["sword", "shield", "spear", "lessons"]
        for product in products { queue.add(SKPayment(productIdentifier: product)) }
        backend.spoilBatches(nil)
        await world.advance(by: 10)
        #expect(queue.transactions.map(\.transactionState) == Array(repeating: .purchased, count: 4))
        let outcomes = observer.history.filter {
            if case .updated(_, .purchased) = $0 { true } else { false }
        }
        #expect(outcomes == products.map { .updated($0, .purchased) })
    }

    @Test func `B36: Connections that are cut again and again lose nothing and repeat nothing`() async throws {
        let observer = Recorder.finishing()
        let queue = queue(observer)
        for round in 0..<10 {
            if round % 2 == 0 { backend.loseConnections() }
            queue.add(SKPayment(productIdentifier: "sword"))
            if round % 3 == 0 { backend.loseConnections() }
            await world.advance(by: round % 4 == 0 ? 300 : 0)
        }
        await world.advance(by: 600)
        #expect(observer.transactions.count == 10)
        #expect(observer.history.count == 30)
        #expect(queue.transactions.isEmpty)
    }

    @Test func `B36, B38: A connection lost in the middle of what is unfinished loses nothing and repeats nothing`()
        async throws
    {
        let (shop, shopper) = await world.observedQueue()
        for _ in 1...700 { shop.add(SKPayment(productIdentifier: "sword")) }
        let parts = Locked(0)
        backend.spoilBatches { batch in
            let number = parts.withLock { parts in
                parts += 1
                return parts
            }
            // The second part never arrives, the third tells of the gap; the next snapshot breaks off once more.
            return number == 2 || number == 5 ? [] : [batch]
        }
        let observer = Recorder()
        let queue = queue(observer)
        await world.advance(by: 60)
        #expect(observer.history == Array(repeating: .updated("sword", .purchased), count: 700))
        #expect(observer.transactions.map(\.transactionIdentifier) == shopper.transactions.map(\.transactionIdentifier))
        #expect(queue.transactions.count == 700)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `B34, B36, B71: Whatever is cut, repeated or lost, each payment is sold once and finished once`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let spoiler = Locked(SplitMix64(seed: ~seed))
        backend.spoilBatches { batch in
            switch spoiler.withLock({ Int.random(in: 0..<8, using: &$0) }) {
            case 0: []
            case 1: [batch, batch]
            default: [batch]
            }
        }
        let fates: [SpoilingBackend.Fate] = [.pass, .pass, .loseAnswer, .denyHavingTaken, .answerTwice, .hold]
        var observer = Recorder.finishing()
        var queue = queue(observer)
        var delivered: [String] = []
        var added = 0
        for _ in 0..<30 {
            backend.fate = fates.randomElement(using: &random)!
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                added += 1
                queue.add(SKPayment(productIdentifier: "swrod\(added)"))
            case 4: backend.loseConnections()
            case 5: backend.release()
            case 6: await world.advance(by: TimeInterval(Int.random(in: 1...5, using: &random)))
            default:
                delivered += observer.finished
                queue = queue.relaunch()
                observer = Recorder.finishing()
                queue.add(observer)
            }
        }
        backend.spoilBatches(nil)
        backend.fate = .pass
        delivered += observer.finished
        queue = queue.relaunch()
        observer = Recorder.finishing()
        queue.add(observer)
        await world.advance(by: 600)
        delivered += observer.finished
        #expect(delivered.sorted() == (0..<added).map { "swrod\($0 + 1)" }.sorted(), "seed \(seed)")
        #expect(queue.transactions.isEmpty, "seed \(seed)")
        #expect(journal.commands.isEmpty, "seed \(seed)")
        let late = Recorder()
        _ = await world.observedQueue(late)
        #expect(late.history.isEmpty, "seed \(seed)")
    }
}

extension Recorder {
    /// The products whose transactions were told of as decided, each as often as it was.
    fileprivate var finished: [String] {
        history.compactMap { if case .updated(let product, .failed) = $0 { product } else { nil } }
    }
}
