import Foundation
import StoreCore
import TestSupport
import Testing

@Suite(.promptly) struct ClockTests {
    private let clock = ManualClock()
    private let start = Date(timeIntervalSince1970: 1_735_689_600)

    @Test func `A manual clock stands still until it is moved`() {
        #expect(clock.now == start)
        clock.advance(by: 1.5)
        #expect(clock.now == start.addingTimeInterval(1.5))
        clock.advance(to: start.addingTimeInterval(60))
        #expect(clock.now == start.addingTimeInterval(60))
        #expect(ManualClock(startingAt: .distantPast).now == .distantPast)
    }

    @Test(arguments: [false, true])
    func `Moving the clock fires what is due in the order of the deadlines, at its own time each`(isAtRest: Bool) {
        let fired = Locked<[String]>([])
        for (name, delay) in [("c", 3.0), ("a", 1.0), ("later", 10.0), ("b", 2.0), ("a2", 1.0)] {
            clock.schedule(at: start.addingTimeInterval(delay)) { [clock, start] in
                fired.withLock { $0.append("\(name) at \(clock.now.timeIntervalSince(start))") }
            }
        }
        #expect(clock.nextDeadline == start.addingTimeInterval(1))
        if isAtRest { clock.advanceAtRest(by: 9) } else { clock.advance(by: 9) }
        #expect(fired.withLock { $0 } == ["a at 1.0", "a2 at 1.0", "b at 2.0", "c at 3.0"])
        #expect(clock.now == start.addingTimeInterval(9))
        #expect(clock.nextDeadline == start.addingTimeInterval(10))
    }

    @Test func `A timer set by a timer fires in the same move, if it falls due`() {
        let fired = Locked<[TimeInterval]>([])
        @Sendable func tick() {
            fired.withLock { $0.append(clock.now.timeIntervalSince(start)) }
            clock.schedule(at: clock.now.addingTimeInterval(2)) { tick() }
        }
        tick()
        clock.advance(by: 5)
        #expect(fired.withLock { $0 } == [0, 2, 4])
    }

    @Test func `A timer for a moment that has passed fires at the next move, even by nothing`() {
        let fired = Locked(0)
        clock.schedule(at: start.addingTimeInterval(-100)) { fired.withLock { $0 += 1 } }
        #expect(fired.withLock { $0 } == 0)
        clock.advance(by: 0)
        #expect(fired.withLock { $0 } == 1)
        #expect(clock.now == start)
    }

    @Test func `A timer that was called off does not fire`() {
        let fired = Locked<[Int]>([])
        let tokens = (0..<4).map { number in
            clock.schedule(at: start.addingTimeInterval(1)) { fired.withLock { $0.append(number) } }
        }
        tokens[1].cancel()
        tokens[1].cancel()
        clock.advance(by: 1)
        tokens[2].cancel()
        #expect(fired.withLock { $0 } == [0, 2, 3])
        #expect(clock.nextDeadline == nil)
    }

    @Test func `A timer may call off another that is due at the same time`() {
        let fired = Locked<[String]>([])
        let token = Locked<TimerToken?>(nil)
        clock.schedule(at: start.addingTimeInterval(1)) {
            fired.withLock { $0.append("first") }
            token.withLock { $0 }?.cancel()
        }
        let second = clock.schedule(at: start.addingTimeInterval(1)) { fired.withLock { $0.append("second") } }
        token.withLock { $0 = second }
        clock.advance(by: 1)
        #expect(fired.withLock { $0 } == ["first"])
    }

