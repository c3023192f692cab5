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

    @Test func `A server that hangs is killed, so that the next life begins with one that answers`() throws {
        var setup = try PythonServer.setup(fault: "hangs")
        setup.patience = 5
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

    @Test func `A server that asks for a test notification at each one breaks a rule`() throws {
        let server = try ServerUnderTest(PythonServer.setup(fault: "tests"))
        let violation = try #require(
            #expect(throws: ServerViolation.self) { try life(server, [.store("buy coins --account A")]) }
        )
        #expect(violation.sentence == "the server has asked the API for more than 100 test notifications")
    }
}
