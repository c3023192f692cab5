import Foundation
import StoreCore
import StoreKit
import Testing

@testable import StoreSimulator

/// That each purchase is delivered once, also where the number is right.
@Suite struct AppDeliveryTests {
    private static let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]

    /// An app that finishes everything, and delivers what it is told to.
    private final class Chooser: Sendable {
        let storage: AppStorage

        init(_ launch: AppLaunch, _ copies: @escaping @Sendable (Int, Transaction) -> Int) {
            let storage = launch.storage
            self.storage = storage
            Task {
                for await result in Transaction.updates {
                    let transaction = result.unsafePayloadValue
                    let number = storage["numbers", default: [UInt64]()].firstIndex(of: transaction.id)
                    if number == nil { storage["numbers", default: [UInt64]()].append(transaction.id) }
                    let place = number ?? storage["numbers", default: [UInt64]()].count - 1
                    var delivered = storage["delivered", default: [UInt64: Int]()]
                    delivered[transaction.id, default: 0] += copies(place, transaction)
                    storage["delivered"] = delivered
                    await transaction.finish()
                }
            }
        }

        var swords: Int { storage["delivered", default: [UInt64: Int]()].values.reduce(0, +) }
        var delivered: [UInt64: Int] { storage["delivered", default: [:]] }
    }

    private static func sentences(
        _ steps: [AppStep],
        _ copies: @escaping @Sendable (Int, Transaction) -> Int
    ) async throws -> [String] {
        var sentences: [String] = []
        let simulation = AppSimulation(products: products) { Chooser($0, copies) }.without(.signIn)
        for claimed in [simulation.holds("sword") { $0.swords }, simulation.delivers("sword") { $0.delivered }] {
            // Not its shortest part, which only loses something.
            let violation = try await claimed.setup.onThread {
                try claimed.setup.violation(seed: 1, steps: steps, RunMonitor(limit: .seconds(60)) { _ in }).0
            }
            sentences.append(violation?.sentence ?? "")
        }
        return sentences
    }

    private static let bought = AppStep.buyElsewhere("sword")

    @Test func `An app that delivers each purchase once breaks no rule`() async throws {
        let steps = [Self.bought, Self.bought, .refund(0), Self.bought, .relaunch, .refund(1), .reachable(false)]
        for end in [[], [Self.bought, .reachable(true)], [Self.bought, Self.bought, .advance(hours: 1)]] as [[AppStep]]
        {
            let kept = try await Self.sentences(steps + end) { $1.revocationDate == nil ? 1 : 0 }
            #expect(kept == ["", ""])
            let takenBack = try await Self.sentences(steps + end) { $1.revocationDate == nil ? 1 : -1 }
            #expect(takenBack == ["", ""])
        }
    }

    @Test func `One that is delivered twice does not stand for another that is lost`() async throws {
        // The second purchase brings nothing, and the third brings two.
        let steps = [Self.bought, Self.bought, Self.bought]
        let found = try await Self.sentences(steps) { number, _ in [1, 0, 2][number] }
        #expect(
            found == [
                "sword: 3 delivered, for only 2 of the 3 paid for: some again, and others never",
                "sword: 2 delivered for transaction 3, and only 1 paid for",
            ]
        )
        #expect(try await Self.sentences(steps) { number, _ in [1, 1, 1][number] } == ["", ""])
    }

    @Test func `Among many purchases a lost one is told from one that is delivered twice`() async throws {
        let steps = Array(repeating: Self.bought, count: 135) + [.refund(130)]
        #expect(
            try await Self.sentences(steps) { number, _ in number == 66 ? 0 : number == 133 ? 2 : 1 } == [
                "sword: 134 delivered, for only 133 of the 134 paid for: some again, and others never",
                "sword: 2 delivered for transaction 134, and only 1 paid for",
            ]
        )
        #expect(try await Self.sentences(steps) { $1.revocationDate == nil ? 1 : -1 } == ["", ""])
    }

    @Test func `A refunded one that is kept does not stand for another that is lost`() async throws {
        let steps = [Self.bought, .refund(0), Self.bought]
        let found = try await Self.sentences(steps) { number, transaction in
            transaction.revocationDate == nil ? [1, 0][number] : 0
        }
        #expect(
            found == [
                "sword: 1 delivered, and one that was paid for is not among them before another launch",
                "sword: 1 paid for in transaction 2, and only 0 delivered before another launch",
            ]
        )
        let taken = try await Self.sentences(steps) { _, transaction in transaction.revocationDate == nil ? 1 : -1 }
        #expect(taken == ["", ""])
    }

    @Test func `What is delivered for a transaction that nobody paid for is found`() async throws {
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await AppSimulation(products: Self.products) { $0 }
                .delivers("sword") { _ in ["17": 1] }
                .run(seed: 1, steps: [])
        }
        #expect(failure?.sentence == "sword: 1 delivered for transaction 17, in which nothing was paid for")
    }

    @Test func `What is refunded or signed wrongly is found by transaction, too`() async throws {
        let simulation = AppSimulation(products: Self.products) { launch in
            Chooser(launch) { _, transaction in transaction.revocationDate == nil ? 1 : 0 }
        }
        .delivers("sword") { $0.delivered }
        let kept = await #expect(throws: AppSimulationFailure.self) {
            try await simulation.takesBackRefunds().run(seed: 1, steps: [Self.bought, .refund(0)])
        }
        #expect(kept?.sentence == "sword: 1 kept of transaction 1, although it was refunded")
        let untrusted = await #expect(throws: AppSimulationFailure.self) {
            try await simulation.verifiesSignatures().run(seed: 1, steps: [.sign(.invalidSignature), Self.bought])
        }
        #expect(untrusted?.sentence == "sword: 1 delivered for transaction 1, whose signature cannot be trusted")
    }
}
