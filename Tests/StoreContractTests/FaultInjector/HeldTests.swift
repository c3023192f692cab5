import Foundation
import StoreContract
import StoreCore
import Testing

/// What is held is listed, and released one by one.
@Suite struct HeldTests {
    private let wire = Wire()
    private var interposer: FaultInjector { wire.interposer }

    @Test func `What is held is listed in the order in which it came`() {
        wire.connect()
        interposer.add(.hold, at: .update)
        interposer.add(.hold, at: .reply)
        wire.send(1)
        wire.submit(1)
        wire.send(2)
        #expect(interposer.held.map(\.point) == [.update, .reply, .update])
        #expect(interposer.held.map(\.crossing.number) == [1, 1, 2])
        #expect(Set(interposer.held.map(\.id)).count == 3)
        #expect(interposer.held[1].description == "reply 1 (taken: purchase of sword)")
        #expect(wire.receiver.positions.isEmpty)
        #expect(wire.replies.isEmpty)
    }

    @Test func `An exact interleaving is written down by releasing`() {
        wire.connect()
        interposer.add(.hold, at: .update)
        interposer.add(.hold, at: .submission)
        wire.send(1, 2, 3)
        wire.submit(1)
        wire.submit(2)
        let held = interposer.held
        interposer.release(held[2].id)
        #expect(wire.receiver.positions == [3])
        interposer.release(held[4].id)
        #expect(wire.store.arrived == ["connect", "submit 2"])
        interposer.release(held[0].id)
        #expect(wire.receiver.positions == [3, 1])
        #expect(interposer.held.map(\.id) == [held[1].id, held[3].id])
        interposer.releaseAll()
        #expect(wire.receiver.positions == [3, 1, 2])
        #expect(wire.store.arrived == ["connect", "submit 2", "submit 1"])
    }

    @Test func `Updates wait behind a held one and follow it`() {
        wire.connect()
        interposer.add(.hold, at: .update, when: .call(2))
        wire.send(1, 2, 3, 4)
        #expect(wire.receiver.positions == [1])
        interposer.releaseAll()
        #expect(wire.receiver.positions == [1, 2, 3, 4])
    }

    @Test func `What is held waits however long`() {
        interposer.add(.hold, at: .reply)
        wire.submit(1)
        wire.clock.advance(by: 1_000_000)
        #expect(wire.replies.isEmpty)
        interposer.releaseAll()
        #expect(wire.replies == ["taken"])
    }

    @Test func `Nothing is released twice`() throws {
        interposer.add(.hold, at: .reply)
        wire.submit(1)
        let id = try #require(interposer.held.first?.id)
        #expect(interposer.release(id))
        #expect(!interposer.release(id))
        #expect(wire.replies == ["taken"])
    }

    @Test func `What is released may be spoiled once more`() throws {
        wire.connect()
        interposer.add(.hold, at: .reply)
        interposer.add(.hold, at: .update)
        wire.submit(1)
        wire.send(1, 2, 3)
        let held = interposer.held
        interposer.release(held[0].id, as: .fail(.network(.badURL, "no such place")))
        #expect(wire.replies == ["try later \(URLError.badURL.rawValue)"])
        interposer.release(held[1].id, as: .drop)
        interposer.release(held[2].id, as: .duplicate)
        interposer.release(held[3].id, as: .echo(after: 5))
        #expect(wire.receiver.positions == [2, 2, 3])
        wire.clock.advance(by: 5)
        #expect(wire.receiver.positions == [2, 2, 3, 3])
        wire.clock.advance(by: 55)
        #expect(wire.receiver.failures.map(\.isTimeout) == [true])
    }

    @Test func `What is held again keeps its name`() throws {
        interposer.add(.hold, at: .reply)
        wire.submit(1)
        let id = try #require(interposer.held.first?.id)
        interposer.release(id, as: .hold)
        #expect(interposer.held.map(\.id) == [id])
        interposer.release(id)
        #expect(wire.replies == ["taken"])
    }

    @Test func `Settling ends though something is held or delayed, and says so`() throws {
        let shop = try Shop()
        let shopper = Shopper()
        let queue = shop.queue(shopper)
        shop.interposer.add(.hold, at: .update, when: .product("sword"))
        shop.interposer.add(.delay(5), at: .reply, when: .product("shield"))
        queue.buy("sword", "shield")
        let waiting = queue.settle()
        #expect(waiting.contains { $0.contains("purchased") && $0.contains("held") })
        #expect(waiting.contains { $0.contains("shield") && $0.contains("delayed") })
        shop.interposer.releaseAll()
        shop.clock.advance(by: 5)
        shop.interposer.releaseAll()
        #expect(queue.settle().isEmpty)
        #expect(shopper.heard(of: "sword") == ["purchasing", "purchased", "removed"])
    }

    @Test func `What a release leads to has happened when it returns`() throws {
        let shop = try Shop()
        let shopper = Shopper()
        let queue = shop.queue(shopper)
        shop.interposer.add(.hold, at: .reply, when: .call(1))
        queue.buy("sword", "shield")
        #expect(shopper.heard.count == 4)
        #expect(shopper.heard(of: "shield") == ["purchasing"])
        shop.interposer.releaseAll()
        #expect(shopper.heard(of: "shield") == ["purchasing", "purchased", "removed"])
        #expect(queue.transactions.isEmpty)
    }

    @Test func `An interposer goes with its last queue`() throws {
        weak var gone: FaultInjector?
        do {
            let shop = try Shop()
            gone = shop.interposer
            shop.interposer.add(.delay(500), at: .update)
            shop.queue(Shopper()).buy("sword")
            #expect(shop.clock.nextDeadline == nil)
        }
        #expect(gone == nil)
    }
}
