import Foundation
import Testing

@testable import StoreServer

/// Mistakes in a simulation's file.
@Suite struct ServerSimulationFileTests {
    @Test(
        arguments: [
            (#"{"allows": {"gold": "$.products"}}"#, "\"allows\" has \"gold\", which the store does not sell"),
            (#"{"allows": {"coins": "$.products"}}"#, "\"allows\" has \"coins\": use \"holds\" for it"),
            (
                #"{"holds": {"lifetime": "$.coins"}}"#,
                "\"holds\" has \"lifetime\": only a consumable is counted; use \"allows\" for it"
            ),
            (
                #"{"holds": {"coins": "coins"}}"#,
                "\"coins\" is not a path such as $.name, $.a.b, $[\"a b\"] or $.list[0]"
            ),
            (
                #"{"allows": {}, "holds": {}}"#,
                "nothing is required of the server: add \"allows\" or \"holds\""
            ),
            (
                #"{"allows": {"pass": "$.products"}, "products": [{"id": "pass", "kind": "nonRenewing", "price": "1"}]}"#,
                "\"allows\" has \"pass\": a non-renewing subscription is not judged, since only the server knows when it ends"
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
    func `A mistake is a sentence`(_ change: String, _ sentence: String) throws {
        let changes = try #require(try JSONSerialization.jsonObject(with: Data(change.utf8)) as? [String: Any])
        let error = try #require(
            #expect(throws: ServerSimulationError.self) {
                _ = try PythonServer.simulation(PythonServer.file { $0.merge(changes) { $1 } })
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
    func `A mistake about the server is a sentence`(_ member: String, _ value: String, _ sentence: String) throws {
        let error = try #require(
            #expect(throws: ServerSimulationError.self) {
                _ = try PythonServer.simulation(PythonServer.file([member: value]))
            }
        )
        #expect(error.description == sentence)
    }

    @Test func `A server that runs already needs the place of the API`() throws {
        func sentence(_ members: [String: Any?]) throws -> String {
            try #require(
                #expect(throws: ServerSimulationError.self) {
                    _ = try PythonServer.simulation(PythonServer.file(members))
                }
            ).description
        }
        let api: [String: Any] = ["port": 8400, "keys": "keys"]
        #expect(try sentence(["api": api]).hasPrefix("\"server.api\" is for a server that runs already"))
        #expect(
            try sentence(["command": Any?.none, "url": "http://127.0.0.1:1"])
                .hasPrefix("a server without \"server.command\" needs \"server.api\"")
        )
    }

    @Test func `A file that is not there is named`() throws {
        let url = URL(filePath: "/nowhere/simulation.json")
        let error = try #require(
            #expect(throws: ServerSimulationError.self) { _ = try ServerSimulation(contentsOf: url) }
        )
        #expect(error.description.hasPrefix("/nowhere/simulation.json cannot be read: "))
    }
}
