import Foundation
import StoreCore
import StoreKit
import StoreSimulator
import TestSupport
import Testing

/// Apps that sell subscriptions paid monthly, or in bundles.
@Suite struct AppPlanTests {
    private static let year = SandboxProduct.autoRenewable(
        "year",
        price: "49.99",
        period: .init(1, .year),
        group: "press"
    )
    private static let bundle: [SandboxProduct] = [
        .autoRenewable("films", price: "7.99", period: .init(1, .month), group: "films"),
        .autoRenewable("songs", price: "5.99", period: .init(1, .month), group: "songs"),
        .subscriptionBundle(
            "all",
            price: "9.99",
            period: .init(1, .month),
            group: "all",
            members: ["films", "songs"]
        ),
    ]

    /// An app that takes every purchase of a year for one that is paid for a year.
    private final class Annual: Armory {
        private let now: () -> Date

        override init(_ launch: AppLaunch) {
            now = { launch.now }
            super.init(launch)
        }

        override func keep(_ transaction: Transaction) {
            let isPaid = transaction.revocationDate == nil
            let end = transaction.purchaseDate.timeIntervalSince1970 + 365 * 86_400
            storage["end"] = isPaid ? end : 0
        }

        override func has(_ name: String) async -> Bool { now().timeIntervalSince1970 < storage["end", default: 0] }
    }

    /// An app that gives access to a bundle's subscriptions to whoever has the bundle.
    private final class Bundler: Armory {
        override func has(_ name: String) async -> Bool { await super.has("all") }
    }

    /// An app that does not count what was free.
    private final class Payer: Armory {
        override func has(_ name: String) async -> Bool {
            for await result in Transaction.currentEntitlements {
                if case .verified(let transaction) = result, transaction.productID == name, transaction.price != 0 {
                    return true
                }
            }
            return false
        }
    }

    private func reader<App: Armory>(
        _ product: SandboxProduct,
        _ launch: @escaping @MainActor (AppLaunch) -> App
    ) -> AppSimulation<App> {
        AppSimulation(products: [product]) { await launch($0) }
            .action("buy") { try await $0.buy("year") }
            .allows("year") { await $0.has("year") }
    }

    private func viewer<App: Armory>(_ launch: @escaping @MainActor (AppLaunch) -> App) -> AppSimulation<App> {
        AppSimulation(products: Self.bundle) { await launch($0) }
            .action("buy all") { try await $0.buy("all") }
            .action("buy films") { try await $0.buy("films") }
            .allows("films") { await $0.has("films") }
            .allows("songs") { await $0.has("songs") }
    }

    /// The row of a step in a table: how often it was drawn, and had an effect.
    private func counts(of step: String, in report: AppSimulationReport) -> [Int] {
        let row = report.coverageTable.split(separator: "\n").first { $0.hasPrefix("\(step) ") }
        return row?.split(separator: " ").dropFirst().prefix(2).compactMap { Int($0) } ?? []
    }

    @Test func `A year is bought in monthly payments where it is sold so`() async throws {
        let report = try await reader(Self.year.billedMonthly(price: "4.49")) { Armory($0) }
            .run(runs: rounds(30, thoroughly: 300))
        #expect(counts(of: "buyMonthlyElsewhere", in: report).allSatisfy { $0 > 0 })
        let upFront = try await reader(Self.year) { Armory($0) }.run(runs: 30)
        #expect(counts(of: "buyMonthlyElsewhere", in: upFront) == [0, 0])
        #expect(!upFront.description.contains("buyMonthlyElsewhere"))
    }

    @Test func `An app that counts a payment of a year as the year is found`() async throws {
        let month: [AppStep] = [.billingFails(true), .advance(hours: 32 * 24)]
        let annual = reader(Self.year.billedMonthly(price: "4.49")) { Annual($0) }.without(.signIn)
        try await annual.run(seed: 1, steps: [.buyElsewhere("year")] + month)
        let found = await #expect(throws: AppSimulationFailure.self) {
            try await annual.run(seed: 1, steps: [.buyMonthlyElsewhere("year")] + month)
        }
        #expect(found?.sentence == "year: the user has access, and is not entitled to it")
    }

    @Test func `A bundle gives access to its subscriptions, which may leave it`() async throws {
        let report = try await viewer { Armory($0) }.run(runs: rounds(30, thoroughly: 300))
        #expect(counts(of: "buyElsewhere", in: report).allSatisfy { $0 > 0 })
    }

    @Test func `An app that looks for the bundle or for a price is found`() async throws {
        let bundler = viewer { Bundler($0) }
        try await bundler.run(seed: 1, steps: [.buyElsewhere("all")])
        let alone = await #expect(throws: AppSimulationFailure.self) {
            try await bundler.run(seed: 1, steps: [.buyElsewhere("films")])
        }
        #expect(alone?.sentence == "films: the user is entitled to it, and has no access")
        let payer = viewer { Payer($0) }
        try await payer.run(seed: 1, steps: [.buyElsewhere("films")])
        let free = await #expect(throws: AppSimulationFailure.self) {
            try await payer.run(seed: 1, steps: [.buyElsewhere("all")])
        }
        #expect(free?.sentence == "films: the user is entitled to it, and has no access")
        await #expect(throws: AppSimulationFailure.self) { try await payer.run(runs: 100) }
    }
}
