import ModelSimulator
import StoreContract
import StoreCore
import Testing

/// Runs whose apps use both faces of Store Kit.
@Suite struct FaceTests {
    private static func isEmpty(_ query: HistoryQuery, _ page: HistoryPage) -> HistoryPage {
        HistoryPage([], next: page.next)
    }

    // MARK: Checks

    @Test func `A store that entitles to what is used up is found`() throws {
        let rule = try expectMatters([.purchase(device: 0, product: .sword, quantity: 1)]) { backend in
            HistoryRewriter(backend, ask: { $0.selection == .entitlements ? HistoryQuery(.all) : $0 })
        }
        #expect(rule.contains("is entitled to [\"sword"))
    }

    @Test func `A store that has nothing unfinished for Store Kit 2 is found`() throws {
        let rule = try expectMatters([.purchase(device: 0, product: .sword, quantity: 1)]) { backend in
            HistoryRewriter(backend, rewrite: { $0.selection == .unfinished ? Self.isEmpty($0, $1) : $1 })
        }
        #expect(rule == "device 0 has [] unfinished by Store Kit 2, and [\"1\"] by Store Kit 1")
    }

    @Test func `A store that has no transaction for an update is found`() throws {
        let operations: [SimulatedOperation] = [
            .listenForUpdates(device: 0, finishes: false), .buy(account: 0, product: .sword, quantity: 1),
        ]
        let rule = try expectMatters(operations) { backend in
            HistoryRewriter(
                backend,
                rewrite: { if case .transactions = $0.selection { Self.isEmpty($0, $1) } else { $1 } }
            )
        }
        #expect(rule == "updates on device 0 do not have transaction 1")
    }

    @Test func `A store that hides a refund from Store Kit 2 is found`() throws {
        let operations: [SimulatedOperation] = [
            .listenForUpdates(device: 0, finishes: false), .add(device: 0, product: .sword, quantity: 1),
            .refund(index: 0),
        ]
        let rule = try expectMatters(operations) { backend in
            HistoryRewriter(backend, rewrite: { $0.selection == .revoked ? Self.isEmpty($0, $1) : $1 })
        }
        #expect(rule == "updates on device 0 do not have the revoked transaction 1")
    }

    @Test func `Random runs use Store Kit 2`() {
        let report = Simulator.run(seed: 1, runs: 60) { backend in
            HistoryRewriter(backend, rewrite: { $0.selection == .unfinished ? Self.isEmpty($0, $1) : $1 })
        }
        #expect(report.failure?.rule.sentence.contains("unfinished by Store Kit 2") == true)
    }

    // MARK: Written runs

    private static let sharedQueues: [[SimulatedOperation]] = [
        // What is bought by one face and finished by the other.
        [.purchase(device: 0, product: .game, quantity: 1), .finish(device: 0, index: 0), .restore(device: 0)],
        [.add(device: 0, product: .game, quantity: 1), .finishUnfinished(device: 0, index: 0), .restore(device: 0)],
        // What comes back to whoever pauses.
        [
            .listenForUpdates(device: 2, finishes: true), .pauseUpdates(device: 2, true),
            .buy(account: 1, product: .sword, quantity: 1), .buy(account: 1, product: .gift, quantity: 1),
            .finish(device: 2, index: 0), .pauseUpdates(device: 2, false),
        ],
        // The outcome of a purchase that nobody awaits any more.
        [
            .listenForUpdates(device: 0, finishes: false), .reachable(device: 0, false),
            .purchase(device: 0, product: .sword, quantity: 1), .cancelTask(device: 0, index: 0),
            .reachable(device: 0, true),
        ],
        // An app without an observer.
        [
            .removeObserver(device: 0), .purchase(device: 0, product: .gold, quantity: 1), .advance(days: 31),
            .promote(device: 0, product: .game, isTaken: true), .refund(index: 0), .relaunch(device: 0),
            .listenForUpdates(device: 0, finishes: true),
        ],
    ]

    @Test(arguments: sharedQueues)
    func `Both faces see one queue`(operations: [SimulatedOperation]) throws {
        for seed: UInt64 in [0, 4, 8, 12] { try SimulatedRun(seed: seed, operations: operations).run() }
    }

    @Test func `Updates begin with what an observer was told of before`() throws {
        let operations: [SimulatedOperation] = [
            .presentCodeSheet(device: 1, offer: .friends), .listenForUpdates(device: 0, finishes: false),
        ]
        try SimulatedRun(seed: 12, operations: operations).run()
    }

