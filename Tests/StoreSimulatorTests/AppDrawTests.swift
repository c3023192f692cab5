import Foundation
import StoreContract
import StoreCore
import StoreKit
import StoreSimulator
import Testing

@Suite("What simulations of many lives draw") struct AppDrawTests {
    private static let idle = AppSimulation(products: [.consumable("sword", price: "0.99")]) { $0 }
        .action("look") { _ in }
        .invariant("none") { _ in true }
        .without(.elsewhere, .family)

    @Test func `Kinds are left out, or drawn more often`() async throws {
        let plain = try await Self.idle.run(runs: 20)
        let without = try await Self.idle.without(.kill, .time).run(runs: 20)
        let weighed = try await Self.idle.weighing(.time, 400).weighing(.relaunch, -3).run(runs: 20)
        #expect(plain.count(of: .kill) > 0 && plain.count(of: .time) > 0 && plain.count(of: .relaunch) > 0)
        #expect(without.count(of: .kill) == 0 && without.count(of: .time) == 0)
        #expect(weighed.count(of: .time) > 3 * plain.count(of: .time))
        #expect(weighed.count(of: .relaunch) == 0)
        // Without subscriptions there is nothing to renew; signatures matter only to those who look at them.
        for kind in [AppStep.Kind.renewal, .billing, .consent, .signature, .family, .offer, .download] {
            #expect(plain.count(of: kind) == 0)
        }
    }

    @Test func `Each life begins with the steps that are given`() async throws {
        let launches = Locked<[Int]>([])
        let simulation = Self.still.weighing(.time, 1).beginning(with: [.relaunch, .relaunch])
            .invariant("it is launched") { launch in
                launches.withLock { $0.append(launch.number) }
                return true
            }
        let report = try await simulation.run(runs: 3, steps: 4, jobs: 1)
        #expect(report.steps == 3 * (2 + 4))
        let all = launches.withLock { $0 }
        for life in 0..<3 {
            // After each step. At its end a life is launched again, anyway.
            let numbers = all.dropFirst(life * all.count / 3).prefix(6)
            #expect(Array(numbers) == [1, 2, 2, 2, 2, 2])
        }
    }

    @Test func `Weights have a limit`() async throws {
        let simulation = Self.idle.weighing(.time, .max).weighing(.relaunch, .max).weighing(.kill, .max)
        let report = try await simulation.run(runs: 2)
        #expect(report.count(of: .time) > 0 && report.count(of: .relaunch) > 0 && report.count(of: .kill) > 0)
    }

    /// A simulation in which nothing is drawn.
    private static var still: AppSimulation<AppLaunch> { AppStep.Kind.allCases.reduce(idle) { $0.without($1) } }

