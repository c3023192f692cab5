import Foundation
import StoreContract
import StoreCore
import TestSupport
import Testing

/// When a rule applies, and which of several.
@Suite(.promptly) struct RuleTests {
    private let wire = Wire(label: "alice")
    private var injector: FaultInjector { wire.injector }
    private let failure = StoreFailure.network(.badURL, "spoiled")

    /// The numbers of the submissions that reached the store.
    private func arrived(_ wire: Wire) -> [Int] {
        wire.store.arrived.compactMap { $0.hasPrefix("submit ") ? Int($0.dropFirst(7)) : nil }
    }

    @Test func `The first rule that applies acts, in the order in which they were added`() {
        injector.add(.pass, at: .submission, when: .call(2))
        injector.add(.fail(failure), at: .submission)
        injector.add(.hold, at: .submission)
        for number in 1...3 { wire.submit(number) }
        #expect(arrived(wire) == [2])
        #expect(injector.held.isEmpty)
    }

    @Test func `A rule counts what another one takes`() {
        injector.add(.fail(failure), at: .submission, when: .call(1))
        injector.add(.hold, at: .submission, when: .call(2))
        for number in 1...3 { wire.submit(number) }
        #expect(arrived(wire) == [3])
        #expect(injector.held.map(\.event.number) == [2])
    }

    @Test func `The log is limited, and has the newest faults`() {
        injector.add(.fail(failure), at: .submission)
        for number in 1...10_001 { wire.submit(number) }
        #expect(injector.log.count == 9_001)
        #expect(injector.log.first?.contains("submission 1001 ") == true, "\(injector.log.first ?? "")")
        #expect(injector.log.last?.contains("submission 10001 ") == true, "\(injector.log.last ?? "")")
    }

    @Test func `A rule acts as often as it may`() {
        injector.add(.fail(failure), at: .submission, times: 2)
        for number in 1...4 { wire.submit(number) }
        #expect(arrived(wire) == [3, 4])
    }

    @Test func `A rule that is taken away acts no more, what it holds stays held`() {
        let rule = injector.add(.hold, at: .submission)
        wire.submit(1)
        injector.remove(rule)
        wire.submit(2)
        #expect(arrived(wire) == [2])
        injector.add(.fail(failure), at: .submission)
        injector.removeAllRules()
        wire.submit(3)
        injector.releaseAll()
        #expect(arrived(wire) == [2, 3, 1])
    }

    @Test func `Some calls in a row are spoiled`() {
        injector.add(.fail(failure), at: .submission, when: .calls(2...4))
        for number in 1...6 { wire.submit(number) }
        #expect(arrived(wire) == [1, 5, 6])
    }

    @Test func `A condition counts what those to its left let through`() {
        injector.add(.fail(failure), at: .submission, when: .product("sword") && .call(2))
        injector.add(.hold, at: .submission, when: .call(2) && .product("sword"))
        for (number, product) in ["sword", "shield", "sword", "sword"].enumerated() {
            wire.submit(number + 1, of: product)
        }
        #expect(arrived(wire) == [1, 2, 4])
        #expect(injector.held.isEmpty)
    }

    @Test func `A product is known in purchases, their answers, updates and look-ups`() {
        wire.connect()
        for point in [FaultInjector.Point.submission, .reply, .update, .productsRequest] {
            injector.add(.hold, at: point, when: .product("sword"))
        }
        wire.submit(1, of: "sword")
        wire.submit(2, of: "shield")
        injector.releaseAll()
        #expect(injector.held.map(\.point) == [.reply])
        wire.send(1, of: "shield")
        wire.send(2, of: "sword")
        injector.products(["spear", "sword"]) { _ in }
        injector.products(["spear"]) { _ in }
        #expect(injector.held.map(\.point) == [.reply, .update, .productsRequest])
    }

    @Test func `An account is the injector's label or the app's name for its user`() {
        injector.add(.hold, at: .submission, when: .account("bob"))
        injector.add(.fail(failure), at: .submission, when: .account("alice") && .call(2))
        wire.submit(1, user: "bob")
        wire.submit(2)
        wire.submit(3, .restore(applicationUsername: "bob"))
        #expect(arrived(wire).isEmpty)
        #expect(injector.held.map(\.event.number) == [1, 3])
        #expect(wire.replies == ["try later \(URLError.badURL.rawValue)"])
    }

