import Foundation
import StoreCore

/// A network between a device and its store that cuts, delays and falls silent, as a seed says.
///
/// It forwards connections on this machine by two threads for each, which end with it.
final class FaultyProxy: Sendable {
    /// What becomes of a connection.
    enum Fate: Hashable, Sendable {
        case passes
        /// It is cut after so many bytes of one direction.
        case isCut(after: Int)
        /// Every piece takes so many milliseconds longer.
        case isSlow(milliseconds: Int)
        /// Nothing passes any more after so many bytes, and nobody is told.
        case fallsSilent(after: Int)
    }

    private struct State {
        var descriptors: Set<Int32> = []
        var random: SplitMix64
        var isOver = false
        var connections = 0
        var cuts = 0
    }

    let port: Int
    private let target: Int
    private let listener: Int32
    private let state: Locked<State>
    private let threads = DispatchGroup()
    private let draw: @Sendable (inout SplitMix64, Int) -> Fate

    /// Listens on a free port of this machine, and forwards to another.
    ///
    /// The body draws the fate of each connection, given its number from 1.
    init(
        to target: Int,
        seed: UInt64 = 0,
        _ draw: @escaping @Sendable (inout SplitMix64, Int) -> Fate = { _, _ in .passes }
    ) throws {
        self.target = target
        self.draw = draw
        state = Locked(State(random: SplitMix64(seed: seed)))
        let listener = StreamSocket.make(AF_INET)
        self.listener = listener
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw CocoaError(.fileNoSuchFile) }
        port = Int(UInt16(bigEndian: address.sin_port))
        threads.enter()
        Thread.detachNewThread { [self] in
            accept()
            threads.leave()
        }
    }

    var url: URL { URL(string: "http://127.0.0.1:\(port)/")! }

    var connections: Int { state.withLock { $0.connections } }

    /// The number of connections that their fate has cut until now.
    var cuts: Int { state.withLock { $0.cuts } }

    func cut() {
        state.withLock { state in for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    /// Stops, and waits for its threads.
    func stop() {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
        threads.wait()
        close(listener)
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = StreamSocket.make(AF_INET)
            var address = Self.address(UInt16(target))
            let isConnected = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            var on: Int32 = 1
            for descriptor in [client, server] {
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            let fate = state.withLock { state -> Fate? in
                guard isConnected, !state.isOver else { return nil }
                state.descriptors.formUnion([client, server])
                state.connections += 1
                return draw(&state.random, state.connections)
            }
            guard let fate else {
                close(client)
                close(server)
                continue
            }
            let pair = DispatchGroup()
            for (from, to) in [(client, server), (server, client)] {
                pair.enter()
                threads.enter()
                Thread.detachNewThread { [self] in
                    forward(from, to, fate)
                    shutdown(client, Int32(SHUT_RDWR))
                    shutdown(server, Int32(SHUT_RDWR))
                    pair.leave()
                    threads.leave()
                }
            }
            threads.enter()
            pair.notify(queue: .global(qos: .userInitiated)) { [self] in
                state.withLock { $0.descriptors.subtract([client, server]) }
                close(client)
                close(server)
                threads.leave()
            }
        }
    }

    private func forward(_ from: Int32, _ to: Int32, _ fate: Fate) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var passed = 0
        var isSilent = false
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            var left = count
            switch fate {
            case .passes: break
            case .isCut(let limit): left = min(count, limit - passed)
            case .isSlow(let milliseconds): usleep(UInt32(milliseconds) * 1000)
            case .fallsSilent(let limit):
                // From then on, shorter pieces do not pass either.
                isSilent = isSilent || passed + count > limit
                if isSilent { continue }
            }
            var sent = 0
            while sent < left {
                let part = buffer[sent..<left].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, StreamSocket.sendFlags)
                }
                guard part > 0 else { return }
                sent += part
            }
            passed += count
            if left < count {
                state.withLock { $0.cuts += 1 }
                return
            }
        }
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
