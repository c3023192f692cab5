import Foundation
import StoreCore
import TestSupport
import Testing

@testable import StoreServer

/// Clients that are slow, and clients that are many, over the loopback interface and by a clock that the tests move.
@Suite(.fewAtATime, .microHTTPD) struct HTTPConnectionsTests {
    private let clock = ManualClock()

    private func server(_ change: (inout HTTPLimits) -> Void = { _ in }) throws -> HTTPServer {
        var limits = HTTPLimits()
        limits.threads = 1
        // None is closed because nothing moves on it.
        limits.timeout = 3600
        change(&limits)
        return try HTTPServer(limits: limits, clock: clock) { HTTPResponse(200, body: $0.body) }
    }

    private func client(_ server: HTTPServer, from address: UInt32 = 0x7f00_0001) throws -> Client {
        try Client(port: Int(server.port), from: address)
    }

    /// Has a client's request answered.
    private func isAnswered(_ client: Client) -> Bool {
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        return client.readAnswer()?.status == 200
    }

    /// Returns a client that owes the server a body of 9 bytes, and of which the server knows so.
    private func slowClient(_ server: HTTPServer, from address: UInt32 = 0x7f00_0001) throws -> Client {
        let client = try client(server, from: address)
        client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
        try #require(client.read(until: "HTTP/1.1 100 Continue\r\n\r\n"))
        return client
    }

    private static let beginnings = [
        "", "G", "GET / HTTP/1.1\r\nHost: h\r\nX: ", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ]

    @Test(arguments: beginnings) func `A request has a time for its head and body together`(beginning: String) throws {
        let server = try server { $0.requestTime = 60 }
        let slow = try client(server)
        #expect(isAnswered(slow))
        slow.send(beginning)
        // Behind another one's answer, the server has heard of all that was sent before: the first time over is too long for it
        // if it had heard of it before, and the second in any case.
        for _ in 0..<2 {
            #expect(isAnswered(try client(server)))
            clock.advance(by: 60)
        }
        #expect(slow.waitForEnd())
        #expect(isAnswered(try client(server)))
    }

    @Test func `A body that drips all the time has no more time than one that stands still`() throws {
        let server = try server { $0.requestTime = 60 }
        let slow = try slowClient(server)
        for _ in 0..<8 {
            clock.advance(by: 7)
            slow.send("x")
        }
        #expect(isAnswered(try client(server)))
        clock.advance(by: 4)
        #expect(slow.waitForEnd())
    }

    @Test func `What is being answered has no end of its time`() throws {
        let stream = HTTPStream()
        var limits = HTTPLimits()
        limits.requestTime = 1
        let server = try HTTPServer(limits: limits, clock: clock) { _ in HTTPResponse(stream: stream) }
        let listener = try client(server)
        listener.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        stream.send(Data("hello".utf8))
        #expect(listener.read(until: "hello\r\n"))
        clock.advance(by: 1000)
        stream.send(Data("more".utf8))
        stream.finish()
        #expect(listener.read(until: "0\r\n\r\n"))
    }

    @Test func `Those that owe a request the longest make room for others, and no more of them than needed`() throws {
        let server = try server { $0.connections = 8 }
        let slow = try (0..<10).map { _ in
            defer { clock.advance(by: 0.01) }
            return try slowClient(server)
        }
        // All places are taken: it is let in when the slowest have gone.
        let next = try client(server)
        next.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        clock.advance(by: 1)
        #expect(next.readAnswer()?.status == 200)
        #expect(slow.prefix(3).allSatisfy { $0.waitForEnd() })
        for client in slow.dropFirst(3) {
            client.send("123456789")
            #expect(client.readAnswer()?.body == "123456789")
        }
    }

    @Test func `256 clients that drip keep nobody out`() throws {
        let server = try server { $0.threads = 4 }
        let slow = try (0..<320).map { _ in try slowClient(server) }
        // Beyond all that are taken, in front of the others.
        let more = try (0..<10).map { _ in try client(server) }
        for client in more { client.send("G") }
        let others = try (0..<8).map { _ in try client(server) }
        for client in others { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        for client in slow { client.send("x") }
        clock.advance(by: 1)
        #expect(others.allSatisfy { $0.readAnswer()?.status == 200 })
        #expect(slow.prefix(64).allSatisfy { $0.waitForEnd() })
    }

    @Test func `Only the paths of verifyReceipt have its bound, and no bound is too great`() {
        var limits = HTTPLimits()
        (limits.bodySize, limits.receiptBodySize, limits.connections) = (1, 2, .max)
        #expect(limits.takenConnections == .max)
        for path in [
            "/verifyReceipt", "/verifyReceipt/", "/sandbox/verifyReceipt?a", "/production/verifyReceipt",
            "/stores/x/verifyReceipt", "/stores/x/sandbox/verifyReceipt",
        ] {
            #expect(limits.for(path).bodySize == 2)
        }
        for path in ["/x/verifyReceipt", "/stores/verifyReceipt", "/xverifyReceipt", "/?/verifyReceipt", ""] {
            #expect(limits.for(path).bodySize == 1)
        }
    }

    @Test func `One address has its own bound, and others are served`() throws {
        let server = try server { $0.connectionsPerPeer = 4 }
        let slow = try (0..<4).map { _ in
            defer { clock.advance(by: 0.01) }
            return try slowClient(server)
        }
        let other = try client(server, from: 0x7f00_0002)
        #expect(isAnswered(other))
        let fifth = try client(server)
        #expect(isAnswered(fifth))
        #expect(slow[0].waitForEnd())
        for client in slow.dropFirst() {
            client.send("123456789")
            #expect(client.readAnswer()?.body == "123456789")
        }
        #expect(isAnswered(other) && isAnswered(fifth))
    }
}
