import Foundation
import StoreCore
import StoreKit
import StoreSimulator
import Testing

@Suite struct AppRuleTests {
    private static let swords: [SandboxProduct] = [.consumable("sword", price: "0.99")]

    /// A simulation of an app that does nothing.
    private static var idle: AppSimulation<AppLaunch> { AppSimulation(products: Armory.products) { $0 } }

    private func failure<App>(
        of simulation: AppSimulation<App>,
        _ steps: [AppStep]
    ) async throws -> AppSimulationFailure? {
        do {
            try await simulation.run(seed: 1, steps: steps)
            return nil
        } catch let failure as AppSimulationFailure {
            return failure
        }
    }

    @Test func `What is paid for must be delivered, unless it was refunded`() async throws {
        // It finishes everything, and delivers nothing.
        let simulation = AppSimulation(products: Self.swords) { _ in
            Task { for await result in Transaction.updates { await result.unsafePayloadValue.finish() } }
        }
        .holds("sword") { _ in 0 }
        let steps: [AppStep] = [.buyElsewhere("sword"), .relaunch, .buyElsewhere("sword"), .refund(0)]
        let found = try #require(try await failure(of: simulation, steps))
        #expect(found.sentence == "sword: 1 paid for, and only 0 delivered before another launch")
        #expect(found.steps == [.buyElsewhere("sword")])
        #expect(try await failure(of: simulation, [.buyElsewhere("sword"), .refund(0)]) == nil)
    }

    @Test func `Nothing may be delivered that is not paid for`() async throws {
        let simulation = Self.idle.holds("sword") { _ in 1 }
        let found = try await failure(of: simulation, [.relaunch])
        #expect(found?.sentence == "sword: 1 delivered, and only 0 paid for")
        #expect(found?.steps == [])
    }

    @Test func `Nothing may stay unfinished`() async throws {
        let simulation = Self.idle.invariant("none") { _ in true }
        let found = try await failure(of: simulation, [.buyElsewhere("game")])
        #expect(found?.sentence == "a transaction of game is paid for and never finished")
    }

