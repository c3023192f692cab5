import Foundation
import StoreCore
import StoreServer

/// Bytes that a client sends to a running HTTP server, whatever they are.
struct HTTPTarget: Target {
    private let server: HTTPServer

    init() throws {
        var limits = HTTPLimits()
        limits.bodySize = 4_096
        limits.threads = 1
        server = try HTTPServer(limits: limits) { request in
            // All that a handler can read of it.
            let parts = request.path + request.query.flatMap { [$0.name, $0.value] } + [request.method]
            return HTTPResponse(200, headers: ["X-Parts": "\(parts.count)"], body: request.body)
        }
    }

    func read(_ input: [UInt8]) {
        let descriptor = StreamSocket.make(AF_INET)
        defer { close(descriptor) }
        // An address has ports for a minute of connections; each input has one of 65,536 addresses.
        let source = input.reduce(UInt16(0)) { $0 &* 31 &+ UInt16($1) }
        guard Self.call(bind, descriptor, 0x7f01_0000 | UInt32(source), port: 0),
            Self.call(connect, descriptor, 0x7f00_0001, port: server.port) || Self.goesOnConnecting(descriptor)
        else { fatalError("the server takes no connection: \(String(cString: strerror(errno)))") }
        var rest = input[...]
        while !rest.isEmpty {
            let count = Self.uninterrupted {
                rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, StreamSocket.sendFlags) }
            }
            // A server that has read enough closes the connection.
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        shutdown(descriptor, Int32(SHUT_WR))
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while Self.uninterrupted({ recv(descriptor, &buffer, buffer.count, 0) }) > 0 {}
    }

    /// Waits for a connection that a signal has interrupted, as libFuzzer's timer does; returns false for any other failure.
    private static func goesOnConnecting(_ descriptor: Int32) -> Bool {
        guard errno == EINTR else { return false }
        var awaited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return uninterrupted { Int(poll(&awaited, 1, -1)) } == 1
    }

    /// Calls a function of the system until no signal interrupts it.
    private static func uninterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Calls `bind` or `connect` with an address of this machine; returns whether it succeeded.
    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32,
        _ descriptor: Int32,
        _ host: UInt32,
        port: UInt16
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    var seeds: [[UInt8]] {
        [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a%20b/%zz?c=%41+d&e HTTP/1.0\r\n\r\n",
            "POST /verifyReceipt HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n" + String(repeating: "a", count: 30_000),
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\na",
            "GET /" + String(repeating: "a", count: 40_000) + " HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 6_000) + "\r\n",
            "GET /?" + String(repeating: "&", count: 900) + " HTTP/1.1\r\nHost: a\r\n\r\n",
        ].map { Array($0.utf8) }
    }
}
