import Foundation
import StoreContract
import StoreCore
import TestSupport
import Testing

/// Any thread may call anything.
@Suite struct ThreadTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `Each purchase is charged and finished once, with each actor on its own thread`(seed: UInt64) async throws {
        let shop = try Shop(seed: seed)
        for point in FaultInjector.Point.allCases {
            for fault in ExactlyOnceTests.faults { shop.injector.add(fault, at: point, when: .chance(0.02)) }
        }
        let products = (0..<3).map { buyer in (0..<15).map { "item\(buyer).\($0)" } }
        for product in products.joined() { try shop.store.register(.consumable(product, price: "0.99")) }
        let shopper = Shopper()
        let queue = shop.queue(shopper)
        await onThreads(5) { index in
            switch index {
            case 3:
                for _ in 1...30 {
                    shop.injector.releaseAll()
                    if shop.injector.log.count.isMultiple(of: 5) { shop.injector.cut() }
                }
            case 4: for _ in 1...30 { shop.clock.advance(by: 7) }
            default: for product in products[index] { queue.buy(product) }
            }
        }
        shop.injector.removeAllRules()
        shop.injector.releaseAll()
        await shop.clock.advance(by: 3000)
        let log = Comment(rawValue: shop.injector.log.joined(separator: "\n"))
        #expect(shop.charges.sorted() == products.joined().sorted(), log)
        for product in products.joined() {
            #expect(shopper.heard(of: product) == ["purchasing", "purchased", "removed"], log)
        }
        #expect(queue.transactions.isEmpty, log)
    }

    @Test func `What is released while a receiver is being told waits until it has been`() async throws {
        let wire = Locked<Wire?>(nil)
        let receiver = Receiver { position in
            guard position == 1, let wire = wire.withLock({ $0 }) else { return }
            let isReleased = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                wire.injector.releaseAll()
                isReleased.signal()
            }
            isReleased.wait()
        }
        let made = Wire(receiver: receiver)
        wire.withLock { $0 = made }
        made.connect()
        made.injector.add(.hold, at: .update)
        made.send(2, 1)
        let last = try #require(made.injector.held.last)
        made.injector.release(last.id)
        #expect(receiver.positions == [1, 2] && !receiver.hasOverlapped)
        wire.withLock { $0 = nil }
    }

    @Test func `A receiver is called by one at a time while updates come and are released`() async {
        let wire = Wire(seed: 5)
        wire.connect()
        wire.injector.add(.hold, at: .update, when: .chance(0.5))
        wire.injector.add(.duplicate, at: .update)
        await onThreads(4) { index in
            if index == 0 {
                for position in 1...300 { wire.send(position) }
            } else {
                for _ in 1...100 { for held in wire.injector.held { wire.injector.release(held.id) } }
            }
        }
        wire.injector.releaseAll()
        #expect(!wire.receiver.hasOverlapped)
        #expect(Set(wire.receiver.positions) == Set(1...300))
        #expect(wire.injector.held.isEmpty)
    }

    @Test func `Updates arrive once and in each sender's order while rules come and go`() async {
        let wire = Wire()
        wire.connect()
        await onThreads(5) { index in
            if index == 4 {
                for _ in 1...300 {
                    let rule = wire.injector.add(.hold, at: .reply)
                    wire.injector.remove(rule)
                }
            } else {
                for position in 1...300 { wire.send(1_000 * index + position) }
            }
        }
        #expect(!wire.receiver.hasOverlapped)
        let positions = wire.receiver.positions
        for sender in 0..<4 {
            let expected = (1...300).map { 1_000 * sender + $0 }
            #expect(positions.filter { $0 / 1_000 == sender } == expected)
        }
    }

    @Test func `Nothing follows the loss of a connection, whoever sends meanwhile`() async {
        let wire = Wire()
        let receiver = wire.receiver
        wire.connect()
        await onThreads(3) { index in
            if index == 2 { wire.injector.cut() } else { for position in 1...500 { wire.send(position) } }
        }
        #expect(!receiver.hasOverlapped && receiver.failures.count == 1)
        wire.send(501)
        #expect(receiver.positionsWhenLost == receiver.positions)
    }

    @Test func `What several release at once is released by one of them`() async {
        let wire = Wire()
        wire.injector.add(.hold, at: .submission)
        for number in 1...100 { wire.submit(number) }
        let held = wire.injector.held
        let released = Locked(0)
        await onThreads(4) { _ in
            for item in held where wire.injector.release(item.id) { released.withLock { $0 += 1 } }
        }
        #expect(released.withLock { $0 } == 100)
        #expect(wire.replies.count == 100 && wire.store.arrived.count == 100)
    }

    @Test func `A store that answers from a thread of its own is spoiled in the same way`() async throws {
        let shop = try Shop()
        let injector = FaultInjector(DistantStore(shop.store))
        let shopper = Shopper()
        let queue = SKPaymentQueue(backend: injector, delivery: .inline, log: .silent)
        injector.add(.loseAnswer, at: .submission, when: .call(1))
        injector.add(.duplicate, at: .update)
        injector.add(.hold, at: .reply)
        queue.add(shopper)
        queue.buy("sword")
        await queue.settle()
        #expect(shop.charges == ["sword"])
        await shop.clock.advance(by: 1)
        #expect(injector.held.map(\.point) == [.reply])
        injector.removeAllRules()
        injector.releaseAll()
        await queue.settle()
        #expect(shop.charges == ["sword"] && shopper.heard == ["purchasing sword", "purchased sword", "removed sword"])
        #expect(await queue.settle().isEmpty)
    }
}

/// A sandbox that is reached through a serial queue.
private final class DistantStore: StoreBackend {
    private let store: SandboxStore
    private let wire = DispatchQueue(label: "wire")

    init(_ store: SandboxStore) { self.store = store }

    var clock: any StoreClock { store.clock }

    private func travel(_ body: @escaping @Sendable (SandboxStore) -> Void) {
        let work = clock.activity.begin()
        wire.async { [store] in
            body(store)
            work.end()
        }
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        travel { $0.submit(commands, reply: reply) }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        travel { $0.connect(receiver, after: cursor) }
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) { travel { $0.disconnect(receiver) } }

    func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {
        travel { $0.products(identifiers, reply: reply) }
    }
}