    @Test func `A table has each step that was drawn, and the states in which it did something`() async throws {
        let steps: [AppStep] = [
            .approve(0), .askToBuy(true), .askToBuy(true), .action("buy"), .decline(0), .approve(0), .release,
            .reachable(false), .advance(hours: 1), .reachable(true), .kill(after: 1), .action("buy"),
        ]
        let simulation = Self.still.action("buy") { _ in
            _ = try await Product.products(for: ["sword"]).first?.purchase()
        }
        let report = try await simulation.beginning(with: steps).run(runs: 2)
        // Nothing else can be drawn.
        #expect(report.description == "2 lives, 24 steps, no rule broken")
        let lines = report.coverageTable.split(separator: "\n").map(String.init)
        let rows = lines.dropFirst().filter { $0.contains { "123456789".contains($0) } }
            .map { $0.split(separator: " ").joined(separator: " ") }
        let header = "drawn  acted  at rest  undecided  interrupted  unfinished  offline  subscribed  lapsed  refunded"
        #expect(lines[0].trimmingCharacters(in: .whitespaces) == "\(header)  other user  second device")
        #expect(
            rows == [
                "action 4 4 4 0 0 0 0 0 0 0 0 0",
                "kill 2 2 2 0 0 0 0 0 0 0 0 0",
                "askToBuy 4 2 2 0 0 0 0 0 0 0 0 0",
                "approve 4 0 0 0 0 0 0 0 0 0 0 0",
                "decline 2 2 0 2 0 0 0 0 0 0 0 0",
                "advance 2 2 0 0 0 0 2 0 0 0 0 0",
                "reachable 4 4 2 0 0 0 2 0 0 0 0 0",
                "release 2 0 0 0 0 0 0 0 0 0 0 0",
                "a call to the store 2",
            ]
        )
        #expect(report.steps == 24)
        // What did nothing does not count.
        #expect(report.count(of: .askToBuy) == 4)
        #expect(report.count(of: .wire) == 4)
    }

    @Test func `A report names the steps that were never tried`() async throws {
        let report = try await Self.idle.without(.kill).run(runs: 1, steps: 2)
        #expect(report.description.hasPrefix("1 life, 2 steps, no rule broken; never tried: "))
        #expect(!report.description.contains("kill") && !report.description.contains("redeem"))
        let many = try await Self.still.weighing(.relaunch, 1).run(runs: 30)
        #expect(many.description == "30 lives, 1,200 steps, no rule broken")
    }

    @Test func `A failure has the table of the lives up to it`() async throws {
        let simulation = Self.still.beginning(with: [.advance(hours: 1)]).invariant("fails") { _ in false }
        let failure = await #expect(throws: AppSimulationFailure.self) { try await simulation.run(runs: 3) }
        #expect(failure?.description.contains("\n1 life, 1 step\n") == true)
        let row = failure?.coverageTable?.split(separator: "\n").first { $0.hasPrefix("advance") }
        #expect(row?.split(separator: " ").prefix(4) == ["advance", "1", "1", "1"])
        let alone = await #expect(throws: AppSimulationFailure.self) { try await simulation.run(seed: 1, steps: []) }
        #expect(alone?.coverageTable == nil && alone?.description.contains("life") == false)
    }

    @Test func `Nothing is drawn where every kind is left out`() async throws {
        var simulation = Self.idle
        for kind in AppStep.Kind.allCases { simulation = simulation.without(kind) }
        #expect(try await simulation.run(runs: 2).steps == 0)
    }

    @Test func `The seeds of failed lives are kept, and tried first`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "seeds.txt")
        let simulation = CarelessArmory.simulation.keepingSeeds(in: file)
        let first = await #expect(throws: AppSimulationFailure.self) { try await simulation.run(runs: 500) }
        let seed = try #require(first?.seed)
        #expect(try String(contentsOf: file, encoding: .utf8) == "# Seeds of lives that failed.\n\(seed)\n")
        let page = folder.appending(path: "seeds-\(seed).html")
        #expect(first?.pageFile?.path == page.path)
        #expect(first?.description.contains("\nto look at: \(page.path)\n") == true)
        #expect(try String(contentsOf: page, encoding: .utf8) == first?.page)
        // Another range of seeds, of which not even the first life begins.
        let again = await #expect(throws: AppSimulationFailure.self) { try await simulation.run(seed: 90_000, runs: 1) }
        #expect(again?.seed == seed)
        #expect(try String(contentsOf: file, encoding: .utf8) == "# Seeds of lives that failed.\n\(seed)\n")
        // The kept lives count.
        let report = try await Self.idle.keepingSeeds(in: file).run(runs: 2)
        #expect(report.runs == 3)
        try Data("# Of an editor elsewhere\r\n\(seed)\r\n".utf8).write(to: file)
        #expect(try await Self.idle.keepingSeeds(in: file).run(runs: 2).runs == 3)
        // A failure is more than its seed.
        let nowhere = folder.appending(path: "missing/seeds.txt")
        let unkept = await #expect(throws: AppSimulationFailure.self) {
            try await CarelessArmory.simulation.keepingSeeds(in: nowhere).run(runs: 500)
        }
        #expect(unkept?.seed == seed)
        #expect(unkept?.description.contains("(not kept: ") == true)
        try Data("12\n\n # why\nseed\n".utf8).write(to: file)
        await #expect(throws: AppSimulationError.noSeed("seed", file: file.path)) {
            try await simulation.run(runs: 1)
        }
    }

    @Test func `What an app keeps outlives it, but for what it writes once it is killed`() async throws {
        let found = Locked<[String]>([])
        let simulation = AppSimulation(products: [.consumable("sword", price: "0.99")]) { launch in
            found.withLock {
                $0.append("\(launch.storage["number"] as Int? ?? -1) \(launch.storage["text", default: "none"])")
            }
            return launch
        }
        .action("write") { launch in
            launch.storage["number"] = 7
            launch.storage["number"] = 8
            launch.storage["text", default: ""] += "a"
        }
        .action("remove") { $0.storage["number"] = Int?.none }
        .invariant("none") { _ in true }
        for (count, expected) in [
            (1, "-1 none"), (2, "7 none"), (3, "7 none"), (4, "8 none"), (5, "8 none"), (6, "8 a"),
        ] {
            found.withLock { $0 = [] }
            try await simulation.run(seed: 1, steps: [.kill(after: count), .action("write")])
            #expect(found.withLock { $0 }.prefix(2) == ["-1 none", expected], "\(count)")
        }
        found.withLock { $0 = [] }
        try await simulation.run(seed: 1, steps: [.action("write"), .action("remove"), .relaunch])
        #expect(found.withLock { $0 }.dropFirst().first == "-1 a")
    }

    @Test func `A step is printed as Swift source`() {
        let steps: [(AppStep, String)] = [
            (.action("buy \"it\""), #".action("buy \"it\"")"#), (.kill(after: 3), ".kill(after: 3)"),
            (.relaunch, ".relaunch"), (.user(.isDeclined), ".user(.isDeclined)"), (.askToBuy(true), ".askToBuy(true)"),
            (.approve(1), ".approve(1)"), (.decline(2), ".decline(2)"), (.interrupt(false), ".interrupt(false)"),
            (.settleInterruption(0), ".settleInterruption(0)"), (.buyElsewhere("sword"), #".buyElsewhere("sword")"#),
            (.buyMonthlyElsewhere("year"), #".buyMonthlyElsewhere("year")"#),
            (.modifyElsewhere("pass"), #".modifyElsewhere("pass")"#),
            (.promote("sword"), #".promote("sword")"#), (.signIn(other: true), ".signIn(other: true)"),
            (.familyBuys("game"), #".familyBuys("game")"#), (.familyLeaves, ".familyLeaves"),
            (.storefront("DEU"), #".storefront("DEU")"#), (.advance(hours: 24), ".advance(hours: 24)"),
            (.autoRenew(false), ".autoRenew(false)"), (.billingFails(true), ".billingFails(true)"),
            (.gracePeriod(true), ".gracePeriod(true)"), (.payBill, ".payBill"), (.expire, ".expire"),
            (.askForConsent, ".askForConsent"), (.consent(false), ".consent(false)"), (.refund(4), ".refund(4)"),
            (.redeem(code: "GIFT", of: "pro"), #".redeem(code: "GIFT", of: "pro")"#),
            (.winBack("back", of: "pro"), #".winBack("back", of: "pro")"#),
            (.slowDownloads(true), ".slowDownloads(true)"), (.failDownload("map"), #".failDownload("map")"#),
            (.failPurchases(nil), ".failPurchases(nil)"),
            (.failPurchases(.paymentNotAllowed), ".failPurchases(.paymentNotAllowed)"),
            (.failPurchases(.init(rawValue: 99)), ".failPurchases(.init(rawValue: 99))"), (.sign(nil), ".sign(nil)"),
            (.sign(.invalidSignature), ".sign(.invalidSignature)"), (.reachable(true), ".reachable(true)"),
            (.fault(.delay(5), at: .reply), ".fault(.delay(5.0), at: .reply)"), (.release, ".release"),
            (.useSecondDevice(true), ".useSecondDevice(true)"), (.loseConnection, ".loseConnection"),
            (.fault(.drop, at: .acknowledgement), ".fault(.drop, at: .acknowledgement)"),
            (.failHistory(.network(.timedOut, "")), #".failHistory(.network(.timedOut, ""))"#),
            (.delayHistory(seconds: 5), ".delayHistory(seconds: 5)"),
            (.quirk(.listsLate(by: 1), true), ".quirk(.listsLate(by: 1.0), true)"),
            (.quirk(.unfinishedVanishes(after: 2), false), ".quirk(.unfinishedVanishes(after: 2.0), false)"),
            (.quirk(.productsHang(for: 9), true), ".quirk(.productsHang(for: 9.0), true)"),
            (.quirk(.expiresForAMoment, true), ".quirk(.expiresForAMoment, true)"),
            (.quirk(.looksCanceledForAMoment(1), true), ".quirk(.looksCanceledForAMoment(1.0), true)"),
            (.quirk(.interruptedFails, true), ".quirk(.interruptedFails, true)"), (.killServer, ".killServer"),
            (.killServerInRequest(after: 1), ".killServerInRequest(after: 1)"),
            (.serverDown(hours: 5), ".serverDown(hours: 5)"), (.loseRequest, ".loseRequest"),
            (.loseResponse, ".loseResponse"), (.notifiesFirst(true), ".notifiesFirst(true)"),
            (.notification(.late(hours: 6)), ".notification(.late(hours: 6))"),
            (.notification(.never), ".notification(.never)"),
        ]
        for (step, source) in steps { #expect(step.description == source) }
        #expect(Set(steps.map(\.0.kind)) == Set(AppStep.Kind.allCases))
    }
}
