import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The decisions of an outbox, without a store, a clock or a network.
@Suite struct OutboxMachineTests {
    private static let start = Date(timeIntervalSince1970: 1_735_689_600)

    /// Notifications of a store, without any delivery yet.
    private func notifications(_ count: Int) throws -> [ServerNotification] {
        let store = try SandboxStore(products: Shop.products)
        let view = ServerView(store)
        try view.beginNotifications()
        for _ in 0..<count { try store.account.buy("coins") }
        return try view.notifications(after: nil, limit: count)
    }

    /// A step in words.
    private func words(_ step: OutboxMachine.Step, _ all: [ServerNotification]) -> String {
        let number = { (position: ServerNotification.Position?) in
            all.firstIndex { $0.position == position }.map { "\($0)" } ?? "the beginning"
        }
        return switch step {
        case .read(let position): "read after \(number(position))"
        case .deliver(let notification, _): "deliver \(number(notification.position))"
        case .deliverAgain(let position, _): "deliver \(number(position)) again"
        case .wait(let date): "wait \(Int(date.timeIntervalSince(Self.start)))"
        case .idle: "idle"
        }
    }

    @Test func `It reads, delivers in order, waits for what failed, and ends with its last delay`() throws {
        let all = try notifications(2)
        var machine = OutboxMachine(delays: [10, 20])
        let at = { (seconds: Double) in Self.start.addingTimeInterval(seconds) }
        #expect(words(machine.step(at: at(0)), all) == "read after the beginning")
        machine.take(all)
        #expect(words(machine.step(at: at(0)), all) == "deliver 0")
        machine.attempted(all[0].position, .timedOut, at: at(0))
        #expect(words(machine.step(at: at(0)), all) == "deliver 1")
        machine.attempted(all[1].position, .success, at: at(1))
        #expect(words(machine.step(at: at(1)), all) == "read after 1")
        machine.take([])
        #expect(words(machine.step(at: at(1)), all) == "wait 10")
        machine.ring()
        #expect(words(machine.step(at: at(2)), all) == "read after 1")
        machine.take([])
        #expect(words(machine.step(at: at(10)), all) == "deliver 0 again")
        machine.attempted(all[0].position, .other, at: at(11))
        #expect(words(machine.step(at: at(11)), all) == "wait 31")
        #expect(words(machine.step(at: at(31)), all) == "deliver 0 again")
        machine.attempted(all[0].position, .other, at: at(31))
        #expect(words(machine.step(at: at(31)), all) == "idle")
    }

    @Test func `What the ledger gets while it is read is read afterwards`() throws {
        let all = try notifications(2)
        var machine = OutboxMachine(delays: [])
        #expect(words(machine.step(at: Self.start), all) == "read after the beginning")
        machine.ring()
        machine.take([])
        #expect(!machine.isCaughtUp)
        #expect(words(machine.step(at: Self.start), all) == "read after the beginning")
        machine.ring()
        machine.take([all[0]])
        #expect(words(machine.step(at: Self.start), all) == "deliver 0")
        machine.attempted(all[0].position, .success, at: Self.start)
        #expect(words(machine.step(at: Self.start), all) == "read after 0")
        machine.take([])
        #expect(machine.isCaughtUp && words(machine.step(at: Self.start), all) == "idle")
    }

    @Test func `What cannot be found is not sent again, and nothing waits for it`() throws {
        let all = try notifications(2)
        var machine = OutboxMachine(delays: [10])
        let at = { (seconds: Double) in Self.start.addingTimeInterval(seconds) }
        machine.take([all[0]])
        #expect(words(machine.step(at: at(0)), all) == "deliver 0")
        machine.attempted(all[0].position, .timedOut, at: at(0))
        machine.take([all[1]])
        #expect(words(machine.step(at: at(10)), all) == "deliver 0 again")
        machine.forget(all[0].position)
        #expect(words(machine.step(at: at(10)), all) == "deliver 1")
        machine.attempted(all[1].position, .success, at: at(10))
        machine.take([])
        #expect(words(machine.step(at: at(10)), all) == "idle")
    }

    @Test func `What failed is sent again in the order of its dates, whatever has failed before it`() throws {
        let all = try notifications(4)
        var machine = OutboxMachine(delays: [10, 2])
        let at = { (seconds: Double) in Self.start.addingTimeInterval(seconds) }
        machine.take(all)
        // The clock is set back before the last one.
        for (notification, date) in zip(all, [0.0, 5, 9, 1]) {
            _ = machine.step(at: at(date))
            machine.attempted(notification.position, .other, at: at(date))
        }
        machine.take([])
        var sent: [String] = []
        for seconds in 10...30 {
            while case .deliverAgain(let position, let manner) = machine.step(at: at(Double(seconds))) {
                sent.append("\(words(.deliverAgain(position, manner), all)) at \(seconds)")
                machine.attempted(position, .other, at: at(Double(seconds)))
            }
        }
        let dates = [(0, 10), (3, 11), (0, 12), (3, 13), (1, 15), (1, 17), (2, 19), (2, 21)]
        #expect(sent == dates.map { "deliver \($0) again at \($1)" })
        #expect(words(machine.step(at: at(30)), all) == "idle")
    }

    @Test func `What an earlier one delivered, gave up or left is taken over`() throws {
        let store = try SandboxStore(products: Shop.products)
        let view = ServerView(store)
        try view.beginNotifications()
        for _ in 0..<4 { try store.account.buy("coins") }
        let positions = try view.notifications(after: nil, limit: 4).map(\.position)
        try view.recordAttempt("SUCCESS", at: positions[0])
        for _ in 0..<2 { try view.recordAttempt("TIMED_OUT", at: positions[1]) }
        try view.recordAttempt("TIMED_OUT", at: positions[2])
        let all = try view.notifications(after: nil, limit: 4)
        var machine = OutboxMachine(delays: [10])
        machine.take(all)
        let now = store.clock.now
        #expect(words(machine.step(at: now), all) == "deliver 3")
        machine.attempted(all[3].position, .success, at: now)
        machine.take([])
        #expect(words(machine.step(at: now), all) == "wait 10")
        #expect(words(machine.step(at: now.addingTimeInterval(10)), all) == "deliver 2 again")
    }

    @Test func `A delivery that cannot be made now is made later, at the same place`() throws {
        let all = try notifications(2)
        var machine = OutboxMachine(delays: [10])
        let at = { (seconds: Double) in Self.start.addingTimeInterval(seconds) }
        machine.take(all)
        for notification in all {
            _ = machine.step(at: at(0))
            machine.attempted(notification.position, .timedOut, at: at(0))
        }
        #expect(words(machine.step(at: at(10)), all) == "deliver 0 again")
        machine.postpone()
        #expect(words(machine.step(at: at(70)), all) == "deliver 1 again")
        machine.attempted(all[1].position, .success, at: at(70))
        #expect(words(machine.step(at: at(70)), all) == "deliver 0 again")
    }
}