    @Test func `Purchases, finishes, restores and transactions are told apart`() {
        wire.connect()
        injector.add(.hold, at: .submission, when: .finishes && .transaction("t1"))
        injector.add(.hold, at: .submission, when: .restores)
        injector.add(.hold, at: .update, when: .transaction("t2"))
        injector.add(.fail(failure), at: .submission, when: .purchases)
        wire.submit(1)
        wire.submit(2, .finish(transaction: "t1"))
        wire.submit(3, .finish(transaction: "t2"))
        wire.submit(4, .restore(applicationUsername: nil))
        wire.send(1, 2)
        #expect(arrived(wire) == [3])
        #expect(injector.held.map(\.description).count == 3 && injector.held.map(\.event.number) == [2, 4, 2])
    }

    // MARK: Chance

    private func walk(seed: UInt64, others: Bool = false) -> [Int] {
        let wire = Wire(seed: seed)
        wire.injector.add(.fail(failure), at: .submission, when: .chance(0.5))
        if others { wire.injector.add(.duplicate, at: .reply, when: .chance(0.5)) }
        for number in 1...64 { wire.submit(number) }
        return arrived(wire)
    }

    @Test func `A seed replays what chance did, another one does something else`() {
        #expect(walk(seed: 7) == walk(seed: 7) && walk(seed: 7) != walk(seed: 8))
        #expect((20...44).contains(walk(seed: 7).count))
    }

    @Test func `Other rules change nothing for one that goes by chance`() {
        #expect(walk(seed: 7) == walk(seed: 7, others: true))
    }

    @Test func `Two rules of the same chance do not go together`() {
        wire.connect()
        injector.add(.drop, at: .acknowledgement, when: .chance(0.5))
        injector.add(.drop, at: .update, when: .chance(0.5))
        for position in 1...64 {
            injector.acknowledge(through: UpdateCursor(position: position))
            wire.send(position)
        }
        let acknowledged = wire.store.arrived.filter { $0.hasPrefix("acknowledge ") }.map { $0.dropFirst(12) }
        #expect(acknowledged != wire.receiver.positions.map { Substring(String($0)) })
    }

    @Test func `A chance of one is sure, a chance of zero is none`() {
        injector.add(.hold, at: .submission, when: .chance(0))
        injector.add(.fail(failure), at: .submission, when: .chance(1))
        for number in 1...20 { wire.submit(number) }
        #expect(injector.held.isEmpty)
        #expect(arrived(wire).isEmpty)
    }

    // MARK: The log

    @Test func `The log says what was done to what, and names no user`() {
        injector.add(.hold, at: .submission, when: .call(2))
        wire.submit(1, user: "carol")
        wire.submit(2, user: "carol")
        injector.releaseAll()
        injector.cut()
        #expect(
            injector.log == [
                "alice: submission 2 (purchase of sword): held",
                "alice: submission 2 (purchase of sword): released, passed", "alice: everything cut by hand",
            ]
        )
    }

    // MARK: Misuse

    @Test func `What cannot be meant stops the process with a sentence`() async throws {
        let chance = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FaultInjector.Condition.chance(1.5)
        }
        #expect(String(decoding: chance.standardErrorContent, as: UTF8.self).contains("1.5 is no probability"))
        let call = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FaultInjector.Condition.call(0)
        }
        #expect(String(decoding: call.standardErrorContent, as: UTF8.self).contains("counted from 1"))
        let delay = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Wire().injector.add(.delay(-1), at: .reply)
        }
        #expect(String(decoding: delay.standardErrorContent, as: UTF8.self).contains("-1.0 is no number of seconds"))
        let times = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Wire().injector.add(.drop, at: .reply, times: -1)
        }
        #expect(String(decoding: times.standardErrorContent, as: UTF8.self).contains("cannot act -1 times"))
        let timeout = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Wire(timeout: 0)
        }
        #expect(String(decoding: timeout.standardErrorContent, as: UTF8.self).contains("0.0 s is no time"))
    }
}

/// Injectors without rules and waiting messages.
@Suite struct IdleTests {
    @Test func `An injector is idle again once its rule has acted for the last time`() throws {
        let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: ManualClock())
        let injector = FaultInjector(store)
        #expect(injector.isIdle)
        injector.add(.drop, at: .productsRequest, times: 0)
        #expect(injector.isIdle)
        injector.add(.fail(.storeKit(.unknown, "planned")), at: .productsRequest, times: 2)
        for remaining in [1, 0] {
            injector.products(["sword"]) { _ in }
            #expect(injector.isIdle == (remaining == 0))
        }
    }
}
