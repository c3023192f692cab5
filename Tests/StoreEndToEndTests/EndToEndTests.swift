import Foundation
import StoreEndToEnd
import StoreServer
import StoreSimulator
import TestSupport
import Testing

/// Lives of an app, its server and the store.
@Suite(.enabled(if: ShopServer.isAvailable, "needs python3, libmicrohttpd-dev and libssl-dev"))
struct EndToEndTests {
    private func careless(_ mistake: CarelessShop.Mistake) throws -> AppSimulation<CarelessShop> {
        AppSimulation(products: products) { await CarelessShop($0, mistake) }
            .action("buy coins") { try await $0.buy("coins") }
            .withServer(try ShopServer.simulation())
    }

    private func failure<App>(of simulation: AppSimulation<App>, seed: UInt64 = 1) async throws -> AppSimulationFailure
    {
        try #require(
            await #expect(throws: AppSimulationFailure.self) {
                try await simulation.run(seed: seed, runs: 100, steps: 20)
            }
        )
    }

    @Test func `A right app with a payment queue loses nothing with its server`() async throws {
        let report = try await AppSimulation(products: products) { OldShop($0) }
            .action("buy coins") { $0.buy("coins") }
            .action("subscribe") { $0.buy("pro.monthly") }
            .withServer(ShopServer.simulation())
            .run(runs: rounds(6, thoroughly: 60), steps: 20)
        for kind in [AppStep.Kind.server, .request, .notification] {
            #expect(report.count(of: kind) > 0, "\(kind)")
        }
    }

    @Test func `An app that finishes before its upload is found`() async throws {
        let failure = try await failure(of: careless(.finishesFirst))
        #expect(failure.steps == [.action("buy coins")], "\(failure)")
        #expect(
            failure.sentence
                == "the app finished transaction #1 of coins, which the server had not credited to customer account"
        )
    }

    @Test func `An app that finishes before its upload is found, whatever its orders are named`() async throws {
        let failure = try await failure(of: careless(.finishesOrderFirst))
        #expect(failure.steps == [.action("buy coins")], "\(failure)")
    }

    @Test func `An app that uploads for the user before is found`() async throws {
        let failure = try #require(
            await #expect(throws: AppSimulationFailure.self) {
                try await careless(.keepsCustomer).run(
                    seed: 1,
                    steps: [.action("buy coins"), .signIn(other: true), .action("buy coins")]
                )
            }
        )
        #expect(failure.steps == [.signIn(other: true), .action("buy coins")], "\(failure)")
    }

    @Test func `A failure names the request that was lost`() async throws {
        let failure = try #require(
            await #expect(throws: AppSimulationFailure.self) {
                try await careless(.uploadsOnce).run(
                    seed: 1,
                    steps: [.loseRequest, .action("buy coins"), .relaunch]
                )
            }
        )
        #expect(failure.sentence.hasSuffix(" (a request of the app was lost)"), "\(failure)")
    }

    @Test func `A right app that is called inline loses nothing with its server`() async throws {
        try await AppSimulation(products: products) { OldShop($0) }
            .action("buy coins") { $0.buy("coins") }
            .callingInline()
            .withServer(ShopServer.simulation())
            .run(runs: rounds(2, thoroughly: 20), steps: 20)
    }

    @Test func `An app that never uploads again is found`() async throws {
        let failure = try await failure(of: careless(.uploadsOnce))
        #expect(failure.steps.count <= 3, "\(failure)")
    }

    @Test func `A server that credits both the notification and the upload is found`() async throws {
        let failure = try await failure(of: shop(ShopServer.simulation(fault: "credits twice")))
        #expect(failure.steps == [.action("buy coins")], "\(failure)")
        #expect(
            failure.sentence == "customer account holds 2 coins, says the server; the store has sold 1"
        )
    }

    @Test func `A server that answers before it has written is found`() async throws {
        let failure = try await failure(of: shop(ShopServer.simulation(fault: "early")))
        #expect(failure.steps.contains(.killServer), "\(failure)")
        #expect(failure.steps.count <= 3, "\(failure)")
    }

    @Test func `The same seed has the same result on any number of threads`() async throws {
        let simulation = try careless(.uploadsOnce)
        var results: [String] = []
        for jobs in [1, 2] {
            let failure = try #require(
                await #expect(throws: AppSimulationFailure.self) {
                    try await simulation.run(runs: 100, steps: 20, jobs: jobs)
                }
            )
            results.append("\(failure)")
        }
        #expect(results[0] == results[1])
    }

    /// The failure of the life in which a server is killed that answers before it has written.
    private func killedServer() async throws -> AppSimulationFailure {
        let simulation = try shop(ShopServer.simulation(fault: "early"))
        return try #require(
            await #expect(throws: AppSimulationFailure.self) {
                try await simulation.run(seed: 1, steps: [.action("buy coins"), .relaunch, .killServer])
            }
        )
    }

    @Test func `A pasted life is reduced, and says what the server has lost`() async throws {
        let failure = try await killedServer()
        #expect(failure.steps == [.action("buy coins"), .killServer])
        #expect(failure.drawn == 3)
        #expect(
            failure.sentence
                == "customer account holds 0 coins, says the server; the store has sold 1 (the server was killed)"
        )
        #expect(failure.exchanges.contains { $0.hasSuffix("  .killServer") })
    }

    @Test func `The article shows what is printed, and the file of the server`() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/StoreCore/StoreCore.docc/Articles/TestingBoth.md")
        let article = try String(contentsOf: file, encoding: .utf8)
        for printed in [try await failure(of: careless(.finishesFirst)), try await killedServer()] {
            // Without the line of what was covered, and the store's timeline.
            let shown = "\(printed)".split(separator: "\n\n", maxSplits: 2).prefix(2).joined(separator: "\n\n")
                .split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("; never tried: ") }
                .joined(separator: "\n")
            if !article.contains("```text\n\(shown)\n```") {
                Issue.record("the article does not show this:\n\(shown)\n")
            }
        }
        let shown = ShopServer.file().replacing("        \"environment\": { \"FAULT\": \"\" },\n", with: "")
        #expect(article.contains("```json\n\(shown)\n```"))
    }

    @Test func `A product that the app's store does not sell is a mistake in the file`() async throws {
        let simulation = try shop(ShopServer.simulation(holding: "gems"))
        await #expect(throws: ServerSimulationError.self) { try await simulation.run(runs: 1) }
    }
}
