import ModelSimulator
import StoreContract
import StoreCore
import Testing

/// Runs whose queues ask their stores by value.
@Suite("Hundreds of runs whose queues ask their stores by value") struct DirectTransportTests {
    /// Some that lead to the direct transport; `simulate` draws thousands.
    private static let seeds: [UInt64] = [8, 13]

    @Test func `Runs on the direct transport count what is met there, and crashes at every boundary`() {
        // That all of it is met, `simulate --complete` shows with more runs.
        let report = Simulator.run(seed: 3_005_000, runs: 20, operations: 60, transport: .direct)
        #expect(report.failure == nil)
        // What is met, and the boundaries, whoever crashes there; a ring is both.
        let names = Set(report.reachedDirectly.keys.map { $0.split(separator: ",")[0] })
        #expect(names.count == 9 + 14 - 1)
        for crash in ["app crashes", "store crashes", "both crash"] {
            #expect(report.reachedDirectly.contains { $0.key.hasSuffix(", \(crash)") && $0.value > 0 })
        }
        #expect(report.tables.contains("\nthe direct transport\nexchange "))
    }

    @Test func `Runs on the socket meet nothing of the direct transport`() {
        let report = Simulator.run(seed: 5, runs: 20, transport: .socket)
        #expect(report.failure == nil)
        #expect(report.reachedDirectly.values.allSatisfy { $0 == 0 })
        #expect(!report.tables.contains("the direct transport"))
    }

    @Test func `Runs on both transports are those of the one and of the other`() {
        // Eight seeds lead to the socket, the next eight to the direct transport.
        let both = Simulator.run(seed: 16, runs: 16, operations: 20)
        let direct = Simulator.run(seed: 16, runs: 8, operations: 20, transport: .direct)
        let socket = Simulator.run(seed: 16, runs: 8, operations: 20, transport: .socket)
        #expect(both.reachedDirectly == direct.reachedDirectly)
        #expect(both.reached == direct.reached.merging(socket.reached, uniquingKeysWith: +))
    }

    @Test func `A seed replays its runs on the direct transport, on one thread and on several`() {
        let alone = Simulator.run(seed: 9, runs: 100, operations: 2, jobs: 1, transport: .direct)
        let together = Simulator.run(seed: 9, runs: 100, operations: 2, jobs: 4, transport: .direct)
        #expect("\(alone)" == "\(together)")
        #expect(alone.tables == together.tables)
    }

    @Test(arguments: Faults.all, [FaultInjector.Point.submission, .reply, .connection, .update, .connectionLost])
    func `Whatever is planned for the direct transport, what is bought is bought once`(
        fault: FaultInjector.Fault,
        point: FaultInjector.Point
    ) throws {
        let plan = SimulatedOperation.injectFault(device: 0, fault: fault, point: point)
        for seed in Self.seeds {
            try SimulatedRun(
                seed: seed,
                operations: [
                    plan, .add(device: 0, product: .sword, quantity: 1), plan,
                    .buy(account: 0, product: .shield, quantity: 1), plan, .relaunch(device: 0), .release(device: 0),
                    plan, .add(device: 0, product: .gift, quantity: 1), .finish(device: 0, index: 0), plan,
                    .approve(index: 0), .reachable(device: 0, false), plan, .reachable(device: 0, true),
                    .advance(days: 1), .finish(device: 0, index: 0), .finish(device: 0, index: 0),
                ]
            ).run()
        }
    }

    @Test(arguments: 1...24)
    func `Whoever crashes at any boundary of a purchase on the direct transport, it is made once`(count: Int) throws {
        for seed in Self.seeds {
            for target in [SimulatedOperation.CrashTarget.store, .app(0), .app(1), .both] {
                try SimulatedRun(
                    seed: seed,
                    operations: [
                        .crash(after: count, target: target), .add(device: 0, product: .sword, quantity: 1),
                        .crash(after: count, target: target), .buy(account: 0, product: .sword, quantity: 1),
                        .crash(after: count, target: target), .finish(device: 0, index: 0),
                    ]
                ).run()
            }
        }
    }

    @Test(arguments: MisbehavingStore.Flaw.allCases)
    func `A store that misbehaves on the direct transport is found`(flaw: MisbehavingStore.Flaw) throws {
        let run = Simulator.run(seed: 1, runs: 40, transport: .direct) { MisbehavingStore($0, flaw) }
        let failure = try #require(run.failure)
        #expect(failure.shrunk.operations.count <= 4)
        #expect(throws: BrokenRule.self) { try failure.shrunk.run() }
        #expect(failure.shrunk.seed & 8 == 8)
    }
}
