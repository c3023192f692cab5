import StoreCore
import StoreKit
import Testing

@testable import StoreSimulator

/// What a failure says about the kills in its life.
@Suite struct AppKillTests {
    private static let simulation = AppSimulation(products: [.consumable("sword", price: "0.99")]) { $0 }
        .action("buy") { launch in
            let product = try await Product.products(for: ["sword"])[0]
            guard case .success(let result) = try await product.purchase() else { return }
            launch.storage["sword"] = true
            await result.unsafePayloadValue.finish()
        }
        .invariant("none") { _ in true }

    /// Lives some steps, and returns what a failure would say of their kills.
    private func sentences(_ steps: [AppStep]) async throws -> [String] {
        let setup = Self.simulation.setup
        return try await setup.onThread {
            let life = try AppLife(setup, seed: 1, LifeCourse(steps) { _ in })
            // What is left unfinished breaks a rule.
            try? life.live()
            return life.kills.map(\.sentence)
        }
    }

    @Test func `The boundary of each kill is said in words`() async throws {
        var places: [String] = []
        for count in 10...24 {
            let sentence = try await sentences([.kill(after: count), .action("buy")]).first ?? "none"
            places.append(sentence.replacing("step 1 killed the app ", with: ""))
        }
        #expect(
            places == [
                "before a request for products",
                "after the store's answer to a request for products, before it arrived",
                "after the purchase of sword was begun, before it was sent to the store",
                "after the store had taken the purchase of sword, before its answer arrived",
                "before an update of sword arrived",
                "after an update of sword had arrived",
                "before an update of sword arrived",
                "after an update of sword had arrived",
                "before a question about the user's purchases",
                "after the store's answer to a question about the user's purchases, before it arrived",
                "before it wrote \"sword\" to its storage",
                "after it had written \"sword\" to its storage",
                "after finish() was called, before it was sent to the store",
                "after the store had taken the call of finish(), before its answer arrived",
                "none",
            ]
        )
    }

    @Test func `Each kill is said of the step that armed it`() async throws {
        let steps: [AppStep] = [
            .kill(after: 10), .action("buy"), .relaunch, .kill(after: 20), .kill(after: 11), .action("buy"),
        ]
        #expect(
            try await sentences(steps) == [
                "step 1 killed the app before a request for products",
                "step 5 killed the app after the store's answer to a request for products, before it arrived",
            ]
        )
    }
}
