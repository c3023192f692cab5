import StoreContract
import StoreCore
import Testing

/// Whatever the injector does to the wire, a payment queue and a sandbox come to terms.
@Suite struct ExactlyOnceTests {
    static let faults: [FaultInjector.Fault] = [
        .drop, .delay(5), .delay(90), .duplicate, .echo(after: 90), .reorder, .cut, .loseAnswer, .hold,
        .fail(.storeKit(.unknown, "nobody knows")),
    ]
    static let points: [FaultInjector.Point] = [.submission, .reply, .connection, .update]

    @Test(arguments: faults, points)
    func `B34, B36, B71: Each purchase is charged, told and finished once, whatever one fault does at one point`(
        fault: FaultInjector.Fault,
        point: FaultInjector.Point
    ) throws {
        for number in 1...4 {
            let shop = try Shop()
            shop.injector.add(fault, at: point, when: .call(number))
            let shopper = Shopper()
            let queue = shop.queue(shopper)
            for product in ["sword", "shield", "spear"] {
                queue.buy(product)
                shop.clock.advance(by: 1)
            }
            if point == .connection, number > 1 { shop.injector.cut() }
            shop.clock.advance(by: 30)
            shop.injector.releaseAll()
            shop.clock.advance(by: 600)
            try expectOnce(["sword", "shield", "spear"], shopper, queue, shop)
        }
    }

    @Test(arguments: faults)
    func `A restore ends once, whatever is done to the update that ends it`(fault: FaultInjector.Fault) throws {
        let shop = try Shop()
        let shopper = Shopper()
        let queue = shop.queue(shopper)
        queue.buy("full.game")
        shop.injector.add(
            fault,
            at: .update,
            when: .matching { event in
                guard case .update(let batch, _) = event.payload else { return false }
                return batch.updates.contains { if case .restoreEnded = $0 { true } else { false } }
            },
            times: 1
        )
        queue.restoreCompletedTransactions()
        shop.clock.advance(by: 30)
        shop.injector.releaseAll()
        shop.clock.advance(by: 600)
        #expect(!shop.injector.log.isEmpty && shopper.heard.filter { $0.hasPrefix("restore ") }.count == 1)
        #expect(shopper.heard(of: "full.game") == ["purchasing", "purchased", "removed", "restored", "removed"])
        #expect(queue.settle().isEmpty)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `B34, B36, B71: Purchases are charged, told and finished once in any mix and relaunch`(seed: UInt64) throws {
        let shop = try Shop(seed: seed)
        for point in FaultInjector.Point.allCases {
            for fault in Self.faults { shop.injector.add(fault, at: point, when: .chance(0.03)) }
        }
        let journal = MemoryJournal()
        let shopper = Shopper()
        var queue = shop.queue(shopper, journal: journal)
        var products: [String] = []
        for round in 1...20 {
            let product = "item\(round)"
            products.append(product)
            try shop.store.register(.consumable(product, price: "0.99"))
            queue.buy(product)
            if round % 3 == 0 { shop.clock.advance(by: Double(round * 7)) }
            if round % 4 == 0, let held = shop.injector.held.last { shop.injector.release(held.id) }
            if round % 7 == 0 {
                queue = queue.relaunch()
                queue.add(shopper)
            }
        }
        shop.injector.removeAllRules()
        shop.injector.releaseAll()
        shop.clock.advance(by: 3000)
        let log = Comment(rawValue: shop.injector.log.joined(separator: "\n"))
        #expect(shop.charges.sorted() == products.sorted(), log)
        for product in products {
            let heard = shopper.heard(of: product)
            // A relaunched queue says once more that it is purchasing.
            #expect(heard.suffix(2) == ["purchased", "removed"], log)
            #expect(heard.filter { $0 != "purchasing" }.count == 2, log)
        }
        #expect(queue.transactions.isEmpty, log)
        #expect(journal.commands.isEmpty, log)
        #expect(queue.settle().isEmpty, log)
    }

    private func expectOnce(_ products: [String], _ shopper: Shopper, _ queue: SKPaymentQueue, _ shop: Shop) throws {
        let log = Comment(rawValue: shop.injector.log.joined(separator: "\n"))
        #expect(!shop.injector.log.isEmpty, "nothing was spoiled")
        // A store may ask about a later order first.
        #expect(shop.charges.sorted() == products.sorted(), log)
        for product in products { #expect(shopper.heard(of: product) == ["purchasing", "purchased", "removed"], log) }
        #expect(queue.transactions.isEmpty, log)
        #expect(queue.settle().isEmpty, log)
    }
}
