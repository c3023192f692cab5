import Foundation
import StoreCore
import StoreKit
import StoreScenario
import StoreSimulator
import TestSupport
import Testing

/// Apps that sell generic products by signed requests.
@Suite struct AppRequestTests {
    private static let pass = "com.example.app.aca.generic.subscription"

    private static let products: [SandboxProduct] = {
        var product = SandboxProduct.autoRenewable(pass, price: "4.99", period: .init(1, .month), group: "requests")
        product.isAdvancedCommerce = true
        return [product]
    }()

    /// An app whose server signs the requests.
    private class Requester: Armory {
        private let now: () -> Date
        private let signer: any OfferSigner

        override init(_ launch: AppLaunch) {
            (now, signer) = ({ launch.now }, launch.offerSigner)
            super.init(launch)
        }

        override func buy(_ name: String) async throws {
            let request = #"""
                {"operation": "CREATE_SUBSCRIPTION", "version": "1", "currency": "USD", "taxCode": "C003-00-1",
                "period": "P1M", "descriptors": {"displayName": "A pass", "description": "For films"},
                "requestInfo": {"requestReferenceId": "\#(UUID().uuidString)"},
                "items": [{"SKU": "FILMS", "displayName": "Films", "description": "All of them", "price": 7990}]}
                """#
            let claims = AdvancedCommerceClaims(
                bundleIdentifier: "com.example.app",
                request: Data(request.utf8),
                nonce: UUID(),
                issuedAt: Int64(now().timeIntervalSince1970)
            )
            let product = try await AdvancedCommerceProduct(id: name)
            let result = try await product.purchase(compactJWS: claims.signed(by: signer))
            if case .success(let result) = result { await take(result) }
        }
    }

    /// An app that gives access until the end of the first period.
    private final class Forgetful: Requester {
        override func keep(_ transaction: Transaction) {
            if storage["first", default: 0] == 0 { storage["first"] = Int(transaction.originalID) }
        }

        override func has(_ name: String) async -> Bool {
            for await case .verified(let transaction) in Transaction.currentEntitlements
            where transaction.productID == name && Int(transaction.id) == storage["first", default: 0] {
                return true
            }
            return false
        }
    }

    private func simulation<App: Armory>(
        _ launch: @escaping @MainActor (AppLaunch) -> App
    ) -> AppSimulation<App> {
        AppSimulation(products: Self.products) { await launch($0) }
            .action("buy") { try await $0.buy(Self.pass) }
            .allows(Self.pass) { await $0.has(Self.pass) }
    }

    @Test func `A generic subscription is bought by the app and elsewhere, and renews`() async throws {
        let report = try await simulation { Requester($0) }.run(runs: rounds(30, thoroughly: 300))
        for name in ["buyElsewhere", "modifyElsewhere"] {
            let row = report.coverageTable.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            let counts = row?.split(separator: " ").dropFirst().prefix(2).compactMap { Int($0) } ?? []
            #expect(counts.count == 2 && counts.allSatisfy { $0 > 0 }, "\(name)")
        }
    }

    @Test(arguments: [AppStep.action("buy"), .buyElsewhere(pass)])
    func `An app that forgets a generic subscription when it renews is found`(purchase: AppStep) async throws {
        let forgetful = simulation { Forgetful($0) }
        try await forgetful.run(seed: 1, steps: [purchase])
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await forgetful.run(seed: 1, steps: [purchase, .advance(hours: 32 * 24)])
        }
        #expect(failure?.sentence == "\(Self.pass): the user is entitled to it, and has no access")
    }

    @Test func `An app that forgets a generic subscription when an item is added is found`() async throws {
        let steps: [AppStep] = [.buyElsewhere(Self.pass), .advance(hours: 24), .modifyElsewhere(Self.pass)]
        try await simulation { Requester($0) }.run(seed: 1, steps: steps)
        let forgetful = simulation { Forgetful($0) }
        try await forgetful.run(seed: 1, steps: steps.dropLast())
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await forgetful.run(seed: 1, steps: steps)
        }
        #expect(failure?.sentence == "\(Self.pass): the user is entitled to it, and has no access")
    }

    @Test func `An added item that an app forgets is drawn, reduced and printed as a scenario`() async throws {
        // Without time, nothing renews.
        let elsewhere = AppStep.Kind.allCases.filter { $0 != .elsewhere }
            .reduce(simulation { Forgetful($0) }) { $0.without($1) }
        let found = await #expect(throws: AppSimulationFailure.self) { try await elsewhere.run(runs: 20) }
        let failure = try #require(found)
        #expect(failure.steps == [.buyElsewhere(Self.pass), .modifyElsewhere(Self.pass)])
        let store = try SandboxStore(products: Self.products)
        try Scenario(failure.scenario).run(on: store)
        let items = try store.account.signedTransactions.map { $0.content.advancedCommerceInfo?.items.count }
        #expect(items.sorted { ($0 ?? 0) < ($1 ?? 0) } == [1, 2])
    }
}
