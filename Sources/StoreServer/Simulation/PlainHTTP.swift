import Foundation
import StoreCore

/// A client of HTTP that makes one request for each connection and blocks its thread.
///
/// URLSession is not used, since it may repeat a request, and tells nobody when.
struct PlainHTTP {
    /// A response.
    struct Response: Hashable {
        let status: Int
        let body: Data
    }

    /// The reason for which there is no response.
    enum Failure: Error, Hashable {
        /// Nothing accepts connections at the address.
        case refused
        /// The connection ended before the response was complete.
        case dropped
        /// There was no response within the time limit.
        case timedOut
        /// The response was not HTTP.
        case invalid
    }

    let host: String
    let port: UInt16
    /// The seconds to wait for the response.
    let patience: Int

    /// Sends a request, and returns the response.
    func send(_ method: String, _ target: String, headers: [(String, String)], body: Data?) throws(Failure) -> Response
    {
        let descriptor = try connected()
        defer { close(descriptor) }
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        try write(Data((head + "\r\n").utf8) + (body ?? Data()), to: descriptor)
        return try read(from: descriptor)
    }

    /// Whether something accepts connections at the address.
    var accepts: Bool {
        guard let descriptor = try? connected() else { return false }
        close(descriptor)
        return true
    }

    private func connected() throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = StreamSocket.type
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let first = list else { throw .refused }
        defer { freeaddrinfo(first) }
        var next = list
        while let address = next?.pointee {
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                var time = timeval(tv_sec: patience, tv_usec: 0)
                let length = socklen_t(MemoryLayout<timeval>.size)
                setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, length)
                setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, length)
                StreamSocket.ignoreSignals(of: descriptor)
                if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
                close(descriptor)
            }
            next = address.ai_next
        }
        throw .refused
    }

    private func write(_ data: Data, to descriptor: Int32) throws(Failure) {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, StreamSocket.sendFlags)
            }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { throw errno == EAGAIN ? .timedOut : .dropped }
            rest = rest.dropFirst(count)
        }
    }

    private func read(from descriptor: Int32) throws(Failure) -> Response {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let end = ContinuousClock.now + .seconds(patience)
        while true {
            if let response = try Self.response(bytes, isComplete: false) { return response }
            if ContinuousClock.now > end { throw .timedOut }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw errno == EAGAIN || errno == EWOULDBLOCK ? .timedOut : .dropped }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        guard let response = try Self.response(bytes, isComplete: true) else { throw .dropped }
        return response
    }

    /// Returns the response in bytes; nil while bytes are missing.
    static func response(_ bytes: [UInt8], isComplete: Bool) throws(Failure) -> Response? {
        let data = Data(bytes)
        guard let end = data.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { throw .invalid }
        let body = data[end.upperBound...]
        if status / 100 == 1 { return try response(Array(body), isComplete: isComplete) }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw .invalid }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        if headers["transfer-encoding"]?.lowercased() == "chunked" {
            return try unchunked(body).map { Response(status: status, body: $0) }
        }
        if status == 204 || status == 304 { return Response(status: status, body: Data()) }
        guard let length = headers["content-length"] else {
            return isComplete ? Response(status: status, body: Data(body)) : nil
        }
        guard let length = Int(length), length >= 0 else { throw .invalid }
        return body.count >= length ? Response(status: status, body: Data(body.prefix(length))) : nil
    }

    private static func unchunked(_ data: Data) throws(Failure) -> Data? {
        var (rest, whole) = (data, Data())
        while true {
            guard let end = rest.range(of: Data("\r\n".utf8)) else { return nil }
            let word = String(decoding: rest[..<end.lowerBound], as: UTF8.self).prefix { $0 != ";" }
            guard let count = Int(word.trimmingCharacters(in: .whitespaces), radix: 16), count >= 0 else {
                throw .invalid
            }
            rest = rest[end.upperBound...]
            if count == 0 { return whole }
            guard rest.count >= count + 2 else { return nil }
            whole += rest.prefix(count)
            rest = rest.dropFirst(count + 2)
        }
    }
}
