// The code of the article "Spoiling the wire", compiled and run.
import StoreContract
import StoreCore
import Testing

@Test func `A lost answer sells nothing twice`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let injector = FaultInjector(store)
    let queue = SKPaymentQueue(backend: injector, delivery: .inline)
    injector.add(.loseAnswer, at: .submission, when: .call(1))

    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(till.delivered == ["sword"])
    #expect(!queue.settle().isEmpty)
    store.advance(by: 1)
    #expect(till.delivered == ["sword"])
    #expect(queue.settle().isEmpty)
}

@Test func `The second answer that concerns a sword is lost`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let injector = FaultInjector(store)
    injector.add(.drop, at: .reply, when: .product("sword") && .call(2), times: 1)
    let queue = SKPaymentQueue(backend: injector, delivery: .inline)
    let till = Till()
    queue.add(till)
    for _ in 1...3 { queue.add(SKPayment(productIdentifier: "sword")) }
    #expect(injector.log.count == 1)
    store.advance(by: 61)
    #expect(till.delivered == ["sword", "sword", "sword"])
}

@Test func `News of two purchases arrives in the wrong order`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99"), .consumable("shield", price: "1.99")])
    let injector = FaultInjector(store)
    let queue = SKPaymentQueue(backend: injector, delivery: .inline)
    let till = Till()
    queue.add(till)

    injector.add(.hold, at: .update, when: .calls(1...2))
    queue.add(SKPayment(productIdentifier: "sword"))
    queue.add(SKPayment(productIdentifier: "shield"))
    let held = injector.held
    #expect(held.count == 2)
    injector.release(held[1].id)
    #expect(till.delivered == ["sword", "shield"])
}

@Test(arguments: 1...20 as ClosedRange<UInt64>)
func `What was bought is delivered once under every seed`(seed: UInt64) throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let injector = FaultInjector(store, seed: seed)
    for fault in [FaultInjector.Fault.drop, .delay(90), .duplicate, .reorder, .cut, .loseAnswer] {
        for point in FaultInjector.Point.allCases { injector.add(fault, at: point, when: .chance(0.05)) }
    }
    let queue = SKPaymentQueue(backend: injector, delivery: .inline)
    let till = Till()
    queue.add(till)

    for _ in 1...20 {
        queue.add(SKPayment(productIdentifier: "sword"))
        store.advance(by: 10)
    }
    injector.removeAllRules()
    store.advance(by: 3600)
    #expect(till.delivered.count == 20, Comment(rawValue: injector.log.joined(separator: "\n")))
}