    @Test(arguments: Conformer.allCases)
    func `Moving the clock lets everything settle at each deadline on the way`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        let seen = Locked<[Int]>([])
        for delay in 1...3 {
            world.clock.schedule(at: world.clock.now.addingTimeInterval(TimeInterval(delay))) {
                seen.withLock { $0.append(observer.history.count) }
                queue.add(SKPayment(productIdentifier: "sword"))
            }
        }
        await world.advance(by: 10)
        #expect(seen.withLock { $0 } == [0, 3, 6])
        #expect(observer.history.count == 9)
        #expect(observer.transactions.map(\.transactionDate) == [1, 2, 3].map { start.addingTimeInterval($0) })
    }

    @Test func `A queue that comes while the clock is moved is waited for like the others`() throws {
        let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: clock)
        let delivery = DispatchQueue(label: "observers")
        let observer = Recorder.finishing()
        let late = Locked<SKPaymentQueue?>(nil)
        let seen = Locked<[Int]>([])
        clock.schedule(at: start + 1) {}
        clock.schedule(at: start + 2) {
            let queue = SKPaymentQueue(backend: store, delivery: .queue(delivery))
            queue.add(observer)
            late.withLock { $0 = queue }
        }
        for delay in 3...5 {
            clock.schedule(at: start + Double(delay)) {
                seen.withLock { $0.append(observer.history.count) }
                late.withLock { $0 }?.add(SKPayment(productIdentifier: "sword"))
            }
        }
        clock.advance(by: 10)
        #expect(seen.withLock { $0 } == [0, 3, 6])
        #expect(observer.history.count == 9)
    }

    @Test func `A token keeps nothing of its clock alive`() {
        final class Content: Sendable {}
        var clock: ManualClock? = ManualClock()
        var content: Content? = Content()
        weak let watched = content
        let token = clock?.schedule(at: start + 1) { [content] in withExtendedLifetime(content) {} }
        content = nil
        #expect(watched != nil)
        clock = nil
        #expect(watched == nil)
        token?.cancel()
    }

    @Test func `Threads that move one clock take turns`() async {
        let fired = Locked<[TimeInterval]>([])
        for delay in 1...40 {
            clock.schedule(at: start.addingTimeInterval(TimeInterval(delay))) { [clock, start] in
                fired.withLock { $0.append(clock.now.timeIntervalSince(start)) }
            }
        }
        let end = start.addingTimeInterval(40)
        await onThreads(4) { [clock] _ in clock.advance(to: end) }
        #expect(fired.withLock { $0 } == (1...40).map { TimeInterval($0) })
        #expect(clock.now == end)
    }

    @Test(arguments: [false, true])
    func `Who moves the clock waits for the task that moves it already`(isTask: Bool) async {
        let isDone = Locked(false)
        let whenDone = Signal()
        clock.schedule(at: start.addingTimeInterval(1)) { [clock] in
            if isTask {
                Task {
                    await clock.advance(by: 10)
                    isDone.withLock { $0 = true }
                    whenDone.fire()
                }
            } else {
                Thread {
                    clock.advance(by: 10)
                    isDone.withLock { $0 = true }
                    whenDone.fire()
                }.start()
            }
            // Every chance to come in between, without waiting for it.
            for _ in 1...10_000 where !isDone.withLock({ $0 }) { sched_yield() }
        }
        await clock.advance(by: 10)
        await whenDone.wait()
        #expect(clock.now == start.addingTimeInterval(20))
    }

    @Test func `The system's clock fires once a moment is reached, and not before schedule returns`() async {
        let clock = SystemClock()
        let order = Locked<[String]>([])
        await withCheckedContinuation { continuation in
            let lock = NSLock()
            lock.lock()
            clock.schedule(at: clock.now.addingTimeInterval(-1)) {
                lock.lock()
                order.withLock { $0.append("fired") }
                lock.unlock()
                continuation.resume()
            }
            order.withLock { $0.append("scheduled") }
            lock.unlock()
        }
        #expect(order.withLock { $0 } == ["scheduled", "fired"])
        #expect(clock.activity !== SystemClock.shared.activity)
    }

    @Test func `A clock that is moved to where it never arrives stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try SandboxStore(products: Market.products)
            App(on: store).buy("gold.monthly")
            store.advance(by: .infinity)
        }
        #expect(said(result).contains("a clock cannot be moved to inf seconds after 2001"))
    }

    @Test func `A clock says why it cannot be moved, and stays where it is`() throws {
        #expect(throws: ClockError.self) { try clock.advanceThrowing(by: .infinity) }
        let error = #expect(throws: ClockError.self) { try clock.advanceThrowing(to: start - 1) }
        #expect(error?.description.contains("a clock does not run backwards") == true)
        #expect(clock.now == start)
        try clock.advanceThrowing(by: 1)
        #expect(clock.now == start + 1)
        let store = try SandboxStore(clock: SystemClock())
        #expect(throws: ClockError.self) { try store.advanceThrowing(by: 1) }
    }

    @Test func `A store's clock is advanced by lengths of the calendar, and to a moment`() throws {
        let store = try SandboxStore(
            clock: ManualClock(startingAt: Market.date("2025-01-31T12:00:00Z")),
            renewalRate: .month(.thirtySeconds)
        )
        store.advance(by: .monthly)
        #expect(store.clock.now == Market.date("2025-02-28T12:00:00Z"))
        store.advance(by: .days(7))
        #expect(store.clock.now == Market.date("2025-03-07T12:00:00Z"))
        store.advance(to: Market.date("2026-01-01T00:00:00Z"))
        #expect(throws: ClockError.self) { try store.advanceThrowing(to: Market.date("2025-12-31T00:00:00Z")) }
        try store.advanceThrowing(to: Market.date("2026-01-02T00:00:00Z"))
        #expect(store.clock.now == Market.date("2026-01-02T00:00:00Z"))
    }

    @Test func `A store's clock that cannot be moved there stops the process with a sentence`() async throws {
        let back = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SandboxStore().advance(to: .distantPast)
        }
        #expect(said(back).contains("a clock does not run backwards"))
        let fixed = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SandboxStore(clock: SystemClock()).advance(by: .monthly)
        }
        #expect(said(fixed).contains("give it a ManualClock"))
    }

    @Test func `A clock that begins at no moment stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ManualClock(startingAt: Date(timeIntervalSinceReferenceDate: .nan))
        }
        #expect(said(result).contains("a clock cannot begin nan seconds after 2001"))
    }
}