    @Test func `Access must be what the user is entitled to`() async throws {
        let finishing = AppSimulation(products: Armory.products) { launch in
            Task { for await result in Transaction.updates { await result.unsafePayloadValue.finish() } }
            return launch
        }
        .without(.signIn)
        let never = finishing.allows("game") { _ in false }
        let always = finishing.allows("game") { _ in true }
        let bought: [AppStep] = [.buyElsewhere("game")]
        #expect(try await failure(of: never, bought)?.sentence == "game: the user is entitled to it, and has no access")
        #expect(try await failure(of: always, bought) == nil)
        #expect(try await failure(of: never, []) == nil)
        #expect(try await failure(of: always, [])?.sentence == "game: the user has access, and is not entitled to it")
        #expect(try await failure(of: always, bought + [.refund(0)]) == nil)
        let subscriber = finishing.allows("pro") { _ in true }
        let month: [AppStep] = [.buyElsewhere("pro"), .advance(hours: 31 * 24)]
        #expect(try await failure(of: subscriber, month) == nil)
        #expect(
            try await failure(of: subscriber, [month[0], .autoRenew(false), month[1]])?.sentence
                == "pro: the user has access, and is not entitled to it"
        )
        #expect(
            try await failure(of: never, [.familyBuys("game")])?.sentence
                == "game: the user is entitled to it, and has no access"
        )
        #expect(try await failure(of: never, [.familyBuys("game"), .familyLeaves]) == nil)
        #expect(
            try await failure(of: always, [.familyBuys("game"), .familyLeaves])?.sentence
                == "game: the user has access, and is not entitled to it"
        )
    }

    @Test func `A refund excuses access until the product is bought again`() async throws {
        let finishing = AppSimulation(products: Armory.products) { launch in
            Task { for await result in Transaction.updates { await result.unsafePayloadValue.finish() } }
            return launch
        }
        .without(.signIn)
        let game = finishing.allows("game") { _ in true }
        #expect(try await failure(of: game, [.familyBuys("game"), .refund(0)]) == nil)
        let pro = finishing.allows("pro") { _ in true }
        let refunded: [AppStep] = [.buyElsewhere("pro"), .refund(0)]
        #expect(try await failure(of: pro, refunded) == nil)
        let again: [AppStep] = [.buyElsewhere("pro"), .autoRenew(false), .advance(hours: 31 * 24)]
        #expect(
            try await failure(of: pro, refunded + again)?.sentence
                == "pro: the user has access, and is not entitled to it"
        )
    }

    @Test func `Access is each user's own`() async throws {
        // It remembers that the product was sold, and not to whom.
        let simulation = AppSimulation(products: Armory.products) { launch in
            Task {
                for await result in Transaction.updates {
                    launch.storage["plays"] = true
                    await result.unsafePayloadValue.finish()
                }
            }
            return launch
        }
        .allows("game") { (launch: AppLaunch) in launch.storage["plays", default: false] }
        let bought: [AppStep] = [.buyElsewhere("game")]
        #expect(try await failure(of: simulation.without(.signIn), bought) == nil)
        #expect(
            try await failure(of: simulation, bought)?.sentence
                == "game: the user has access, and is not entitled to it"
        )
    }

    @Test func `What comes while the app runs is delivered before another launch`() async throws {
        // It looks for what is unfinished when it is launched, and never again.
        let simulation = AppSimulation(products: Armory.products) { launch in
            Task {
                for await result in Transaction.unfinished {
                    launch.storage["swords", default: 0] += 1
                    await result.unsafePayloadValue.finish()
                }
            }
            return launch
        }
        .holds("sword") { (launch: AppLaunch) in launch.storage["swords", default: 0] }
        let bought: [AppStep] = [.buyElsewhere("sword")]
        #expect(
            try await failure(of: simulation, bought)?.sentence
                == "sword: 1 paid for, and only 0 delivered before another launch"
        )
        #expect(try await failure(of: simulation, bought + [.relaunch]) == nil)
    }

    @Test func `What is refunded must be taken back, if the app says so`() async throws {
        let player = AppSimulation(products: Armory.products) { launch in
            Task {
                for await result in Transaction.updates {
                    launch.storage["plays"] = true
                    await result.unsafePayloadValue.finish()
                }
            }
            return launch
        }
        .without(.signIn)
        .allows("game") { (launch: AppLaunch) in launch.storage["plays", default: false] }
        let played: [AppStep] = [.buyElsewhere("game"), .refund(0)]
        #expect(try await failure(of: player, played) == nil)
        #expect(
            try await failure(of: player.takesBackRefunds(), played)?.sentence
                == "game: the user has access, although it was refunded"
        )
        let simulation = KeepingArmory.keeping
        let steps: [AppStep] = [.action("buy sword"), .refund(0)]
        #expect(try await failure(of: simulation, steps) == nil)
        #expect(
            try await failure(of: simulation.takesBackRefunds(), steps)?.sentence
                == "sword: 1 kept, although 1 of 1 were refunded"
        )
    }

    @Test(arguments: SignatureDefect.allCases)
    func `Nothing may be delivered that is signed wrongly, if the app says so`(defect: SignatureDefect) async throws {
        let simulation = KeepingArmory.keeping
        let steps: [AppStep] = [.sign(defect), .action("buy sword")]
        #expect(try await failure(of: simulation, steps) == nil)
        #expect(
            try await failure(of: simulation.verifiesSignatures(), steps)?.sentence
                == "sword: 1 delivered, of which only 0 had a signature to trust"
        )
        #expect(try await failure(of: Armory.simulation.verifiesSignatures(), steps) == nil)
        // What was sold before can be trusted.
        let late: [AppStep] = [.action("buy sword"), .sign(defect), .relaunch]
        #expect(try await failure(of: simulation.verifiesSignatures(), late) == nil)
    }

    @Test func `The app's own invariant is one sentence of the failure`() async throws {
        let simulation = Self.idle.invariant("it is launched once") { $0.number == 0 }
        let found = try await failure(of: simulation, [.advance(hours: 1), .relaunch, .advance(hours: 1)])
        #expect(found?.sentence == "the app breaks its own rule: it is launched once")
    }

    @Test func `A launch that fails or never ends is reported`() async throws {
        struct NoDisk: Error {}
        let failing = AppSimulation(products: Self.swords) { _ in throw NoDisk() }.invariant("none") { (_: Int) in true
        }
        #expect(try await failure(of: failing, [])?.sentence == "the app cannot be launched: NoDisk()")
        let endless = AppSimulation(products: Self.swords) { _ in try await Task.sleep(for: .seconds(1_000_000_000)) }
            .invariant("none") { _ in true }
        #expect(try await failure(of: endless, [])?.sentence == "the app's launch never ends")
    }

    @Test func `An app that does not answer is reported`() async throws {
        let simulation = Self.idle.invariant("none") { _ in (try? await Task.sleep(for: .seconds(60))) != nil }
        #expect(try await failure(of: simulation, [.relaunch])?.sentence == "the app does not answer what it has")
    }

    @Test func `A name that is not known is answered with those that are`() async throws {
        let gold = SandboxProduct.autoRenewable(
            "gold",
            price: "9.99",
            period: .init(1, .month),
            group: "club",
            offerCodes: [.freeTrial(.init(1, .week), identifier: "SPRING")],
            winBackOffers: [.freeTrial(.init(1, .week), identifier: "back")]
        )
        let map = SandboxProduct.nonConsumable("map", price: "0.99").hosting(Data([1]))
        let simulation = AppSimulation(products: [gold, map]) { $0 }
            .action("buy gold") { _ in }
            .invariant("none") { _ in true }
        let sentences: [(AppStep, String)] = [
            (.action("by gold"), #"the simulation has no action by gold; did you mean "buy gold"?"#),
            (.promote("axe"), "the simulation sells no product axe; use one of gold, map"),
            (.redeem(code: "back", of: "gold"), "gold has no offer back; use SPRING"),
            (.winBack("SPRING", of: "gold"), "gold has no offer SPRING; use back"),
            (.failDownload("mop"), #"no product hosts the file mop; did you mean "map"?"#),
        ]
        for (step, sentence) in sentences {
            let error = await #expect(throws: AppSimulationError.self) {
                try await simulation.run(seed: 1, steps: [step])
            }
            #expect(error?.description == sentence)
        }
    }

    @Test func `Mistakes in a simulation are errors of their own`() async throws {
        let products = Armory.products.map(\.identifier)
        let unknownProduct = AppSimulationError.unknownProduct("axe", among: products)
        await #expect(throws: AppSimulationError.nothingIsClaimed) { try await Self.idle.run(runs: 1) }
        await #expect(throws: unknownProduct) {
            try await Self.idle.holds("axe") { _ in 0 }.run(runs: 1)
        }
        await #expect(throws: unknownProduct) {
            try await Self.idle.allows("axe") { _ in false }.run(runs: 1)
        }
        await #expect(throws: AppSimulationError.isNotCounted("game")) {
            try await Self.idle.holds("game") { _ in 0 }.run(runs: 1)
        }
        await #expect(throws: AppSimulationError.isNotAccess("sword")) {
            try await Self.idle.allows("sword") { _ in true }.run(runs: 1)
        }
        let idle = Self.idle.invariant("none") { _ in true }
        await #expect(throws: AppSimulationError.unknownAction("fly", among: [])) {
            try await idle.run(seed: 1, steps: [.action("fly")])
        }
        let named: [(AppStep, AppSimulationError)] = [
            (.buyElsewhere("axe"), unknownProduct), (.promote("axe"), unknownProduct),
            (.familyBuys("axe"), unknownProduct), (.redeem(code: "GIFT", of: "axe"), unknownProduct),
            (.redeem(code: "GIFT", of: "pro"), .unknownOffer("GIFT", of: "pro", among: [])),
            (.winBack("back", of: "pro"), .unknownOffer("back", of: "pro", among: [])),
            (.failDownload("map"), .unknownFile("map", among: [])),
            (.storefront("Germany"), .unknownCountry("Germany")),
        ]
        for (step, error) in named {
            await #expect(throws: error) { try await idle.run(seed: 1, steps: [step]) }
            await #expect(throws: error) { try await idle.beginning(with: [step]).run(runs: 1) }
        }
        for (runs, steps, jobs) in [(0, 1, 1), (1, 0, 1), (1, 1, -3)] {
            await #expect(throws: AppSimulationError.wrongNumber(min(runs, steps, jobs))) {
                try await idle.run(runs: runs, steps: steps, jobs: jobs)
            }
        }
    }
}

/// An app that keeps whatever it hears of.
@MainActor private final class KeepingArmory: Armory {
    override func take(_ result: VerificationResult<Transaction>) async {
        keep(result.unsafePayloadValue)
        await result.unsafePayloadValue.finish()
    }

    override func keep(_ transaction: Transaction) {
        var delivered: [UInt64: Int] = storage["delivered", default: [:]]
        delivered[transaction.id] = transaction.purchasedQuantity
        storage["delivered"] = delivered
    }

    nonisolated static var keeping: AppSimulation<KeepingArmory> {
        AppSimulation(products: [.consumable("sword", price: "0.99")]) { await KeepingArmory($0) }
            .action("buy sword") { try await $0.buy("sword") }
            .holds("sword") { await $0.swords }
    }
}
