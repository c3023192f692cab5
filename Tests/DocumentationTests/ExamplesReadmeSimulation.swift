// The app of README.md that a simulation finds out, compiled and run.
import StoreKit
import StoreSimulator
import Testing

/// The test fails, as README.md says, with what is printed there.
@Suite(FailsAsPrinted()) struct ReadmeSimulationTests {
    @MainActor final class Armory {
        let storage: AppStorage
        var swords: Int { storage["swords", default: 0] }
        init(storage: AppStorage) {
            self.storage = storage
            Task { for await next in Transaction.updates { try await deliver(next.payloadValue) } }
        }

        func buy() async throws {
            guard let sword = try await Product.products(for: ["sword"]).first,
                case .success(let result) = try await sword.purchase()
            else { return }
            try await deliver(result.payloadValue)
        }

        private func deliver(_ transaction: Transaction) async {
            storage["swords"] = swords + transaction.purchasedQuantity
            await transaction.finish()
        }
    }

    @Test func `Each sword is delivered once`() async throws {
        try await AppSimulation(products: [.consumable("sword", price: "0.99")]) {
            await Armory(storage: $0.storage)
        }
        .action("buy sword") { try await $0.buy() }
        .holds("sword") { await $0.swords }
        .run(runs: 200)
    }
}

private struct FailsAsPrinted: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let fence = try #require(try Document("README.md").fences.first { $0.language == "text" })
        let failure = await #expect(throws: AppSimulationFailure.self) { try await function() }
        #expect(
            failure?.description.hasPrefix(fence.lines.joined(separator: "\n")) == true,
            "\(failure?.description ?? "")"
        )
    }
}
