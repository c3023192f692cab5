import Foundation

/// Stream sockets, which C libraries declare in different ways.
package enum StreamSocket {
    /// The type of such a socket, for `socket` and `addrinfo`.
    package static var type: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    /// The flags of `send` by which a connection that the peer has closed is an error, rather than a signal that ends
    /// the process.
    ///
    /// On Apple's platforms, the socket itself has that setting: see ``ignoreSignals(of:)``.
    package static var sendFlags: Int32 {
        #if canImport(Darwin)
            0
        #else
            // MSG_NOSIGNAL, a name that Swift finds beside some other headers only.
            0x4000
        #endif
    }

    /// Makes a socket.
    ///
    /// - Parameter family: the family of its addresses, such as `AF_INET`.
    /// - Returns: the descriptor; -1 if the system refuses.
    package static func make(_ family: Int32) -> Int32 {
        let descriptor = socket(family, type, 0)
        ignoreSignals(of: descriptor)
        return descriptor
    }

    /// Lets `send` return an error where it would signal that the peer has closed the connection; see ``sendFlags``.
    package static func ignoreSignals(of descriptor: Int32) {
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}
