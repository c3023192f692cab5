import Dispatch
import Foundation
import StoreCore
import StoreKit
import StoreSimulator
import TestSupport
import Testing

@Suite("Simulations of apps, each of many lives") struct AppSimulationTests {
    @Test func `A right app passes, and meets steps of every kind`() async throws {
        let runs = rounds(50, thoroughly: 5_000)
        let report = try await Armory.simulation.takesBackRefunds().verifiesSignatures().run(runs: runs)
        #expect(report.runs == runs)
        let others: [AppStep.Kind] = [.offer, .download, .quirk, .server, .request, .notification]
        for kind in AppStep.Kind.allCases where !others.contains(kind) {
            #expect(report.count(of: kind) > 0, "\(kind)")
        }
        #expect(report.steps == 40 * runs)
    }

    @Test func `A faulty app is found, with the few steps that it takes and a test to paste`() async throws {
        let simulation = CarelessArmory.simulation
        let failure = await #expect(throws: AppSimulationFailure.self) { try await simulation.run(runs: 500) }
        let found = try #require(failure)
        #expect(found.drawn == 40)
        #expect(found.steps.count <= 4)
        #expect(found.sentence == "sword: 2 delivered, and only 1 paid for")
        #expect(found.source.hasPrefix(".run(seed: \(found.seed), steps: ["))
        #expect(found.description.contains(found.source))
        #expect(found.timeline.contains("sword"))
        #expect(found.pageFile == nil)
        // The page has the rule, the test to paste, and what the app was told.
        #expect(found.page.contains("<h1>\(found.sentence)</h1>"))
        #expect(found.page.contains(".kill(after: "))
        #expect(found.timeline.contains("told: purchased") && found.page.contains("told: purchased"))
        let again = await #expect(throws: AppSimulationFailure.self) {
            try await simulation.run(seed: found.seed, steps: found.steps)
        }
        #expect(again?.sentence == found.sentence)
        #expect(again?.steps == found.steps)
        #expect(again?.timeline == found.timeline)
    }

    @Test func `A rule that is broken once, and not when the seed is tried again, is reported`() async throws {
        let launches = Locked(0)
        let simulation = AppSimulation(products: Armory.products) { _ in
            Task { for await result in Transaction.updates { await result.unsafePayloadValue.finish() } }
            return launches.withLock { launches in
                launches += 1
                return launches
            }
        }
        .invariant("only once") { $0 != 5 }
        let found = await #expect(throws: AppSimulationFailure.self) { try await simulation.run(runs: 3, jobs: 1) }
        let unrepeated = "the app breaks its own rule: only once, which the same seed did not bring about again"
        #expect(found?.sentence == unrepeated)
        #expect(found?.steps.count == 40)
    }

    @Test func `A simulation whose task is canceled ends`() async throws {
        let begun = AsyncStream<Void>.makeStream()
        let task = Task {
            try await AppSimulation(products: Armory.products) { launch in
                begun.continuation.yield()
                return await Armory(launch)
            }
            .invariant("none") { _ in true }
            .run(runs: 1_000_000)
        }
        for await _ in begun.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A life alone, and its shortening, end when their task is canceled`() async throws {
        // The second breaks the rule, and would be shortened.
        for isRight in [true, false] {
            let cancel = Locked<(@Sendable () -> Void)?>(nil)
            let isKnown = DispatchSemaphore(value: 0)
            let simulation = AppSimulation(products: Armory.products) { $0 }
                .action("cancel") { _ in
                    Self.wait(for: isKnown)
                    isKnown.signal()
                    cancel.withLock { $0 }?()
                }
                .invariant("none") { _ in isRight }
            let steps = Array(repeating: AppStep.action("cancel"), count: 20)
            let task = Task { try await simulation.run(seed: 1, steps: steps) }
            cancel.withLock { $0 = { task.cancel() } }
            isKnown.signal()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func `A life is shortened to what breaks the same rule`() async throws {
        // Of both rules, the second takes fewer steps to break.
        @Sendable func count(_ action: String, in launch: AppLaunch) -> Int { launch.storage[action, default: 0] }
        let simulation = AppSimulation(products: Armory.products) { $0 }
            .action("a") { $0.storage["a", default: 0] += 1 }
            .action("b") { $0.storage["b", default: 0] += 1 }
            .invariant("at most two of a") { count("a", in: $0) <= 2 }
            .invariant("more of a than of b") { count("a", in: $0) >= count("b", in: $0) }
        let steps: [AppStep] = ["a", "b", "a", "b", "a", "b", "b"].map { .action($0) }
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await simulation.run(seed: 1, steps: steps)
        }
        #expect(failure?.sentence == "the app breaks its own rule: at most two of a")
        #expect(failure?.steps == ["a", "a", "a"].map { .action($0) })
    }

    @Test func `A kill far away is no burden`() async throws {
        let simulation = AppSimulation(products: Armory.products) { $0 }.invariant("fails") { $0.number == 0 }
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await simulation.run(seed: 1, steps: [.kill(after: 1_000_000_000), .relaunch, .advance(hours: 1)])
        }
        #expect(failure?.steps == [])
    }

    @Test func `A seed gives the same failure and the same table on any number of threads`() async throws {
        var descriptions: Set<String> = []
        for jobs in isThorough ? [1, 2, 3, 5] : [1, 3] {
            let failure = await #expect(throws: AppSimulationFailure.self) {
                try await CarelessArmory.simulation.run(seed: 7, runs: 500, jobs: jobs)
            }
            let report = try await Armory.simulation.run(
                seed: 7,
                runs: rounds(10, thoroughly: 100),
                steps: rounds(20, thoroughly: 40),
                jobs: jobs
            )
            descriptions.insert("\(try #require(failure)) \(report)")
        }
        #expect(descriptions.count == 1)
    }

    @Test func `Simulations at the same time do not disturb each other, nor other tasks`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in [1, 1_001, 2_001] as [UInt64] {
                let runs = rounds(10, thoroughly: 500)
                group.addTask { try await Armory.simulation.run(seed: seed, runs: runs, jobs: 2) }
            }
            group.addTask {
                let actor = Counter()
                for _ in 0..<1_000 {
                    await actor.increase()
                    await Task { @MainActor in await Task.yield() }.value
                }
                #expect(await actor.count == 1_000)
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [false, true])
    func `An app of Store Kit 1 hears on the main actor, or inline`(isInline: Bool) async throws {
        try await Stall.simulation(isInline: isInline).run(runs: rounds(20, thoroughly: 500))
        let sentence = "no callback comes inside a call"
        let strict = Stall.simulation(isInline: isInline).invariant(sentence) { !$0.wasCalledInside }
        if isInline {
            let failure = await #expect(throws: AppSimulationFailure.self) { try await strict.run(runs: 20) }
            #expect(failure?.sentence == "the app breaks its own rule: \(sentence)")
        } else {
            try await strict.run(runs: 20)
        }
    }

    @Test func `Products come from Xcode's file`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).storekit")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = """
            {"identifier": "1", "nonRenewingSubscriptions": [], "products": [{"displayPrice": "0.99", "familyShareable": false,
            "internalID": "2", "localizations": [], "productID": "sword", "referenceName": null, "type": "Consumable"}],
            "settings": {}, "subscriptionGroups": [], "version": {"major": 3, "minor": 0}}
            """
        try Data(text.utf8).write(to: file)
        let report = try await AppSimulation(contentsOf: file) { launch in await Armory(launch) }
            .action("buy sword") { try await $0.buy("sword") }
            .holds("sword") { await $0.swords }
            .run(runs: 10)
        #expect(report.count(of: .action) > 0)
    }
}

private actor Counter {
    private(set) var count = 0
    func increase() { count += 1 }
}
