import Foundation
import StoreCore

/// A server that takes connections, and neither reads nor answers.
final class SilentServer: Sendable {
    let port: Int
    private let descriptor: Int32

    struct Failure: Error {}

    init() throws {
        descriptor = StreamSocket.make(AF_INET)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else { throw Failure() }
    }

    deinit { close(descriptor) }
}
