import Foundation
import StoreCore
import StoreServer

/// A client that writes bytes to a socket, and reads what comes back.
final class Client {
    private let descriptor: Int32
    private var hasEnded = false

    struct Failure: Error {}

    /// Connects to a port of this machine, from one of its addresses, and sends a text.
    init(port: Int, from source: UInt32 = 0x7f00_0001, sending text: String = "") throws {
        descriptor = StreamSocket.make(AF_INET)
        let isConnected =
            Self.call(bind, descriptor, source, port: 0) && Self.call(connect, descriptor, 0x7f00_0001, port: port)
        // A server that does not answer fails the test, and does not hang it.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard isConnected else { throw Failure() }
        send(text)
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ descriptor: Int32,
        _ address: UInt32,
        port: Int
    ) -> Bool {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(port).bigEndian
        name.sin_addr.s_addr = address.bigEndian
        return withUnsafePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    deinit { close(descriptor) }

    /// Sends bytes; a server that has closed the connection takes none.
    @discardableResult
    func send(_ bytes: some Sequence<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { bytes in
                Foundation.send(descriptor, bytes.baseAddress, bytes.count, StreamSocket.sendFlags)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(text.utf8) }

    /// Ends what is sent; answers still come.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Returns what comes until the server closes the connection.
    func readToEnd() -> String {
        var text: [UInt8] = []
        while let part = read() { text += part }
        return String(decoding: text, as: UTF8.self)
    }

    /// Waits until the server closes the connection; false if it goes on for a minute.
    func waitForEnd() -> Bool {
        while read() != nil {}
        return hasEnded
    }

    /// Reads until what has come ends with a text; false if the server closes the connection before.
    func read(until end: String) -> Bool {
        var text = ""
        while let part = read() {
            text += String(decoding: part, as: UTF8.self)
            if text.hasSuffix(end) { return true }
        }
        return false
    }

    /// Returns one answer whose body has a length; nil if there is none.
    func readAnswer() -> (status: Int, body: String)? {
        var text: [UInt8] = []
        while true {
            if let answer = Self.answer(in: text) { return answer }
            guard let part = read() else { return nil }
            text += part
        }
    }

    private static func answer(in bytes: [UInt8]) -> (status: Int, body: String)? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        let body = text[end.upperBound...]
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            body.utf8.count >= length ?? 0
        else { return nil }
        return (status, String(body))
    }

    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        hasEnded = count == 0 || count < 0 && errno == ECONNRESET
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}

extension HTTPServer {
    func client(_ text: String = "") throws -> Client { try Client(port: Int(port), sending: text) }
}

/// Sends a request on a connection of its own, and returns the answer.
func ask(_ server: HTTPServer, _ text: String) throws -> (status: Int, body: String)? {
    try Client(port: Int(server.port), sending: text).readAnswer()
}
