import Foundation
import StoreCore
import StoreCrypto
import StoreScenario
import StoreServer
import TestSupport
import Testing

/// The files of a server in Python, which is right unless its environment orders a fault.
private enum PythonServer {
    static let folder = Bundle.module.bundleURL.appending(path: "Server")

    static let isAvailable =
        MicroHTTPD.isAvailable && Libcrypto.isAvailable
        && (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/python3")
        }

    /// Returns the simulation of the server with changed members of its file.
    static func simulation(_ change: (inout [String: Any]) -> Void) throws -> ServerSimulation {
        let data = try Data(contentsOf: folder.appending(path: "simulation.json"))
        var file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        change(&file)
        return try ServerSimulation(JSONSerialization.data(withJSONObject: file), in: folder)
    }

    static func simulation(fault: String) throws -> ServerSimulation {
        try simulation { file in
            var server = file["server"] as? [String: Any]
            server?["environment"] = ["FAULT": fault]
            file["server"] = server
        }
    }
}

@Suite(.enabled(if: PythonServer.isAvailable, "needs python3, libmicrohttpd-dev and libssl-dev"))
struct ServerSimulationTests {
    private func failure(
        of fault: String,
        seed: UInt64 = 1,
        jobs: Int = 2
    ) async throws -> ServerSimulationFailure {
        let simulation = try PythonServer.simulation(fault: fault)
        return try #require(
            await #expect(throws: ServerSimulationFailure.self) {
                try await simulation.run(seed: seed, runs: 200, jobs: jobs)
            }
        )
    }

    @Test func aRightServerLivesThroughEverything() async throws {
        let report = try await PythonServer.simulation(fault: "").run(runs: 12)
        #expect(report.runs == 12)
        #expect(report.steps == 360)
        #expect(report.requests > 12)
        #expect(report.kills > 0)
    }

    @Test func aServerThatForgetsRefundsIsFoundWithTheFewStepsThatItTakes() async throws {
        let failure = try await failure(of: "refunds")
        #expect(failure.sentence.contains("says the server; the store has "))
        #expect(failure.steps.count <= 4, "\(failure)")
        #expect(failure.steps.contains { $0.hasPrefix("buy ") })
        #expect(failure.steps.contains { $0.hasPrefix("refund ") })
        #expect(failure.timeline.contains("notification REFUND #"))
    }

    @Test func theArticleShowsWhatIsPrinted() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/StoreCore/StoreCore.docc/Articles/SimulatingYourServer.md")
        let article = try String(contentsOf: file, encoding: .utf8)
        let failure = try await failure(of: "refunds")
        #expect(article.contains("```text\n\(failure)\n```"), "\(failure)")
    }

    @Test func aServerThatNeverAsksForWhatItMissedIsFound() async throws {
        let failure = try await failure(of: "history")
        #expect(failure.steps.contains("# the next notification is lost for good, with all retries"), "\(failure)")
        #expect(failure.steps.count <= 8, "\(failure)")
        #expect(failure.sentence.contains(" was lost"))
    }

    @Test func aServerThatBelievesForgeriesIsFound() async throws {
        let failure = try await failure(of: "trusts")
        #expect(failure.steps.contains { $0.contains("forged") }, "\(failure)")
        #expect(failure.steps.count <= 8, "\(failure)")
    }

    @Test func aServerThatEndsByItselfIsFoundWithItsExitCode() async throws {
        let failure = try await failure(of: "dies")
        #expect(failure.sentence.hasPrefix("the server ended by itself at POST /notifications: exit code 3"))
        #expect(failure.steps.count == 1, "\(failure)")
    }

    @Test func theSameSeedBreaksTheSameLifeOnAnyNumberOfThreads() async throws {
        let one = try await failure(of: "refunds", jobs: 1)
        let two = try await failure(of: "refunds", jobs: 2)
        #expect(one.description == two.description)
        #expect(one.scenario == two.scenario)
    }

    @Test func theScenarioOfABrokenLifeReplaysItOnAStore() async throws {
        let failure = try await failure(of: "refunds")
        let clock = ManualClock()
        let products: [SandboxProduct] = try [
            .makeThrowing { .consumable("coins", price: "0.99") },
            .makeThrowing { .nonConsumable("lifetime", price: "49.99", isFamilyShareable: true) },
            .makeThrowing {
                .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro", level: 2)
            },
            .makeThrowing {
                .autoRenewable("pro.yearly", price: "39.99", period: .init(1, .year), group: "pro", level: 1)
            },
            .makeThrowing {
                .autoRenewable(
                    "family",
                    price: "9.99",
                    period: .init(1, .month),
                    group: "family",
                    isFamilyShareable: true
                )
            },
        ]
        let store = try SandboxStore(products: products, clock: clock)
        try Scenario(failure.scenario).run(on: store)
        #expect(try store.transactions.contains { $0.cancellationDate != nil })
    }
}

