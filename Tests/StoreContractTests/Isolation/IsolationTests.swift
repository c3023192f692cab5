import Foundation
import StoreContract
import StoreCore
import TestSupport
import Testing

/// Hundreds of stores in one process have nothing to do with one another.
@Suite struct IsolationTests {
    private static let stores = rounds(200, thoroughly: 1_000)
    private static let threads = 8

    /// Does something with the number of every store on eight threads at once, a day later on the next thread.
    private func onEach(day: Int = 0, _ body: @escaping @Sendable (Int) -> Void) async {
        await onThreads(Self.threads) { thread in
            let first = (thread + day) % Self.threads
            for number in stride(from: first, to: Self.stores, by: Self.threads) { body(number) }
        }
    }

    /// Makes all stores, each on one of the threads.
    private func open() async -> [Household?] {
        let households = Locked([Household?](repeating: nil, count: Self.stores))
        await onEach { number in
            let household = try? Household(number)
            households.withLock { $0[number] = household }
        }
        return households.withLock { $0 }
    }

    @Test func `Hundreds of stores that live side by side each see their own things and no others`() async throws {
        let households = await open().compactMap(\.self)
        #expect(households.count == Self.stores)
        for (index, day) in Household.Day.allCases.enumerated() {
            await onEach(day: index) { households[$0].live(day) }
        }
        #expect(households.flatMap(\.complaints) == [])
        await onEach { number in
            // Neighbours of even numbers meet those of odd ones, so that one thread has a store at a time.
            if number.isMultiple(of: 2) { households[number].meet(households[number + 1]) }
        }
        #expect(households.flatMap(\.complaints) == [])
    }

    @Test func `Hundreds of tasks each have a default queue of their own, whatever runs between`() async throws {
        let wrong = await withTaskGroup(of: String?.self, returning: [String].self) { group in
            for number in 0..<Self.stores { group.addTask { await Self.live(number) } }
            return await group.reduce(into: []) { wrong, line in if let line { wrong.append(line) } }
        }
        #expect(wrong == [])
    }

    /// A life in a task, with callbacks on a queue of their own; says what was wrong with it.
    private static func live(_ number: Int) async -> String? {
        let callbacks = DispatchQueue(label: "callbacks of \(number)")
        guard let household = try? Household(number, delivery: .queue(callbacks)) else { return "\(number): no store" }
        let isOwn = await household.context.run {
            let queue = SKPaymentQueue.default()
            queue.add(SKPayment(productIdentifier: "sword"))
            await Task.yield()
            SKPaymentQueue.default().add(SKPayment(productIdentifier: "only.\(number)"))
            await StoreContext.current.settle()
            return SKPaymentQueue.default() === queue
        }
        let heard = household.app.take()
        let wanted = ["purchased sword", "purchased only.\(number)"]
        return isOwn && heard == wanted ? nil : "\(number): \(heard), \(isOwn)"
    }

    @Test func `Nothing is left of hundreds of stores that are let go in the middle of everything`() async throws {
        let households = Locked(await open())
        let traces = Locked<[Traces]>([])
        let errors = Locked<[String]>([])
        await onEach(day: 1) { number in
            guard let household = households.withLock({ $0[number] }) else { return }
            do {
                let trace = try household.leaveUnfinished()
                traces.withLock { $0.append(trace) }
            } catch {
                errors.withLock { $0.append("\(number): \(error)") }
            }
        }
        #expect(errors.withLock { $0 } == [])
        #expect(traces.withLock { $0.count } == Self.stores)
        await onEach(day: 2) { number in
            // It goes outside the lock, on this thread.
            let last = households.withLock { $0[number].take() }
            withExtendedLifetime(last) {}
        }
        #expect(traces.withLock { $0.flatMap(\.left) } == [])
    }

    @Test func `A store that goes leaves nothing with a clock that others live by`() throws {
        let clock = ManualClock()
        let kept = try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: clock)
        weak var dropped: SandboxStore?
        do {
            let pass = SandboxProduct.autoRenewable("pass", price: "9.99", period: .init(1, .month), group: "passes")
            let store = try SandboxStore(products: [pass], clock: clock)
            let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
            let app = Diarist()
            queue.add(app)
            queue.add(SKPayment(productIdentifier: "pass"))
            store.authorizer = .always(.later)
            queue.add(SKPayment(productIdentifier: "pass"))
            dropped = store
            #expect(clock.nextDeadline != nil && !clock.activity.settle().isEmpty)
        }
        #expect(dropped == nil)
        #expect(clock.nextDeadline == nil)
        #expect(kept.settle() == [])
    }
}
