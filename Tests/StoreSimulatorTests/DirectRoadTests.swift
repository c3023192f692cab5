import Dispatch
import StoreContract
import StoreCore
import StoreSimulator
import Testing

/// Lives whose queues ask their stores by value.
@Suite struct DirectRoadTests {
    @Test func `Lives on the direct road meet everything that can be met there, and die at every boundary`() async {
        let report = await withCheckedContinuation { lived in
            // It takes seconds, and other tests wait for the threads that tests run on.
            DispatchQueue.global().async {
                lived.resume(returning: Simulator.run(seed: 3_005_000, lives: 100, steps: 300, road: .direct))
            }
        }
        #expect(report.failure == nil)
        // What is met, and the boundaries, whoever dies there; a ring is both.
        let names = report.reachedDirectly.map { name, count in (name.split(separator: ",")[0], count) }
        let figures = Dictionary(names, uniquingKeysWith: +)
        #expect(figures.count == 9 + 14 - 1)
        for (name, count) in figures { #expect(count > 0, "\(name)") }
        for death in ["app dies", "store dies", "both die"] {
            #expect(report.reachedDirectly.contains { $0.key.hasSuffix(", \(death)") && $0.value > 0 })
        }
        #expect(report.tables.contains("\nthe direct road\nexchange "))
    }

    @Test func `Lives on the socket meet nothing of the direct road`() {
        let report = Simulator.run(seed: 5, lives: 40, road: .socket)
        #expect(report.failure == nil)
        #expect(report.reachedDirectly.values.allSatisfy { $0 == 0 })
        #expect(!report.tables.contains("the direct road"))
    }

    @Test func `Lives on both roads are those of the one and of the other`() {
        // Eight seeds lead to the socket, the next eight to the direct road.
        let both = Simulator.run(seed: 16, lives: 16, steps: 20)
        let direct = Simulator.run(seed: 16, lives: 8, steps: 20, road: .direct)
        let socket = Simulator.run(seed: 16, lives: 8, steps: 20, road: .socket)
        #expect(both.reachedDirectly == direct.reachedDirectly)
        #expect(both.reached == direct.reached.merging(socket.reached, uniquingKeysWith: +))
    }

    @Test func `A seed replays its lives on the direct road, on one thread and on several`() {
        let alone = Simulator.run(seed: 9, lives: 100, steps: 12, jobs: 1, road: .direct)
        let together = Simulator.run(seed: 9, lives: 100, steps: 12, jobs: 4, road: .direct)
        #expect("\(alone)" == "\(together)")
        #expect(alone.tables == together.tables)
    }

    @Test(arguments: Acts.all, [FaultInjector.Point.submission, .reply, .connection, .update, .connectionLost])
    func `Whatever is planned for the direct road, what is bought is bought once`(
        act: FaultInjector.Fault,
        point: FaultInjector.Point
    ) throws {
        let plan = Step.spoil(device: 0, act: act, point: point)
        for seed in [8, 9, 12, 13] as [UInt64] {
            try SimulatedRun(
                seed: seed,
                steps: [
                    plan, .add(device: 0, product: .sword, quantity: 1), plan,
                    .buy(account: 0, product: .shield, quantity: 1), plan, .relaunch(device: 0), .release(device: 0),
                    plan, .add(device: 0, product: .gift, quantity: 1), .finish(device: 0, index: 0), plan,
                    .approve(index: 0), .reachable(device: 0, false), plan, .reachable(device: 0, true),
                    .advance(days: 1), .finish(device: 0, index: 0), .finish(device: 0, index: 0),
                ]
            ).run()
        }
    }

    @Test(arguments: 1...24) func `Whoever dies at any boundary of a purchase on the direct road, it is made once`(
        count: Int
    ) throws {
        for seed in [8, 9, 12, 13] as [UInt64] {
            for mortal in [Step.Mortal.store, .app(0), .app(1), .both] {
                try SimulatedRun(
                    seed: seed,
                    steps: [
                        .die(after: count, who: mortal), .add(device: 0, product: .sword, quantity: 1),
                        .die(after: count, who: mortal), .buy(account: 0, product: .sword, quantity: 1),
                        .die(after: count, who: mortal), .finish(device: 0, index: 0),
                    ]
                ).run()
            }
        }
    }

    @Test(arguments: Wayward.Flaw.allCases) func `A store that misbehaves on the direct road is found`(
        flaw: Wayward.Flaw
    ) throws {
        let run = Simulator.run(seed: 1, lives: 40, road: .direct) { Wayward($0, flaw) }
        let failure = try #require(run.failure)
        #expect(failure.shrunk.steps.count <= 4)
        #expect(throws: BrokenRule.self) { try failure.shrunk.run() }
        #expect(failure.shrunk.seed & 8 == 8)
    }
}