/// Mistakes in a simulation's file.
@Suite struct ServerSimulationFileTests {
    @Test(
        arguments: [
            (#"{"allows": {"gold": "$.products"}}"#, "\"allows\" has \"gold\", which the store does not sell"),
            (#"{"allows": {"coins": "$.products"}}"#, "\"allows\" has \"coins\": use \"holds\" for it"),
            (#"{"holds": {"lifetime": "$.coins"}}"#, "\"holds\" has \"lifetime\": only a consumable is counted"),
            (
                #"{"holds": {"coins": "coins"}}"#,
                "\"coins\" is not a path such as $.name, $.a.b, $[\"a b\"] or $.list[0]"
            ),
            (
                #"{"allows": {}, "holds": {}}"#,
                "nothing is required of the server: add \"allows\" or \"holds\""
            ),
            (#"{"runs": 0}"#, "\"runs\" is 0, and has to be at least 1"),
            (#"{"runs": "many"}"#, "\"runs\" is not a whole number"),
            (#"{"stepps": 3}"#, "\"stepps\" is not a member here; did you mean \"steps\"?"),
            (
                #"{"store": "Shop.storekit"}"#,
                "products are given by \"store\" or by \"products\": one of them"
            ),
        ]
    )
    func aMistakeIsASentence(_ change: String, _ sentence: String) throws {
        let changes = try #require(try JSONSerialization.jsonObject(with: Data(change.utf8)) as? [String: Any])
        let error = try #require(
            #expect(throws: ServerSimulationError.self) {
                _ = try PythonServer.simulation { $0.merge(changes) { $1 } }
            }
        )
        #expect(error.description == sentence)
    }

    @Test(
        arguments: [
            ("url", "ftp://127.0.0.1:{port}", "\"server.url\" is not a URL that begins with http://"),
            (
                "url", "http://127.0.0.1:8080",
                "\"server.url\" needs {port}: each job starts a server at a port of its own"
            ),
            (
                "access", "/access",
                "\"server.access\" needs {customer}, or all customers have the same answer"
            ),
            ("reset", "reset", "\"reset\" is not a path that begins with /"),
        ]
    )
    func aMistakeAboutTheServerIsASentence(_ member: String, _ value: String, _ sentence: String) throws {
        let error = try #require(
            #expect(throws: ServerSimulationError.self) {
                _ = try PythonServer.simulation { file in
                    var server = file["server"] as? [String: Any]
                    server?[member] = value
                    file["server"] = server
                }
            }
        )
        #expect(error.description == sentence)
    }

    @Test func aFileThatIsNotThereIsNamed() throws {
        let url = URL(filePath: "/nowhere/simulation.json")
        let error = try #require(
            #expect(throws: ServerSimulationError.self) { _ = try ServerSimulation(contentsOf: url) }
        )
        #expect(error.description.hasPrefix("/nowhere/simulation.json cannot be read: "))
    }
}
