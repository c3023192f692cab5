import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// Lives in which subscribers are about to cancel, and a server chooses what they see.
@Suite(.enabled(if: PythonServer.isAvailable, "needs python3, libmicrohttpd-dev and libssl-dev"))
struct ServerRetentionTests {
    private func setup(fault: String = "") throws -> ServerSetup {
        try PythonServer.setup(PythonServer.retentionFile(fault: fault))
    }

    private static let customer = "A"
    private static let views = ServerStep.viewCancellation(customer: customer, cancels: false)

    /// Lives through the steps, and returns the requests.
    private func exchanges(_ steps: [ServerStep], fault: String = "") throws -> [String] {
        let server = try ServerUnderTest(setup(fault: fault))
        let generator = ServerStepGenerator(server.setup, seed: 1)
        let life = try ServerLife(server.setup, server, generator)
        let token = generator.customers[0].identifier
        try life.live([.store("buy pro.monthly --user \(token) --account A")] + steps)
        return life.exchanges.map(\.line).filter { $0.contains("question") }
    }

    @Test func `Whoever is about to cancel sees a message, and what is bought stays`() throws {
        let asked = try exchanges([Self.views])
        #expect(asked.count == 1 && asked[0].contains("00000000-0000-4000-8000-000000000001"))
        #expect(try exchanges([.viewCancellation(customer: "A", cancels: true), Self.views]).count == 1)
        for fault in RetentionFault.allCases {
            #expect(try exchanges([.question(fault), Self.views, Self.views]).count == 3, "\(fault)")
        }
        #expect(try exchanges([.killDuringRequest(after: 0), Self.views]).contains { $0.hasSuffix("is lost") })
        #expect(try exchanges([.down(hours: 5), Self.views]).contains { $0.hasSuffix("the server is down") })
    }

    @Test func `A server that chooses nothing, or no longer knows the subscriber, is found`() throws {
        let nothing = try #require(
            #expect(throws: ServerViolation.self) { try exchanges([Self.views], fault: "chooses nothing") }
        )
        #expect(
            nothing.sentence
                == "customer A is about to cancel pro.monthly, and is not shown what the server chooses: the server's answer "
                + "has no messageIdentifier"
        )
        #expect(try exchanges([Self.views], fault: "never saw it").count == 1)
        let unseen: [ServerStep] = [
            .app(customer: "B", isOpen: false), .notification(.late(seconds: 3600)),
            .store("buy family --account B"), .viewCancellation(customer: "B", cancels: false),
        ]
        #expect(throws: ServerViolation.self) { try exchanges(unseen, fault: "never saw it") }
    }

    @Test func `Lives draw subscribers who are about to cancel only for a server that chooses`() async throws {
        func steps(_ setup: ServerSetup) -> [ServerStep] {
            (0..<20).flatMap { seed in
                var generator = ServerStepGenerator(setup, seed: UInt64(seed))
                return generator.steps(30)
            }
        }
        func views(_ steps: [ServerStep]) -> Int {
            steps.count { if case .viewCancellation = $0 { true } else { false } }
        }
        #expect(try views(steps(setup())) > 0)
        #expect(try views(steps(PythonServer.setup(fault: ""))) == 0)
        let simulation = try PythonServer.simulation(PythonServer.retentionFile())
        #expect(try await simulation.run(runs: 4).runs == 4)
    }
}
