import ModelSimulator
import StoreContract
import StoreCore
import Testing

@Suite struct SimulatorTests {
    @Test func `Runs break no rule`() {
        let seed = UInt64.random(in: 0..<1 << 32)
        let report = Simulator.run(seed: seed, runs: 20)
        #expect(report.failure == nil, "seed \(seed)")
        #expect(report.runs == 20)
    }

    @Test func `No run meets what is impossible, and each other pair is counted`() {
        // That all of them are met, `simulate --complete` shows with more runs.
        let report = Simulator.run(seed: 2_014_000, runs: 10, operations: 100)
        for pair in SimulationReport.impossiblePairs.keys { #expect(report.reached[pair] == nil) }
        #expect(report.reached.count + SimulationReport.impossiblePairs.count == 34 * 50)
        let met = report.reached.values.count { $0 > 0 }
        #expect("\(report)".contains("met: \(met) of \(report.reached.count) pairs of a state and an event, "))
        #expect(Set(report.unmet).isSuperset(of: report.reached.filter { $0.value == 0 }.keys))
    }

    @Test func `The report's tables name what was not met, and why the rest cannot be`() {
        let tables = Simulator.run(seed: 1, runs: 1, operations: 1).tables
        #expect(tables.contains("\nnot met: "))
        #expect(tables.contains("\n- what is undecided cannot be finished: deferred, finish; purchasing, finish\n"))
    }

    @Test func `The report sums up what was met, and where most is missing, in some lines`() {
        let lines = "\(Simulator.run(seed: 1, runs: 1, operations: 1))".split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0] == "1 runs, 1 operations, no rule broken")
        #expect(lines[1].hasPrefix("met: "))
        #expect(lines[2].hasPrefix("not met: "))
        #expect(lines.allSatisfy { $0.count < 250 })
    }

    @Test func `A seed replays its runs`() {
        let first = Simulator.run(seed: 7, runs: 10)
        let second = Simulator.run(seed: 7, runs: 10)
        #expect(first.reached == second.reached)
        #expect(Simulator.run(seed: 8_000, runs: 10).reached != first.reached)
    }

    @Test func `The report is the same on one thread and on several`() {
        // Four of the blocks that a thread takes.
        let alone = Simulator.run(seed: 9, runs: 100, operations: 2, jobs: 1)
        let together = Simulator.run(seed: 9, runs: 100, operations: 2, jobs: 4)
        #expect("\(alone)" == "\(together)")
        #expect(alone.tables == together.tables)
    }

    @Test func `A written run is performed`() throws {
        try SimulatedRun(
            seed: 0,
            operations: [
                .injectFault(device: 0, fault: .cut, point: .reply),
                .add(device: 0, product: .sword, quantity: 1),
                .signIn(device: 0, account: 1),
                .signIn(device: 0, account: 0),
            ]
        ).run()
    }

    @Test func `Of two purchases at different prices in one moment the later may be heard of first`() throws {
        try SimulatedRun(
            seed: 1_026_034,
            operations: [
                .signOut(device: 2),
                .injectFault(device: 1, fault: .hold, point: .update),
                .setStorefront(.germany, continues: false),
                .buy(account: 1, product: .sword, quantity: 1),
                .signIn(device: 1, account: 1),
                .setStorefront(.usa, continues: true),
                .buy(account: 1, product: .sword, quantity: 1),
                .refund(index: 0),
            ]
        ).run()
    }

    @Test func `What repeats a purchase for nothing is told apart from what was paid for in the same moment`() throws {
        try SimulatedRun(
            seed: 8033,
            operations: [
                .signIn(device: 0, account: 1),
                .redeem(account: 1, offer: .friends),
                .reachable(device: 2, false),
                .interruptPurchases(account: 1, on: true),
                .add(device: 0, product: .silver, quantity: 1),
                .addOffer(device: 0, offer: .winter, signature: .sound),
                .add(device: 0, product: .basic, quantity: 1),
                .add(device: 0, product: .basic, quantity: 1),
                .signOut(device: 0),
                .resolveIssue(index: 1),
                .resolveIssue(index: 2),
                .resolveIssue(index: 0),
                .expire(account: 1),
            ]
        ).run()
    }

    @Test func `Of two free periods that were over at once either goes with the other`() throws {
        try SimulatedRun(
            seed: 3_042_740,
            operations: [
                .add(device: 0, product: .basic, quantity: 1),
                .refund(index: 0),
                .winBack(account: 0, offer: .comeback),
                .expire(account: 0),
                .winBack(account: 0, offer: .comeback),
                .expire(account: 0),
                .refund(index: 0),
            ]
        ).run()
    }

    @Test func `An app that crashes while the run settles is launched again`() throws {
        try SimulatedRun(
            seed: 2_021_182,
            operations: [
                .removeObserver(device: 2),
                .reachable(device: 2, false),
                .buy(account: 1, product: .bundle, quantity: 1),
                .finishUnfinished(device: 2, index: 3),
                .finishUnfinished(device: 2, index: 0),
                .crash(after: 4, target: .app(1)),
                .relaunch(device: 2),
            ]
        ).run()
    }

    @Test func `Of two purchases at one price in one moment one may have ended already`() throws {
        try SimulatedRun(
            seed: 2_018_051,
            operations: [
                .signOut(device: 2),
                .failBilling(account: 1, on: true),
                .crash(after: 15, target: .store),
                .refreshReceipt(device: 2, kind: .volume),
                .restore(device: 2),
                .advance(days: 370),
                .buy(account: 1, product: .bundle, quantity: 1),
                .change(account: 1, group: .bundles, to: .renewsNow),
                .signIn(device: 2, account: 1),
                .buy(account: 1, product: .bundle, quantity: 1),
            ]
        ).run()
    }

    /// Runs in which an app finishes, by what it has read, a transaction that no queue has told of.
    @Test(arguments: [
        SimulatedRun(
            seed: 2_014_031,
            operations: [
                .crash(after: 2, target: .store),
                .buy(account: 1, product: .season, quantity: 1),
                .finishUnfinished(device: 2, index: 0),
                .signIn(device: 2, account: 0),
            ]
        ),
        SimulatedRun(
            seed: 3_005_149,
            operations: [
                .crash(after: 13, target: .store),
                .add(device: 1, product: .sword, quantity: 1),
                .finishUnfinished(device: 1, index: 0),
                .signOut(device: 1),
            ]
        ),
        SimulatedRun(
            seed: 2_014_039,
            operations: [
                .interruptPurchases(account: 0, on: true),
                .purchase(device: 1, product: .basic, quantity: 1),
                .redeem(account: 0, offer: .friends),
                .reachable(device: 1, false),
                .finishUnfinished(device: 0, index: 0),
                .resolveIssue(index: 1),
                .finishUnfinished(device: 1, index: 0),
                .signIn(device: 1, account: 1),
            ]
        ),
        SimulatedRun(
            seed: 2_016_220,
            operations: [
                .crash(after: 4, target: .store),
                .interruptPurchases(account: 0, on: true),
                .purchase(device: 1, product: .shield, quantity: 2),
                .resolveIssue(index: 0),
                .finishUnfinished(device: 1, index: 0),
                .signIn(device: 1, account: 1),
            ]
        ),
        SimulatedRun(
            seed: 0,
            operations: [
                .crash(after: 4, target: .store),
                .interruptPurchases(account: 0, on: true),
                .add(device: 1, product: .sword, quantity: 1),
                .add(device: 1, product: .sword, quantity: 1),
                .resolveIssue(index: 0),
                .raisePrice(of: .sword, to: 150),
                .resolveIssue(index: 0),
                .finishUnfinished(device: 1, index: 1),
                .signIn(device: 1, account: 1),
                .refund(index: 0),
            ]
        ),
    ])
    func `What an app finishes before its queue tells of it is finished`(run: SimulatedRun) throws { try run.run() }
}
