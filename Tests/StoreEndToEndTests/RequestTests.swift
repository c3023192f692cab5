import Foundation
import StoreEndToEnd
import StoreKit
import StoreSimulator
import Testing

/// What an app's request to its server meets.
@Suite(.enabled(if: ShopServer.isAvailable, "needs python3, libmicrohttpd-dev and libssl-dev"))
struct RequestTests {
    /// An app that keeps the outcome of each request.
    final class Probe: Sendable {
        private let launch: AppLaunch

        init(_ launch: AppLaunch) { self.launch = launch }

        func ask(_ path: String = "/health") async {
            guard let server = launch.server else { return }
            var outcomes: [String] = launch.storage["outcomes", default: []]
            do {
                let answer = try await server.get(path)
                let text = String(decoding: answer.body, as: UTF8.self)
                outcomes.append(text == "{}" ? "\(answer.status)" : text)
            } catch let error as URLError {
                outcomes.append("\(error.code.rawValue)")
            } catch {
                outcomes.append("\(error)")
            }
            launch.storage["outcomes"] = outcomes
        }

        /// Buys coins, and asks the server for the number before anything else.
        func buyAndAsk() async throws {
            guard let token = UUID(uuidString: launch.customer) else { return }
            _ = try await Product.products(for: ["coins"]).first?.purchase(options: [.appAccountToken(token)])
            await ask("/customers/\(launch.customer)/access")
        }

        func finish() async {
            for await case .verified(let transaction) in Transaction.unfinished { await transaction.finish() }
        }

        /// The outcomes of the requests.
        var outcomes: [String] { launch.storage["outcomes", default: []] }
        var customer: String { launch.customer }
    }

    /// Requires that some steps have led to outcomes of requests.
    private func expect(_ outcomes: [String], after steps: [AppStep]) async throws {
        let seen = Seen<[String]>()
        try await AppSimulation(products: products) { Probe($0) }
            .action("ask") { await $0.ask() }
            .action("buy and ask") { try await $0.buyAndAsk() }
            .action("finish") { await $0.finish() }
            .action("look") { seen.add($0.outcomes) }
            .withServer(ShopServer.simulation())
            .run(seed: 1, steps: steps + [.action("look")])
        #expect(seen.all == [outcomes])
    }

    private static let lost = "\(URLError.Code.networkConnectionLost.rawValue)"
    private static let refused = "\(URLError.Code.cannotConnectToHost.rawValue)"
    private static let offline = "\(URLError.Code.notConnectedToInternet.rawValue)"

    @Test(arguments: [AppStep.loseRequest, .loseResponse, .killServerInRequest(after: 0)])
    func `A request whose answer is lost fails once`(step: AppStep) async throws {
        try await expect([Self.lost, "200"], after: [step, .action("ask"), .action("ask")])
    }

    @Test func `A server that was killed is started by the next request`() async throws {
        try await expect(["200", "200"], after: [.action("ask"), .killServer, .action("ask")])
    }

    @Test func `A server that is down refuses requests until its time is over`() async throws {
        try await expect(
            [Self.refused, "200"],
            after: [.serverDown(hours: 5), .action("ask"), .advance(hours: 5), .action("ask")]
        )
    }

    @Test func `A device that is offline does not reach the server`() async throws {
        try await expect(
            [Self.offline, "200"],
            after: [.reachable(false), .action("ask"), .reachable(true), .action("ask")]
        )
    }

    @Test func `An app that is killed before a request leaves, or before its answer, has no outcome`() async throws {
        for count in [1, 2] {
            try await expect(["200"], after: [.kill(after: count), .action("ask"), .action("ask")])
        }
    }

    @Test(arguments: [false, true])
    func `A notification arrives before the app's request, or after the app has come to rest`(isFirst: Bool)
        async throws
    {
        try await expect(
            [#"{"products": [], "coins": \#(isFirst ? 1 : 0)}"#],
            after: [.notifiesFirst(isFirst), .action("buy and ask"), .action("finish")]
        )
    }

    @Test func `A customer is the same in each launch, and another one when another user has signed in`() async throws {
        let seen = Seen<String>()
        try await AppSimulation(products: products) { Probe($0) }
            .action("look") { seen.add($0.customer) }
            .invariant("nothing") { _ in true }
            .run(seed: 1, steps: [.action("look"), .relaunch, .action("look"), .signIn(other: true), .action("look")])
        let customers = seen.all
        #expect(customers.count == 3)
        #expect(customers[0] == customers[1])
        #expect(customers[1] != customers[2])
        #expect(customers.allSatisfy { UUID(uuidString: $0) != nil && $0 == $0.lowercased() })
    }

    private final class Seen<Value>: @unchecked Sendable {  // unchecked: one life uses one thread
        private(set) var all: [Value] = []

        func add(_ value: Value) { all.append(value) }
    }
}
