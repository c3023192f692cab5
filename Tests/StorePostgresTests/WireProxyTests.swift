import Foundation
import PostgresCluster
import StoreCore
import TestSupport
import Testing

@Suite(.promptly, .timeLimit(.minutes(20))) struct WireProxyTests {
    @Test func `A proxy that has no descriptor left accepts again once there is one`() async {
        await #expect(processExitsWith: .success) {
            let enough = descriptorLimit()
            let isFirst = Locked(true)
            // Refuses each client, which shows that it was accepted. Behind the first, none can be.
            let proxy = try WireProxy {
                let limits = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if limits { limitDescriptors(to: 3) }
                return nil
            }
            let clients = (1...2).map { _ in StreamSocket.make(AF_INET) }
            try #require(join(clients[0], proxy))
            try #require(isRefused(clients[0]))
            let hasJoined = join(clients[1], proxy)
            limitDescriptors(to: enough)
            try #require(hasJoined && isRefused(clients[1]))
        }
    }
}

/// Returns the number of descriptors that this process may have.
private func descriptorLimit() -> rlim_t {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit.rlim_cur
}

private func limitDescriptors(to count: rlim_t) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = count
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

private func join(_ client: Int32, _ proxy: WireProxy) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(proxy.port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) == 0 }
    }
}

/// Returns whether a connection is closed in order.
private func isRefused(_ client: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(client, &byte, 1, 0) == 0
}
