import Foundation
import StoreCore
import StoreCrypto
import StoreScenario
import Testing

@testable import StoreServer

/// Lives of a server in Python; for a fault that shows in few lives, the seed of one of these.
@Suite(.enabled(if: PythonServer.isAvailable, "needs python3, libmicrohttpd-dev and libssl-dev"))
struct ServerSimulationTests {
    private func failure(
        of fault: String,
        seed: UInt64 = 1,
        runs: Int = 5,
        jobs: Int = 2
    ) async throws -> ServerSimulationFailure {
        let simulation = try PythonServer.simulation(fault: fault)
        return try #require(
            await #expect(throws: ServerSimulationFailure.self) {
                try await simulation.run(seed: seed, runs: runs, jobs: jobs)
            }
        )
    }

    @Test func `A right server lives through everything`() async throws {
        let report = try await PythonServer.simulation(fault: "").run(runs: 4)
        #expect(report.runs == 4)
        #expect(report.steps == 120)
        #expect(report.requests > 12)
        #expect(report.kills > 0)
    }

    @Test func `A server that forgets refunds is found with the few steps that it takes`() async throws {
        let failure = try await failure(of: "refunds")
        #expect(failure.sentence.contains("says the server; the store has "))
        #expect(failure.steps.count <= 4, "\(failure)")
        #expect(failure.steps.contains { $0.hasPrefix("buy ") })
        #expect(failure.steps.contains { $0.hasPrefix("refund ") })
        #expect(failure.timeline.contains("notification REFUND #"))
    }

    @Test func `The article shows what is printed`() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/StoreCore/StoreCore.docc/Articles/SimulatingYourServer.md")
        let article = try String(contentsOf: file, encoding: .utf8)
        let failure = try await failure(of: "refunds")
        #expect(article.contains("```text\n\(failure)\n```"), "\(failure)")
    }

    @Test func `A server that never asks for what it missed is found`() async throws {
        let failure = try await failure(of: "history", seed: 27, runs: 2)
        #expect(failure.steps.contains("# the next notification is lost for good, with all retries"), "\(failure)")
        #expect(failure.steps.count <= 8, "\(failure)")
        #expect(failure.sentence.contains(" was lost"))
    }

    @Test func `A server that believes forgeries is found`() async throws {
        let failure = try await failure(of: "trusts", seed: 82, runs: 2)
        #expect(failure.steps.contains { $0.contains("forged") }, "\(failure)")
        #expect(failure.steps.count <= 8, "\(failure)")
    }

    @Test(arguments: [1, UInt64.max])
    func `A server that ends by itself is found with its exit code and its output, with any seed`(
        seed: UInt64
    ) async throws {
        let failure = try await failure(of: "dies", seed: seed, runs: 1)
        #expect(
            failure.sentence == "the server ended by itself at POST /notifications: exit code 3\n    no room left"
        )
        #expect(failure.seed == seed)
        #expect(failure.steps.count == 1, "\(failure)")
    }

    @Test func `A server that cannot be started is a mistake, with its output`() async throws {
        let simulation = try PythonServer.simulation(fault: "does not start")
        let error = await #expect(throws: ServerSimulationError.self) { try await simulation.run(runs: 1) }
        #expect(
            error?.description
                == "the server ended by itself when it was started: exit code 1\n    no database"
        )
    }

    @Test func `A wrong path for forgetting is a mistake`() async throws {
        // So long the simulation waits for the end of a server that has closed a connection.
        let simulation = try PythonServer.simulation(PythonServer.file(["reset": "/customers"]), patience: 10)
        let error = await #expect(throws: ServerSimulationError.self) { try await simulation.run(runs: 1) }
        #expect(
            error?.description.hasPrefix("the server closed the connection without an answer: POST /customers\n")
                == true
        )
    }

    @Test func `The same seed breaks the same life on any number of threads`() async throws {
        let one = try await failure(of: "refunds", jobs: 1)
        let two = try await failure(of: "refunds", jobs: 3)
        #expect(one.description == two.description)
        #expect(one.scenario == two.scenario)
    }

    @Test func `A canceled task ends between two lives`() async throws {
        let simulation = try PythonServer.simulation(fault: "")
        let (lives, continuation) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            try await simulation.run(runs: 1_000_000, steps: 1, jobs: 1) { continuation.yield($0) }
        }
        for await _ in lives {
            task.cancel()
            break
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `The scenario of a broken life replays it on a store`() async throws {
        let failure = try await failure(of: "refunds")
        let products = try PythonServer.setup(fault: "").products
        let store = try SandboxStore(products: products, clock: ManualClock())
        try Scenario(failure.scenario).run(on: store)
        #expect(try store.transactions.contains { $0.cancellationDate != nil })
    }

    @Test func `A right server lives through generic subscriptions, of which a customer has several`() async throws {
        let report = try await PythonServer.simulation(PythonServer.genericFile()).run(runs: 4)
        #expect(report.runs == 4)
    }

    @Test func `A server that knows one subscription of a product is found where a generic product has two`()
        async throws
    {
        let simulation = try PythonServer.simulation(PythonServer.genericFile(fault: "one subscription"))
        let failure = try #require(
            await #expect(throws: ServerSimulationFailure.self) { try await simulation.run(runs: 60, jobs: 2) }
        )
        #expect(failure.steps.count { $0.contains("--request") } == 2, "\(failure)")
        let store = try SandboxStore(
            products: PythonServer.setup(PythonServer.genericFile()).products,
            clock: ManualClock()
        )
        try Scenario(failure.scenario).run(on: store)
        #expect(try store.transactions.count { $0.state == .purchased } >= 2)
    }

    @Test func `A server that runs already finds the API at its port, with the keys of a folder`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (port, own) = (try ServerUnderTest.freePort(), try ServerUnderTest.freePort())
        var variables = ProcessInfo.processInfo.environment
        do {
            let api = try SimulatedAppStore(ServerSetup.API(port: port, keys: folder))
            let (root, key) = (folder.appending(path: "root.der"), folder.appending(path: "key.txt"))
            try api.authority.rootCertificate.write(to: root)
            try Data(api.key.privateKeyPEM.utf8).write(to: key)
            variables.merge([
                "PORT": "\(own)", "DATA": folder.path, "STORE_URL": api.url, "STORE_ROOT": root.path,
                "STORE_KEY": key.path, "STORE_KEY_ID": api.key.identifier, "STORE_ISSUER_ID": api.key.issuer,
                "STORE_BUNDLE_ID": "com.example.shop", "STORE_TIME": "1735689600000", "FAULT": "refunds",
            ]) { $1 }
        }
        let server = try ServerProcess(
            ["python3", "server.py"],
            environment: variables,
            in: PythonServer.folder,
            output: folder.appending(path: "output.txt")
        )
        defer { server.kill() }
        let client = PlainHTTP(host: "127.0.0.1", port: own, patience: PythonServer.patience)
        while !client.accepts, !server.hasEnded { await Task.yield() }
        let file = try PythonServer.file([
            "command": Any?.none, "url": "http://127.0.0.1:\(own)",
            "api": ["port": Int(port), "keys": folder.path] as [String: Any],
        ])
        let simulation = try PythonServer.simulation(file, in: URL(filePath: "/"))
        let failure = try await #require(
            #expect(throws: ServerSimulationFailure.self) { try await simulation.run(runs: 40) }
        )
        #expect(failure.steps.contains { $0.hasPrefix("refund ") }, "\(failure)")
    }
}
