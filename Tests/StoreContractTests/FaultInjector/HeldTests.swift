import Foundation
import StoreContract
import StoreCore
import Testing

/// What is held is listed, and released one by one.
@Suite struct HeldTests {
    private let wire = Wire()
    private var injector: FaultInjector { wire.injector }

    @Test func `What is held is listed in the order in which it came`() {
        wire.connect()
        injector.add(.hold, at: .update)
        injector.add(.hold, at: .reply)
        wire.send(1)
        wire.submit(1)
        wire.send(2)
        #expect(injector.held.map(\.point) == [.update, .reply, .update])
        #expect(injector.held.map(\.event.number) == [1, 1, 2])
        #expect(Set(injector.held.map(\.id)).count == 3)
        #expect(injector.held[1].description == "reply 1 (taken: purchase of sword)")
        #expect(wire.receiver.positions.isEmpty && wire.replies.isEmpty)
    }

    @Test func `Messages that met no rule are counted`() {
        wire.submit(1, 2)
        let rule = injector.add(.hold, at: .submission)
        wire.submit(3)
        #expect(injector.held.map(\.event.number) == [3])
        injector.remove(rule)
        // Passes a message that waits, and then nothing.
        wire.submit(4)
        injector.releaseAll()
        wire.submit(5)
        injector.add(.hold, at: .submission)
        wire.submit(6)
        #expect(injector.held.map(\.event.number) == [6])
        #expect(wire.store.arrived == ["submit 1", "submit 2", "submit 4", "submit 3", "submit 5"])
    }

    @Test func `An exact interleaving is written down by releasing`() {
        wire.connect()
        injector.add(.hold, at: .update)
        injector.add(.hold, at: .submission)
        wire.send(1, 2, 3)
        wire.submit(1, 2)
        let held = injector.held
        injector.release(held[2].id)
        #expect(wire.receiver.positions == [3])
        injector.release(held[4].id)
        #expect(wire.store.arrived == ["connect", "submit 2"])
        injector.release(held[0].id)
        #expect(wire.receiver.positions == [3, 1] && injector.held.map(\.id) == [held[1].id, held[3].id])
        injector.releaseAll()
        #expect(wire.receiver.positions == [3, 1, 2] && wire.store.arrived == ["connect", "submit 2", "submit 1"])
    }

    @Test func `Updates wait behind a held one and follow it`() {
        wire.connect()
        injector.add(.hold, at: .update, when: .call(2))
        wire.send(1, 2, 3, 4)
        #expect(wire.receiver.positions == [1])
        injector.releaseAll()
        #expect(wire.receiver.positions == [1, 2, 3, 4])
    }

    @Test func `What is held waits however long`() {
        injector.add(.hold, at: .reply)
        wire.submit(1)
        wire.clock.advance(by: 1_000_000)
        #expect(wire.replies.isEmpty)
        injector.releaseAll()
        #expect(wire.replies == ["taken"])
    }

    @Test func `Nothing is released twice`() throws {
        injector.add(.hold, at: .reply)
        wire.submit(1)
        let id = try #require(injector.held.first?.id)
        #expect(injector.release(id) && !injector.release(id) && wire.replies == ["taken"])
    }

    @Test func `What is released may be spoiled once more`() throws {
        wire.connect()
        injector.add(.hold, at: .reply)
        injector.add(.hold, at: .update)
        wire.submit(1)
        wire.send(1, 2, 3)
        let held = injector.held
        injector.release(held[0].id, as: .fail(.network(.badURL, "no such place")))
        #expect(wire.replies == ["try later \(URLError.badURL.rawValue)"])
        injector.release(held[1].id, as: .drop)
        injector.release(held[2].id, as: .duplicate)
        injector.release(held[3].id, as: .echo(after: 5))
        #expect(wire.receiver.positions == [2, 2, 3])
        wire.clock.advance(by: 5)
        #expect(wire.receiver.positions == [2, 2, 3, 3])
        wire.clock.advance(by: 55)
        #expect(wire.receiver.failures.map(\.isTimeout) == [true])
    }

    @Test func `What is held again keeps its name`() throws {
        injector.add(.hold, at: .reply)
        wire.submit(1)
        let id = try #require(injector.held.first?.id)
        injector.release(id, as: .hold)
        #expect(injector.held.map(\.id) == [id])
        injector.release(id)
        #expect(wire.replies == ["taken"])
    }

    @Test func `Settling ends though something is held or delayed, and says so`() throws {
        let shop = try Shop()
        let shopper = Shopper()
        let queue = shop.queue(shopper)
        shop.injector.add(.hold, at: .update, when: .product("sword"))
        shop.injector.add(.delay(5), at: .reply, when: .product("shield"))
        queue.buy("sword", "shield")
        let waiting = queue.settle()
        #expect(waiting.contains { $0.contains("purchased") && $0.contains("held") })
        #expect(waiting.contains { $0.contains("shield") && $0.contains("delayed") })
        shop.injector.releaseAll()
        shop.clock.advance(by: 5)
        shop.injector.releaseAll()
        #expect(queue.settle().isEmpty && shopper.heard(of: "sword") == ["purchasing", "purchased", "removed"])
    }

    @Test func `What a release leads to has happened when it returns`() throws {
        let shop = try Shop()
        let shopper = Shopper()
        let queue = shop.queue(shopper)
        shop.injector.add(.hold, at: .reply, when: .call(1))
        queue.buy("sword", "shield")
        #expect(shopper.heard.count == 4 && shopper.heard(of: "shield") == ["purchasing"])
        shop.injector.releaseAll()
        #expect(shopper.heard(of: "shield") == ["purchasing", "purchased", "removed"] && queue.transactions.isEmpty)
    }

    @Test func `An injector goes with its last queue`() throws {
        weak var gone: FaultInjector?
        do {
            let shop = try Shop()
            gone = shop.injector
            shop.injector.add(.delay(500), at: .update)
            shop.queue(Shopper()).buy("sword")
            #expect(shop.clock.nextDeadline == nil)
        }
        #expect(gone == nil)
    }
}
