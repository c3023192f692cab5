import Foundation
import StoreCore
import StoreServer
import TestSupport
import Testing

/// The HTTP server, over the loopback interface.
@Suite(.fewAtATime, .microHTTPD) struct HTTPServerTests {
    /// A server that answers with what it was asked.
    private func echo(_ change: (inout HTTPLimits) -> Void = { _ in }) throws -> HTTPServer {
        var limits = HTTPLimits()
        change(&limits)
        return try HTTPServer(limits: limits) { request in
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            let text = "\(request.method) /\(request.path.joined(separator: "/")) \(query) "
            return HTTPResponse(200, body: Data(text.utf8) + request.body)
        }
    }

    @Test func `A request arrives with its method, path, query and body`() throws {
        let server = try echo()
        let request = "POST /a%20b//c%2Fd?x=1&y=%26&x=2+3&z HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
        let answer = try ask(server, request)
        #expect(answer?.status == 200 && answer?.body == "POST /a b/c/d x=1,y=&,x=2 3,z= hello")
    }

    @Test func `Headers arrive in lowercase, and those of the answer are sent`() throws {
        let server = try HTTPServer { request in
            HTTPResponse(201, headers: ["X-Heard": request.headers["x-said"] ?? "nothing"])
        }
        let client = try server.client("GET / HTTP/1.1\r\nHost: h\r\nX-SAID: hello\r\nConnection: close\r\n\r\n")
        let answer = client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 201 ") && answer.contains("X-Heard: hello\r\n"))
    }

    @Test func `A connection serves request after request, also several at once`() throws {
        let server = try echo()
        let client = try server.client()
        for number in 0..<20 {
            client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(client.readAnswer()?.body == "GET /\(number)  ")
        }
        client.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        let rest = client.readToEnd()
        #expect(rest.contains("GET /a") && rest.contains("GET /b"))
    }