    @Test func `A refunded consumable stays in the history when it is finished`() throws {
        let operations: [SimulatedOperation] = [
            .buy(account: 0, product: .shield, quantity: 2), .refund(index: 11), .finishUnfinished(device: 0, index: 2),
        ]
        try SimulatedRun(seed: 93, operations: operations).run()
    }

    @Test func `A purchase ends when its user has signed out`() throws {
        let operations: [SimulatedOperation] = [
            .purchase(device: 1, product: .shield, quantity: 1), .signOut(device: 1),
        ]
        try SimulatedRun(seed: 293, operations: operations).run()
    }

    @Test func `What was upgraded gives nothing once the upgrade is deleted`() throws {
        let operations: [SimulatedOperation] = [
            .add(device: 0, product: .basic, quantity: 1), .finishUnfinished(device: 0, index: 3),
            .add(device: 1, product: .silver, quantity: 1), .deleteTransaction(index: 0),
        ]
        try SimulatedRun(seed: 3012, operations: operations).run()
    }

    @Test func `Finishing again what is finished without a connection waits for nothing`() throws {
        let operations: [SimulatedOperation] = [
            .buy(account: 1, product: .gold, quantity: 1), .reachable(device: 2, false),
            .add(device: 2, product: .season, quantity: 1), .listenForUpdates(device: 2, finishes: true),
            .refund(index: 9),
        ]
        try SimulatedRun(seed: 7392, operations: operations).run()
    }

    @Test func `Finishing what another device finishes first waits for nothing`() throws {
        let operations: [SimulatedOperation] = [
            .reachable(device: 1, false), .foundFamily(account: 0), .purchase(device: 2, product: .gold, quantity: 1),
            .joinFamily(account: 1), .listenForUpdates(device: 1, finishes: true),
            .purchase(device: 2, product: .game, quantity: 1), .leaveFamily(account: 1),
            .listenForUpdates(device: 0, finishes: true),
        ]
        try SimulatedRun(seed: 106_795, operations: operations).run()
    }

    @Test func `Finishing what a purchase is about to return waits for it, and no longer`() throws {
        let operations: [SimulatedOperation] = [
            .listenForUpdates(device: 2, finishes: true), .injectFault(device: 2, fault: .delay(5), point: .update),
            .purchase(device: 2, product: .silver, quantity: 1), .refund(index: 6),
            .buy(account: 1, product: .season, quantity: 1),
        ]
        try SimulatedRun(seed: 115_591, operations: operations).run()
    }

    @Test(arguments: [SimulatedOperation.deleteTransaction(index: 0), .signOut(device: 2)])
    func `A purchase whose transaction cannot be read any more ends`(end: SimulatedOperation) throws {
        let operations: [SimulatedOperation] = [
            .injectFault(device: 2, fault: .delay(5), point: .update),
            .purchase(device: 2, product: .gold, quantity: 1), end,
        ]
        try SimulatedRun(seed: 117_876, operations: operations).run()
    }

    @Test func `A refund is an update for a user who has just signed in`() throws {
        let operations: [SimulatedOperation] = [
            .add(device: 2, product: .basic, quantity: 1), .purchase(device: 1, product: .basic, quantity: 1),
            .foundFamily(account: 1), .purchase(device: 2, product: .season, quantity: 1),
            .addOffer(device: 1, offer: .ghost, signature: .strange), .listenForUpdates(device: 1, finishes: false),
            .joinFamily(account: 0), .add(device: 2, product: .silver, quantity: 1),
            .purchase(device: 2, product: .shield, quantity: 1), .approve(index: 2), .signIn(device: 1, account: 1),
            .refund(index: 8),
        ]
        try SimulatedRun(seed: 10_739, operations: operations).run()
    }

    @Test func `A user who signs in while the store crashes hears of no refund from before`() throws {
        let operations: [SimulatedOperation] = [
            .purchase(device: 2, product: .gold, quantity: 1), .listenForUpdates(device: 1, finishes: false),
            .refund(index: 11), .listenForUpdates(device: 0, finishes: false), .crash(after: 14, target: .store),
            .foundFamily(account: 0), .signIn(device: 0, account: 1),
        ]
        try SimulatedRun(seed: 29_267, operations: operations).run()
    }

    @Test func `A queue that misses its user's absence tells all once the user is back`() throws {
        let operations: [SimulatedOperation] = [
            .add(device: 1, product: .basic, quantity: 1),
            .injectFault(device: 1, fault: .fail(.storeKit(.privacyAcknowledgementRequired, "")), point: .update),
            .signOut(device: 1), .listenForUpdates(device: 1, finishes: false), .signIn(device: 1, account: 0),
        ]
        try SimulatedRun(seed: 67_975, operations: operations).run()
    }
}
