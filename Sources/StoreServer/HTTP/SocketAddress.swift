import Foundation

/// An address and a port to listen on.
struct SocketAddress {
    private(set) var storage = sockaddr_storage()
    let isIPv6: Bool

    /// Creates an address from its text: an IPv4 or IPv6 address, or `localhost`.
    init(host: String, port: UInt16) throws(StoreServerError) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &four) == 1 {
            isIPv6 = false
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr = four
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            isIPv6 = true
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = six
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
        } else {
            throw StoreServerError("\"\(host)\" is no address to listen on, as 127.0.0.1 or ::1 is one")
        }
    }

    /// Runs a closure with a pointer to the address.
    func withPointer<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
        withUnsafeBytes(of: storage) { body($0.baseAddress!) }
    }
}
