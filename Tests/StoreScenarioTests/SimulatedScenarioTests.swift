import Foundation
import StoreContract
import StoreCore
import StoreScenario
import Testing

@testable import ModelSimulator
@testable import StoreSimulator

@Suite struct SimulatedScenarioTests {
    private static let steps: [AppStep] = [
        .action("look"), .kill(after: 3), .relaunch, .user(.hesitates), .user(.cancels), .user(.isDeclined),
        .user(.pays), .askToBuy(true), .approve(0), .decline(3), .askToBuy(false), .interrupt(true),
        .settleInterruption(1), .interrupt(false), .buyElsewhere("sword"), .promote("sword"), .signIn(other: true),
        .signIn(other: false), .familyBuys("game"), .familyLeaves, .storefront("DEU"), .buyElsewhere("pro.monthly"),
        .buyMonthlyElsewhere("pro.monthly"), .modifyElsewhere("pass"), .advance(hours: 12), .autoRenew(false),
        .autoRenew(true), .billingFails(true), .gracePeriod(true), .payBill,
        .billingFails(false), .askForConsent, .consent(true), .expire, .redeem(code: "FRIENDS", of: "pro.monthly"),
        .winBack("come.back", of: "pro.monthly"), .slowDownloads(true), .slowDownloads(false), .failDownload("level 2"),
        .refund(0), .failPurchases(.paymentInvalid), .failPurchases(nil), .sign(.invalidSignature), .sign(nil),
        .reachable(false), .reachable(true), .fault(.hold, at: .update), .release, .loseConnection,
        .fault(.drop, at: .acknowledgement), .failHistory(.network(.timedOut, "")), .delayHistory(seconds: 5),
        .quirk(.listsLate(by: 1), true), .quirk(.listsLate(by: 1), false),
        .useSecondDevice(true), .signIn(other: true), .promote("sword"), .reachable(false), .useSecondDevice(false),
        .killServer, .killServerInRequest(after: 1), .serverDown(hours: 5), .loseRequest, .loseResponse,
        .notification(.late(hours: 2)), .notifiesFirst(true),
    ]

    @Test func `Each step of an app's life is a line that runs, or a comment`() throws {
        #expect(Set(Self.steps.map(\.kind)) == Set(AppStep.Kind.allCases))
        let lines = AppStep.scenarioPreparation + AppStep.scenarioLines(of: Self.steps)
        let shop = try Shop()
        try Scenario(lines.joined(separator: "\n")).run(on: shop.store)
        #expect(lines.filter { $0.hasPrefix("#") }.count == 19)
        let second = try #require(shop.store.device(named: "second"))
        #expect(second.account?.name == "other" && !second.isReachable && shop.store.device.isReachable)
        #expect(shop.store.storefront?.countryCode == "DEU")
        #expect(try shop.store.transactions.contains { $0.origin == .purchase && $0.account == "relative" })
        #expect(try shop.store.transactions.contains { $0.cancellationDate != nil })
    }

    @Test func `A failed life is printed as a scenario that does the same to a store`() async throws {
        let simulation = AppSimulation(products: [.consumable("sword", price: "0.99")]) { $0 }
            .invariant("none") { _ in true }
        do {
            try await simulation.run(seed: 1, steps: [.relaunch, .buyElsewhere("sword")])
            Issue.record("nobody finishes the sword")
        } catch let failure as AppSimulationFailure {
            #expect(failure.scenario.hasPrefix("# a transaction of sword is paid for and never finished\n# seed 1\n"))
            let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
            try Scenario(failure.scenario).run(on: store)
            #expect(try store.transactions.map(\.productIdentifier) == ["sword"])
        }
    }

    @Test func `A generic product that is bought elsewhere is bought by the same request in the scenario`() async throws
    {
        var charge = SandboxProduct.consumable("charge", price: "4.99")
        charge.isAdvancedCommerce = true
        let simulation = AppSimulation(products: [charge]) { $0 }.holds("charge") { _ in 0 }
        let steps: [AppStep] = [.buyElsewhere("charge"), .storefront("DEU"), .buyElsewhere("charge")]
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await simulation.run(seed: 1, steps: steps)
        }
        let store = try SandboxStore(products: [charge])
        try Scenario(try #require(failure).scenario).run(on: store)
        #expect(try store.account.charges.count == failure?.steps.count { $0 == .buyElsewhere("charge") })
    }

    @Test func `An item that is added elsewhere is added to the account's subscription in the scenario`() throws {
        var pass = SandboxProduct.autoRenewable("pass", price: "4.99", period: .init(1, .month), group: "requests")
        pass.isAdvancedCommerce = true
        let (purchase, addition) = (AppStep.buyElsewhere("pass"), AppStep.modifyElsewhere("pass"))
        // The addition before the purchase is refused.
        let steps = [addition, purchase, .advance(hours: 24), addition]
        let lines = AppStep.scenarioLines(of: steps, generic: [pass])
        let store = try SandboxStore(products: [pass])
        try Scenario(lines.joined(separator: "\n")).run(on: store)
        let sold = try store.account.transactions
        #expect(sold.count == 2 && sold.last?.original == sold.first?.id)
        let charges = try store.account.charges.compactMap(\.chargedAmount)
        #expect(
            charges.count == 2 && charges[0] == Decimal(string: "4.99") && charges[1] > 0 && charges[1] < charges[0]
        )

        let line = String(try #require(lines.first).dropFirst("try ".count))
        let refusal = #expect(throws: ScenarioError.self) {
            try Scenario(line).run(on: SandboxStore(products: [pass]))
        }
        #expect(refusal?.description.contains(#""account" has no subscription to "pass""#) == true)
    }

    @Test func `A scenario adds an item to a subscription that was migrated and has not renewed`() throws {
        var pass = SandboxProduct.autoRenewable("pass", price: "4.99", period: .init(1, .month), group: "requests")
        pass.isAdvancedCommerce = true
        let pro = SandboxProduct.autoRenewable("pro", price: "4.99", period: .init(1, .month), group: "pro")
        let store = try SandboxStore(products: [pass, pro])
        let first = try store.account.buy("pro")
        let migration = #"""
            {"requestInfo": {"requestReferenceId": "\#(UUID().uuidString)"}, "targetProductId": "pass",
            "taxCode": "C003-00-1", "items": [{"SKU": "pro", "displayName": "Pro", "description": "As before"}],
            "descriptors": {"displayName": "A pass", "description": "For items"}}
            """#
        _ = try ServerView(store).perform(.migrate, of: first, Data(migration.utf8))
        let line = try #require(AppStep.scenarioLines(of: [.modifyElsewhere("pass")], generic: [pass]).first)
        try Scenario(String(line.dropFirst("try ".count))).run(on: store)
        #expect(try store.account.transactions.map(\.original) == [nil, first])
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `A simulated run is printed as a scenario that runs`(seed: UInt64) throws {
        var generator = OperationGenerator(seed: seed)
        let operations = generator.operations(300)
        let scenario = try Scenario(SimulatedRun(seed: seed, operations: operations).scenario)
        let store = try SimulatedRun.scenarioStore()
        try scenario.run(on: store)
        #expect(scenario.steps.count > 150)
        #expect(try !store.transactions.isEmpty)
    }
}
