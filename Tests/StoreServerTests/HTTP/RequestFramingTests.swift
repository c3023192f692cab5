import Foundation
import StoreCore
import StoreServer
import TestSupport
import Testing

/// Requests whose end is in doubt, and those that are too long, over the loopback interface.
@Suite(.fewAtATime, .microHTTPD) struct RequestFramingTests {
    private let handled = Locked<[String]>([])

    /// A server that answers with what it was asked, and notes it.
    private func server(_ change: (inout HTTPLimits) -> Void = { _ in }) throws -> HTTPServer {
        var limits = HTTPLimits()
        change(&limits)
        let handled = handled
        return try HTTPServer(limits: limits) { request in
            handled.withLock { $0.append(request.path.joined(separator: "/")) }
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            return HTTPResponse(200, body: Data("\(query) \(request.body.count)".utf8))
        }
    }

    @Test(arguments: [
        "Content-Length: 0\r\nContent-Length: 37", "Content-Length: 37\r\nContent-Length: 0",
        "Content-Length: 0\r\nContent-Length: 0", "Content-Length: 0\r\ncontent-length: 37",
        "Content-Length: 37\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 0",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: identity",
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: xchunked", "Host: another", "HOST: h",
        "Content-Length : 37", "Transfer-Encoding\t: chunked", "Content-Length: +37", "Content-Length: 0x0",
        "Content-Length: 37, 37", "Content-Length: -0", "Content-Length:",
    ])
    func `A request whose end is in doubt is refused, and nothing behind it is answered`(headers: String) throws {
        let server = try server()
        let client = try server.client()
        let hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n"
        client.send("POST /first HTTP/1.1\r\nHost: h\r\n\(headers)\r\n\r\n0\r\n\r\n\(hidden)")
        let answers = client.readToEnd()
        #expect(answers.hasPrefix("HTTP/1.1 400 "), "\(answers)")
        // libmicrohttpd writes the head of its own refusal twice.
        let statuses = answers.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
        #expect(statuses.allSatisfy { $0 == "400" } && statuses.count <= 2, "\(answers)")
        #expect(handled.withLock { $0 } == [])
    }

    @Test func `In HTTP 1-0 no body comes in chunks`() throws {
        let server = try server()
        let client = try server.client("POST /first HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        #expect(client.readToEnd().contains(" 400 "))
        #expect(handled.withLock { $0 } == [])
    }

    @Test(arguments: [
        "Content-Length: 5\r\n\r\nhello", "Content-Length: 005\r\nX: 1\r\nX: 2\r\n\r\nhello",
        "Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer: x\r\n\r\n",
    ])
    func `A request whose end is plain is answered, and the next one behind it`(rest: String) throws {
        let server = try server()
        let client = try server.client("POST /first HTTP/1.1\r\nHost: h\r\n\(rest)")
        client.send("GET /next HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        let answers = client.readToEnd()
        #expect(answers.components(separatedBy: "HTTP/1.1 200 ").count == 3, "\(answers)")
        #expect(handled.withLock { $0 } == ["first", "next"])
    }

    // MARK: Long requests

    @Test func `A long path is answered, or refused with a status, whatever its length`() throws {
        let server = try server()
        for length in [10, 1000, 16_000, 16_385, 32_000, 40_000, 100_000]
            + Array(stride(from: 31_900, to: 33_100, by: 40))
            + Array(stride(from: 60_000, to: 66_500, by: 80))
        {
            let answer = try ask(server, "GET /\(String(repeating: "a", count: length)) HTTP/1.1\r\nHost: h\r\n\r\n")
            let right: [Int?] = [length < 16_384 ? 200 : 414, length > 32_000 ? 431 : nil]
            #expect(answer != nil && right.contains(answer?.status), "\(length)")
        }
    }

    @Test func `A query of many parameters is answered, or refused with a status, whatever their number`() throws {
        let server = try server()
        for count in [1, 100, 500, 1000, 4000, 8190, 8200, 16_000, 33_000, 100_000] {
            let query = Array(repeating: "a", count: count).joined(separator: "&")
            let answer = try ask(server, "GET /?\(query) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(answer?.status == (count < 8192 ? 200 : 414), "\(count)")
            if answer?.status == 200 { #expect(answer?.body.count == 3 * count + 1) }
        }
    }

    @Test func `Long headers are taken, or refused with a status, whatever their number and length`() throws {
        let server = try server()
        for count in [1, 100, 300, 400, 500, 700, 1000, 2000] {
            let headers = (0..<count).map { "X-\($0): \(String(repeating: "b", count: 30))\r\n" }.joined()
            let answer = try ask(server, "GET / HTTP/1.1\r\nHost: h\r\n\(headers)\r\n")
            #expect(answer?.status == (count <= 300 ? 200 : 431), "\(count)")
        }
        for length in [1000, 30_000] + Array(stride(from: 32_000, to: 66_500, by: 300)) {
            let headers = "Cookie: \(String(repeating: "b", count: length))\r\n"
            let answer = try ask(server, "GET / HTTP/1.1\r\nHost: h\r\n\(headers)\r\n")
            #expect(answer?.status == 200 && length < 32_700 || answer?.status == 431 && length > 30_000, "\(length)")
        }
    }

    // MARK: Long bodies

    @Test func `A body beyond the limit is dropped before it is refused, and the connection goes on`() throws {
        let server = try server { $0.bodySize = 100_000 }
        let client = try server.client()
        for length in [100_001, 300_000, 500_000] {
            client.send("POST /long HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n")
            #expect(client.send(repeatElement(UInt8(ascii: "x"), count: length)) && client.readAnswer()?.status == 413)
            client.send("POST /next HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
            #expect(client.readAnswer()?.body == " 3")
        }
        #expect(handled.withLock { $0 } == ["next", "next", "next"])
    }

    @Test func `A body that is too long even to be dropped is refused when it is announced`() throws {
        let server = try server { $0.bodySize = 1000 }
        for announcement in ["Content-Length: 5001", "Content-Length: 5000\r\nExpect: 100-continue"] {
            let answer = try server.client("POST /long HTTP/1.1\r\nHost: h\r\n\(announcement)\r\n\r\n").readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(announcement): \(answer)")
        }
        let client = try server.client()
        client.send("POST /asked HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.read(until: "HTTP/1.1 100 Continue\r\n\r\n"))
        client.send("abc")
        #expect(client.readAnswer()?.body == " 3")
    }
}

@Suite struct HTTPRequestTests {
    @Test func `A target is taken apart`() {
        let request = HTTPRequest("GET", "/a//b%2Fc/%C3%A9?x=1&x=2&y&=z&w=a+b%2B&&", headers: ["X-A": "1"])
        #expect(request.path == ["a", "b/c", "é"])
        let items: [HTTPRequest.QueryItem] = [
            .init("x", "1"), .init("x", "2"), .init("y", ""), .init("", "z"), .init("w", "a b+"),
        ]
        #expect(request.query == items && request.headers == ["x-a": "1"])
    }

    @Test(arguments: ["", "?", "//", "%", "/%zz?%zz=%", "/?=", "?a=b=c", "/a?b?c"])
    func `Any target is taken`(target: String) { #expect(HTTPRequest("GET", target).path.allSatisfy { !$0.isEmpty }) }

    @Test func `An encoding that is wrong stays as it is`() {
        #expect(HTTPRequest("GET", "/%zz?%=%").path == ["%zz"])
        #expect(HTTPRequest("GET", "/?a=b=c").query == [.init("a", "b=c")])
    }
}
