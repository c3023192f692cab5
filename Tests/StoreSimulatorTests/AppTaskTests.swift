import Dispatch
import StoreCore
import StoreKit
import StoreSimulator
import Testing

@Suite struct AppTaskTests {
    /// An app that does things in tasks of every kind, and notes their order.
    private actor Worker {
        private(set) var notes: [String] = []
        private let number: Int

        private let clock: AppClock

        init(_ launch: AppLaunch) { (number, clock) = (launch.number, launch.clock) }

        func note(_ text: String) { notes.append("\(number) \(text)") }

        func work() async throws {
            Task { note("task") }
            Task { @MainActor in
                await Task.yield()
                await self.note("main actor")
            }
            Task.detached { await self.note("detached") }
            async let first: Void = note("async let")
            await withTaskGroup(of: Int.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        for _ in 0..<number { await Task.yield() }
                        return 4 - number
                    }
                }
                for await number in group { note("group \(number)") }
            }
            await first
            try await clock.sleep(for: .seconds(3_600))
            note("an hour later")
        }

    }

    private static func simulation(_ notes: Locked<[[String]]>) -> AppSimulation<Worker> {
        AppSimulation(products: [.consumable("sword", price: "0.99")]) { Worker($0) }
            .action("work") { try await $0.work() }
            .invariant("notes are taken") { worker in
                let all = await worker.notes
                notes.withLock { $0.append(all) }
                return true
            }
    }

    @Test func `Tasks, actors and the main actor run in the same order each time`() async throws {
        let notes = Locked<[[String]]>([])
        for _ in 0..<3 {
            try await Self.simulation(notes)
                .run(
                    seed: 1,
                    steps: [.action("work"), .action("work"), .advance(hours: 1), .relaunch, .action("work")]
                )
        }
        let all = notes.withLock { $0 }
        #expect(all.count % 3 == 0)
        let third = all.count / 3
        #expect(all[..<third] == all[third..<(2 * third)])
        #expect(all[..<third] == all[(2 * third)...])
        #expect(all.first?.isEmpty == false)
    }

    @Test func `A task sleeps until the simulation's clock has moved that far`() async throws {
        let naps = Locked<[String]>([])
        let simulation = AppSimulation(products: [.consumable("sword", price: "0.99")]) { _ in 0 }
            .action("nap") { _ in
                await Task { @MainActor in try? await Task.sleep(for: .seconds(3_600)) }.value
                naps.withLock { $0.append("main actor") }
                try await Task.sleep(nanoseconds: 3_600_000_000_000)
                naps.withLock { $0.append("no actor") }
            }
            .action("look") { _ in naps.withLock { $0.append("look") } }
            .invariant("none") { _ in true }
        let hour = AppStep.advance(hours: 1)
        try await simulation.run(seed: 1, steps: [.action("nap"), .action("look"), hour, .action("look"), hour])
        #expect(naps.withLock { $0 } == ["look", "main actor", "look", "no actor"])
    }

    /// An actor that sleeps by the runtime's clock.
    private actor Napper {
        func nap() async throws { try await Task.sleep(for: .seconds(3_600)) }
    }

    @Test func `An actor's method sleeps by the simulation's clock where an action calls it`() async throws {
        let notes = Locked<[String]>([])
        let simulation = AppSimulation(products: [.consumable("sword", price: "0.99")]) { _ in Napper() }
            .action("nap") { napper in
                try await napper.nap()
                notes.withLock { $0.append("awake") }
            }
            .action("look") { _ in notes.withLock { $0.append("look") } }
            .invariant("none") { _ in true }
        let steps: [AppStep] = [.action("nap"), .action("look"), .advance(hours: 1), .action("look")]
        try await simulation.run(seed: 1, steps: steps)
        #expect(notes.withLock { $0 } == ["look", "awake", "look"])
    }

    @Test func `The launch's clock moves with the life`() async throws {
        let notes = Locked<[[String]]>([])
        try await Self.simulation(notes).run(seed: 1, steps: [.action("work"), .advance(hours: 2)])
        let late = notes.withLock { $0 }.map { $0.contains("0 an hour later") }
        #expect(late.first == false)
        #expect(late.dropFirst().first == true)
    }

    @Test func `A sleep by the launch's clock ends when its task is canceled`() async throws {
        let errors = Locked<[String]>([])
        try await AppSimulation(products: [.consumable("sword", price: "0.99")]) { $0 }
            .action("nap") { launch in
                for isEarly in [true, false] {
                    let task = Task {
                        do { try await launch.clock.sleep(for: .seconds(10)) } catch {
                            errors.withLock { $0.append("\(error)") }
                        }
                    }
                    if !isEarly { await Task.yield() }
                    task.cancel()
                    await task.value
                }
            }
            .invariant("none") { _ in true }
            .run(seed: 1, steps: [.action("nap")])
        #expect(errors.withLock { $0 } == ["CancellationError()", "CancellationError()"])
    }

    @Test func `A detached task uses the launch's store`() async throws {
        let found = Locked<[Int]>([])
        try await AppSimulation(products: [.consumable("sword", price: "0.99")]) { _ in 0 }
            .action("look") { _ in
                await Task.detached {
                    let products = try? await Product.products(for: ["sword"])
                    found.withLock { $0.append(products?.count ?? -1) }
                }
                .value
            }
            .invariant("none") { _ in true }
            .run(seed: 1, steps: [.action("look"), .relaunch, .action("look")])
        #expect(found.withLock { $0 } == [1, 1])
    }

    @Test func `A thread of the app's own is reported`() async throws {
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await AppSimulation(products: [.consumable("sword", price: "0.99")]) { $0 }
                .action("save") { launch in
                    let isDone = DispatchSemaphore(value: 0)
                    Thread {
                        launch.storage["saved"] = true
                        isDone.signal()
                    }
                    .start()
                    Self.wait(for: isDone)
                }
                .invariant("none") { _ in true }
                .run(seed: 1, steps: [.action("save")])
        }
        let sentence = try #require(failure?.sentence)
        #expect(sentence.hasPrefix("the app works on a thread of its own, whose order no seed repeats"))
        #expect(sentence.contains("launch.clock"))
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func `An app that never comes to rest is reported`() async throws {
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await AppSimulation(products: [.consumable("sword", price: "0.99")]) { _ in 0 }
                .action("poll") { _ in while !Task.isCancelled { await Task.yield() } }
                .invariant("none") { _ in true }
                .run(seed: 1, steps: [.advance(hours: 1), .action("poll")])
        }
        #expect(failure?.sentence == "the app never comes to rest")
        #expect(failure?.steps == [.action("poll")])
    }
}