    @Test func `A body of many bytes arrives whole, in parts too`() throws {
        let server = try echo()
        let body = String(repeating: "0123456789", count: 50_000)
        let whole = try ask(server, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(whole?.body == "POST /  \(body)")
        let parts = (0..<50).map { _ in "2710\r\n\(String(repeating: "x", count: 10_000))\r\n" }.joined()
        let chunked =
            try ask(server, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(parts)0\r\n\r\n")
        #expect(chunked?.body == "POST /  \(String(repeating: "x", count: 500_000))")
    }

    @Test func `A body up to the limit is taken; a longer one is answered with 413, however it comes`() throws {
        let server = try echo { $0.bodySize = 1000 }
        let request = { (count: Int) in
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n\(String(repeating: "x", count: count))"
        }
        #expect(try ask(server, request(1000))?.status == 200 && ask(server, request(1001))?.status == 413)
        // Only announced: it is refused before it is sent.
        #expect(try ask(server, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n")?.status == 413)
        let chunk = "3e8\r\n\(String(repeating: "x", count: 1000))\r\n"
        let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try ask(server, "\(head)\(chunk)0\r\n\r\n")?.status == 200)
        #expect(try ask(server, "\(head)\(chunk)\(chunk)0\r\n\r\n")?.status == 413)
        // What never ends is cut off.
        let client = try server.client(head)
        for _ in 0..<10_000 where !client.send(chunk) { break }
        #expect(client.readAnswer()?.status != 200)
        #expect(try ask(server, request(1))?.status == 200)
    }

    @Test func `Receipts have a limit of their own, wherever they are verified`() throws {
        let server = try echo { ($0.bodySize, $0.receiptBodySize) = (1000, 3000) }
        let body = { String(repeating: "x", count: $0) }
        let request = { (path: String, count: Int) in
            "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n\(body(count))"
        }
        for path in ["/verifyReceipt", "/sandbox/verifyReceipt", "/production/verifyReceipt?a"] {
            #expect(try ask(server, request(path, 3000))?.status == 200)
            #expect(try ask(server, request(path, 3001))?.status == 413)
        }
        for path in ["/inApps", "/verifyReceipt/other", "/other?/verifyReceipt"] {
            #expect(try ask(server, request(path, 1001))?.status == 413)
        }
    }

    @Test(arguments: [
        "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{0}\u{0}\u{0}\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551616\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET /%zz?%&%=%00&=&&x HTTP/1.1\r\nHost: h\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ])
    func `Malformed bytes hurt nobody`(bytes: String) throws {
        let server = try echo { $0.timeout = 5 }
        let client = try server.client(bytes)
        client.endSending()
        _ = client.readToEnd()
        #expect(try ask(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")?.status == 200)
    }

    @Test func `Random bytes hurt nobody`() throws {
        let server = try echo()
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let client = try server.client()
            let count = Int.random(in: 1...300, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            if Bool.random(using: &random) { bytes = Array("POST / HTTP/1.1\r\nHost: h\r\n".utf8) + bytes }
            client.send(bytes + Array("\r\n\r\n".utf8))
            client.endSending()
            _ = client.readToEnd()
        }
        #expect(try ask(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")?.status == 200)
    }

    @Test func `A client that sends half a request does not keep the others waiting, and is let go`() throws {
        let server = try echo { ($0.timeout, $0.threads) = (1, 1) }
        let slow = try server.client("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf")
        #expect(try ask(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")?.status == 200)
        // It ends when the server closes the connection.
        _ = slow.readToEnd()
    }

    @Test func `64 clients at a time are each answered rightly`() throws {
        let server = try echo()
        let port = Int(server.port)
        let wrong = Locked(0)
        let threads = (0..<64).map { client in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                defer { done.signal() }
                for number in 0..<20 {
                    let body = String(repeating: "\(client)-\(number) ", count: 100)
                    let connection = try? Client(port: port)
                    connection?.send(
                        "POST /\(client) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    )
                    if connection?.readAnswer()?.body != "POST /\(client)  \(body)" { wrong.withLock { $0 += 1 } }
                }
            }
            return done
        }
        for thread in threads { thread.wait() }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func `A stop lets what is being answered be answered, and frees the port`() throws {
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try HTTPServer { request in
            guard request.path == ["slow"] else { return HTTPResponse(stream: HTTPStream()) }
            begun.signal()
            goOn.wait()
            return HTTPResponse(200, body: Data("done".utf8))
        }
        defer { goOn.signal() }
        let port = server.port
        let client = try Client(port: Int(port), sending: "GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        begun.wait()
        // The slow answer's thread takes no connection, so that the stream is on another, and ends when the stop has begun.
        let listener = try Client(port: Int(port), sending: "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(listener.read(until: "\r\n\r\n"))
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.stop()
            stopped.signal()
        }
        #expect(listener.read(until: "0\r\n\r\n"))
        goOn.signal()
        #expect(client.readAnswer()?.body == "done")
        stopped.wait()
        server.stop()
        let next = try HTTPServer(port: port) { _ in HTTPResponse(204) }
        #expect(next.port == port)
        #expect(try ask(next, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")?.status == 204)
    }

    @Test func `A server that is let go leaves no thread and no connection`() async {
        await #expect(processExitsWith: .success) {
            var clients: [Client] = []
            do {
                let servers = try (0..<20).map { _ in try HTTPServer { _ in HTTPResponse(200) } }
                clients = try servers.map { try Client(port: Int($0.port)) }
                for client in clients {
                    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(client.readAnswer()?.status == 200)
                }
                // Those that answered, at the least; the system may not know another's name yet.
                #expect(try Self.threads() >= 20)
            }
            #expect(clients.map { $0.readToEnd() } == Array(repeating: "", count: 20))
            // Of 80. The system may list one for a moment after it has ended.
            #expect(try Self.threads() < 10)
        }
    }

    /// The number of libmicrohttpd's threads in this process.
    private static func threads() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name?.hasPrefix("MHD") == true
        }
    }

    @Test func `A port that is taken, and what is no address, is refused with a sentence`() throws {
        let server = try echo()
        let taken = #expect(throws: StoreServerError.self) {
            try HTTPServer(port: server.port) { _ in HTTPResponse(200) }
        }
        #expect(taken?.description.contains("port \(server.port)") == true)
        for host in ["", "example.com", "300.1.1.1", "::zz"] {
            #expect(throws: StoreServerError.self) { try HTTPServer(host: host) { _ in HTTPResponse(200) } }
        }
    }

    @Test func `It listens on the loopback interface unless told otherwise, with IPv6 too`() throws {
        let server = try HTTPServer(host: "localhost") { _ in HTTPResponse(200) }
        #expect(try ask(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")?.status == 200)
        let six = try? HTTPServer(host: "::1") { _ in HTTPResponse(200) }
        // A machine may have no IPv6.
        if let six { #expect(six.port != 0) }
    }
}

@Suite struct AvailabilityTests {
    @Test(.enabled(if: !MicroHTTPD.isAvailable, "libmicrohttpd is there"))
    func `Without libmicrohttpd's header the opener throws the line that says what to install`() throws {
        let store = try SandboxStore(products: Shop.products)
        let trouble = #expect(throws: StoreServerError.self) { try StoreServer(store) }
        #expect(trouble == .unavailable && trouble?.description == MicroHTTPD.advice)
        #expect(throws: StoreServerError.unavailable) { try HTTPServer { _ in HTTPResponse(200) } }
    }

    @Test func `What to install is one line that names the package`() {
        #expect(MicroHTTPD.advice.contains("apt install libmicrohttpd-dev") && !MicroHTTPD.advice.contains("\n"))
    }
}
