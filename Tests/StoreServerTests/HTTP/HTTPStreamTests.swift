import Foundation
import StoreCore
import TestSupport
import Testing

@testable import StoreServer

/// Answers that are sent piece by piece.
@Suite(.fewAtATime, .microHTTPD) struct HTTPStreamTests {
    private let stream = HTTPStream()

    private func server() throws -> HTTPServer {
        try HTTPServer { [stream] request in
            request.path.isEmpty
                ? HTTPResponse(headers: ["Content-Type": "text/event-stream"], stream: stream) : HTTPResponse(204)
        }
    }

    private func listen(_ server: HTTPServer) throws -> Client {
        let client = try server.client("GET / HTTP/1.0\r\nHost: h\r\n\r\n")
        return client
    }

    @Test func `What is sent arrives while the connection stays open, until it ends`() throws {
        let server = try server()
        let client = try listen(server)
        for number in 0..<100 {
            #expect(stream.send(Data("data: \(number)\n\n".utf8)))
            #expect(client.read(until: "data: \(number)\n\n"))
        }
        stream.finish()
        #expect(client.readToEnd() == "")
        #expect(!stream.send(Data("late".utf8)))
    }

    @Test func `Listeners take no thread from the others`() throws {
        let streams = (0..<16).map { _ in HTTPStream() }
        let next = Locked(0)
        let server = try HTTPServer { request in
            guard request.path.isEmpty else { return HTTPResponse(204) }
            let index = next.withLock { index in
                defer { index += 1 }
                return index
            }
            return HTTPResponse(stream: streams[index])
        }
        let listeners = try streams.map { _ in try listen(server) }
        #expect(try server.client("GET /other HTTP/1.1\r\nHost: h\r\n\r\n").readAnswer()?.status == 204)
        for stream in streams { stream.send(Data("hello".utf8)) }
        for listener in listeners { #expect(listener.read(until: "hello")) }
    }

    @Test func `A stop ends all streams`() throws {
        let server = try server()
        let client = try listen(server)
        stream.send(Data("hello".utf8))
        #expect(client.read(until: "hello"))
        server.stop()
        #expect(client.readToEnd() == "")
        #expect(!stream.send(Data()))
    }

    @Test func `A stream is the body of one response only`() async {
        await #expect(processExitsWith: .failure) {
            let stream = HTTPStream()
            stream.claim()
            stream.claim()
        }
        HTTPStream().claim()
    }

    @Test func `A client that reads nothing ends its stream at the capacity`() throws {
        let stream = HTTPStream(capacity: 1000)
        #expect(stream.send(Data(count: 1000)) && !stream.send(Data(count: 1)))
    }

    @Test func `That a client has gone shows when something is sent`() throws {
        let server = try server()
        do {
            let client = try listen(server)
            stream.send(Data("hello".utf8))
            #expect(client.read(until: "hello"))
        }
        // Within the time that the machine needs to notice.
        let end = Date(timeIntervalSinceNow: 60)
        while stream.send(Data("more".utf8)), Date() < end {}
        #expect(!stream.send(Data()))
        withExtendedLifetime(server) {}
    }
}
