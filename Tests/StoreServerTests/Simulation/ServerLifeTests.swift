import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// Lives of given steps.
@Suite(.enabled(if: PythonServer.isAvailable, "needs python3, libmicrohttpd-dev and libssl-dev"))
struct ServerLifeTests {
    private func life(_ server: ServerUnderTest, _ steps: [ServerStep]) throws {
        try ServerLife(server.setup, server, ServerStepGenerator(server.setup, seed: 1)).live(steps)
    }

    @Test func `No two servers of a process are given one port, although both may be dead`() throws {
        let ports = try (0..<500).map { _ in try ServerUnderTest.freePort() }
        #expect(Set(ports).count == 500)
    }

    @Test func `A server that hangs is killed, so that the next life begins with one that answers`() throws {
        var setup = try PythonServer.setup(fault: "hangs")
        // The test takes that long; what a busy machine holds up is answered within it.
        setup.patience = 15
        let server = try ServerUnderTest(setup)
        let violation = try #require(
            #expect(throws: ServerViolation.self) { try life(server, [.store("buy coins --account A")]) }
        )
        #expect(violation.rule == "answer POST /customers/{customer}/transactions")
        try life(server, [])
    }

    @Test func `A server that was down for all attempts is started again while the history has what it missed`() throws
    {
        let server = try ServerUnderTest(PythonServer.setup(fault: ""))
        let customer = ServerStepGenerator(server.setup, seed: 1).customers[0].identifier
        try life(
            server,
            [
                .store("buy coins --user \(customer) --account A"), .down(hours: 200), .store("refund last"),
                .advance(hours: 900),
            ]
        )
    }

    @Test func `A life ends with a server that refuses what is due for ever`() throws {
        let data = try PythonServer.file { file in
            file["products"] = [
                ["id": "pro", "kind": "autoRenewable", "price": "4.99", "group": "pro", "period": "P3D"]
            ]
            file["allows"] = ["pro": "$.products"]
            file["holds"] = nil
            var server = file["server"] as? [String: Any] ?? [:]
            server["environment"] = ["FAULT": "refuses"]
            server["upload"] = nil
            file["server"] = server
        }
        let server = try ServerUnderTest(PythonServer.setup(data))
        let violation = try #require(
            #expect(throws: ServerViolation.self) { try life(server, [.store("buy pro --account A")]) }
        )
        #expect(violation.rule == "may not pro")
    }

    @Test func `A server that asks for a test notification at each one breaks a rule`() throws {
        let server = try ServerUnderTest(PythonServer.setup(fault: "tests"))
        let violation = try #require(
            #expect(throws: ServerViolation.self) { try life(server, [.store("buy coins --account A")]) }
        )
        #expect(violation.sentence == "the server has asked the API for more than 100 test notifications")
    }

    @Test func `A server that is killed while it asks the API loses only what it has noted before`() throws {
        func live(_ fault: String) throws -> Int {
            let server = try ServerUnderTest(PythonServer.setup(fault: fault))
            let customer = ServerStepGenerator(server.setup, seed: 1).customers[0].identifier
            let steps: [ServerStep] = [
                .store("buy coins --user \(customer) --account A"), .killAsking, .store("refund last"),
            ]
            try life(server, steps)
            return server.kills
        }
        #expect(try live("") == 0)
        #expect(try live("asks") == 1)
        #expect(try live("answers, then asks") == 1)
        let violation = try #require(#expect(throws: ServerViolation.self) { _ = try live("notes, then asks") })
        #expect(violation.rule == "more coins")
    }
}
