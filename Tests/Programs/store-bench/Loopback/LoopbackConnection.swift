#if canImport(CMicroHTTPD) && canImport(CLibcrypto)
    import Foundation
    import StoreCore

    /// A connection to a server of this machine that stays open from one request to the next: sockets and nothing else.
    final class LoopbackConnection {
        private let descriptor: Int32
        private var buffer = [UInt8](repeating: 0, count: 1 << 18)

        /// A server that cannot be reached, or that answers something else than an answer.
        struct Broken: Error, CustomStringConvertible {
            let description: String
        }

        init(port: Int) throws {
            descriptor = StreamSocket.make(AF_INET)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
            }
            // A server that does not answer ends the figure, and does not hang it.
            var patience = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            guard isConnected else { throw Broken(description: "there is no connection to port \(port)") }
        }

        deinit { close(descriptor) }

        func send(_ request: [UInt8]) throws {
            var sent = 0
            while sent < request.count {
                let count = request.withUnsafeBytes { bytes in
                    Foundation.send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, StreamSocket.sendFlags)
                }
                guard count > 0 else { throw Broken(description: "the server takes no request") }
                sent += count
            }
        }

        /// Reads the answer to one request, and returns its body.
        func readAnswer() throws -> ArraySlice<UInt8> {
            var count = try read(behind: 0)
            var body: Range<Int>?
            while true {
                body = body ?? Self.body(in: buffer[..<count])
                if let body, body.upperBound <= count { return buffer[body] }
                if let body, body.upperBound > buffer.count {
                    buffer += [UInt8](repeating: 0, count: body.upperBound - buffer.count)
                }
                count += try read(behind: count)
            }
        }

        private func read(behind place: Int) throws -> Int {
            let count = buffer.withUnsafeMutableBytes { buffer in
                recv(descriptor, buffer.baseAddress! + place, buffer.count - place, 0)
            }
            guard count > 0 else { throw Broken(description: "the server answers nothing") }
            return count
        }

        /// Returns the place of the body of an answer of success, once its headers have come; one without a length is
        /// empty.
        ///
        /// Read byte by byte: what the client takes is in the figure and in its floor.
        private static func body(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
            guard bytes.starts(with: "HTTP/1.1 2".utf8) else { return nil }
            var length = 0
            var rest = bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[..<end].dropLast()
                rest = rest[(end + 1)...]
                if line.isEmpty { return rest.startIndex..<(rest.startIndex + length) }
                guard line.starts(with: lengthName) else { continue }
                length = line.dropFirst(lengthName.count).reduce(0) { $0 * 10 + Int($1) - 48 }
            }
            return nil
        }

        private static let lengthName = Array("Content-Length: ".utf8)
    }
#endif
