import Foundation
import StoreCore
import Testing

/// A clock that goes with the system's, and can be moved ahead of it.
struct ShiftedClockTests {
    @Test func `It goes with the system's clock`() throws {
        let before = Date()
        let clock = ShiftedClock()
        let now = clock.now
        #expect(before <= now && now <= Date())
        #expect(try #require(clock.lead) < 1)
    }

    @Test func `It begins no earlier than it is told`() throws {
        let moment = Date(timeIntervalSinceNow: 86_400)
        let clock = ShiftedClock(notBefore: moment)
        #expect(clock.now >= moment)
        #expect(try #require(clock.lead) > 86_000)
        #expect(try #require(ShiftedClock(notBefore: .distantPast).lead) < 1)
    }

    @Test func `Moved ahead, it fires each timer at its own time, and stays ahead`() throws {
        let clock = ShiftedClock()
        let start = clock.now
        let moments = [3, 1, 2, 9].map { start.addingTimeInterval($0 * 3600) }
        let fired = Locked<[Date]>([])
        for moment in moments {
            clock.schedule(at: moment) {
                let now = clock.now
                fired.withLock { $0.append(now) }
            }
        }
        try clock.advanceThrowing(by: 14_400)
        #expect(fired.withLock { $0 } == [moments[1], moments[2], moments[0]])
        #expect(clock.now.timeIntervalSince(start) >= 14_400)
        #expect(try #require(clock.lead) > 14_300)
    }

    @Test func `A timer fires by itself when its time has come`() {
        let clock = ShiftedClock(notBefore: Date(timeIntervalSinceNow: 86_400))
        let fired = DispatchSemaphore(value: 0)
        let moment = clock.now + 0.01
        clock.schedule(at: moment) { if clock.now >= moment { fired.signal() } }
        #expect(fired.wait(timeout: .now() + 60) == .success)
    }

    @Test func `A timer that fires late does not take the time back`() {
        let clock = ShiftedClock()
        let before = clock.now
        let fired = DispatchSemaphore(value: 0)
        let time = Locked(Date.distantPast)
        clock.schedule(at: .distantPast) {
            let now = clock.now
            time.withLock { $0 = now }
            fired.signal()
        }
        #expect(fired.wait(timeout: .now() + 60) == .success)
        #expect(time.withLock { $0 } >= before)
    }

    @Test func `A cancelled timer does not fire`() throws {
        let clock = ShiftedClock()
        let fired = Locked(false)
        clock.schedule(at: clock.now + 3600) { fired.withLock { $0 = true } }.cancel()
        try clock.advanceThrowing(by: 7200)
        #expect(!fired.withLock { $0 })
    }

    @Test func `It does not run backwards, nor farther than there are dates`() throws {
        let clock = ShiftedClock()
        let before = clock.now
        #expect(throws: ClockError.self) { try clock.advanceThrowing(by: -1) }
        #expect(throws: ClockError.self) { try clock.advanceThrowing(by: 1e16) }
        #expect(clock.now >= before)
        #expect(try #require(clock.lead) < 1)
    }

    @Test func `A store on it renews when it is moved`() throws {
        let store = try SandboxStore(
            products: [.autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "metals")],
            clock: ShiftedClock()
        )
        try store.account.buy("gold")
        try store.advanceThrowing(by: 95 * 86_400)
        #expect(try store.transactions.map(\.origin) == [.purchase, .renewal, .renewal, .renewal])
    }

    @Test(arguments: [-86_400.0, 86_400.0])
    func `Stopped, it stands still until it is moved`(distance: TimeInterval) throws {
        let moment = Date(timeIntervalSinceNow: distance)
        let clock = ShiftedClock(startingAt: moment, isRunning: false)
        #expect(clock.now == moment && clock.lead == nil && !clock.isRunning)
        let fired = Locked<[Date]>([])
        clock.schedule(at: moment + 60) {
            let now = clock.now
            fired.withLock { $0.append(now) }
        }
        try clock.advanceThrowing(by: 90)
        #expect(clock.now == moment + 90)
        #expect(fired.withLock { $0 } == [moment + 60])
    }

    @Test func `Started, it runs on from its own time, and its timers fire by themselves`() {
        let moment = Date(timeIntervalSinceNow: -86_400)
        let clock = ShiftedClock(startingAt: moment, isRunning: false)
        let fired = DispatchSemaphore(value: 0)
        clock.schedule(at: moment + 0.01) { if clock.now >= moment + 0.01 { fired.signal() } }
        clock.isRunning = true
        #expect(fired.wait(timeout: .now() + 60) == .success)
        // Far from the system's time, however slow the machine is.
        #expect(clock.now >= moment + 0.01 && clock.now < moment + 43_200)
    }

    @Test func `Stopped while it runs, it keeps the time of that moment`() throws {
        let clock = ShiftedClock()
        try clock.advanceThrowing(by: 3600)
        let before = clock.now
        clock.isRunning = false
        let now = clock.now
        #expect(now >= before && clock.now == now)
        clock.isRunning = false
        #expect(clock.now == now)
        clock.isRunning = true
        #expect(clock.now >= now && clock.lead ?? 0 > 3500)
    }

    @Test func `Stopped by a timer that it fires, it stands still at the end of the move`() throws {
        let clock = ShiftedClock()
        let start = clock.now
        clock.schedule(at: start + 60) { clock.isRunning = false }
        try clock.advanceThrowing(by: 120)
        #expect(!clock.isRunning && clock.now >= start + 120)
        #expect(clock.now == clock.now)
    }
}
