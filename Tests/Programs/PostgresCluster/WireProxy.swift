import Foundation
import StoreCore

/// A proxy on `127.0.0.1` in front of servers on this machine, which spoils the wire on demand.
///
/// Each connection has two threads, one for each direction; they end with it.
package final class WireProxy: Sendable {
    /// The treatment of bytes on all connections.
    package enum Mode: Sendable {
        case passing
        /// Passes each piece on after a time in seconds.
        case delaying(Double)
        /// Passes requests on, and nothing back: the server works, and nobody hears of it.
        case swallowingAnswers
        /// Passes nothing, and ends no connection: half open.
        case silent
    }

    /// The place where a server listens.
    package enum Target: Sendable {
        /// The path of a Unix socket.
        case socket(String)
        /// A port on `127.0.0.1`.
        case port(Int)
    }

    /// The port to connect to.
    package let port: Int
    private let target: @Sendable () -> Target?
    private let listener: Int32
    private let state = Locked(State())
    /// Signals what is waited for.
    private let condition = NSCondition()

    fileprivate struct State {
        var mode = Mode.passing
        var isOpen = true
        /// What spoils the wire once a request contains it.
        var trigger: (bytes: Data, mode: Mode)?
        var isTriggered = false
        /// The sockets of the connections, in pairs.
        var pairs: [(client: Int32, server: Int32)] = []
    }

    /// Starts a proxy in front of a Unix socket.
    package convenience init(to socketPath: String) throws { try self.init { .socket(socketPath) } }

    /// Starts a proxy in front of changing servers: the body returns that of a new connection, nil to refuse it.
    package init(_ target: @escaping @Sendable () -> Target?) throws {
        self.target = target
        let listener = StreamSocket.make(AF_INET)
        var address = sockaddr_in(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw ClusterError(line: "the proxy cannot listen") }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [weak self] in
            while let client = Self.accept(listener), let self { self.join(client) }
            Foundation.close(listener)
        }.start()
    }

    deinit { end() }

    /// The treatment of bytes.
    package var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    /// The number of connections.
    package var connections: Int { state.withLock { $0.pairs.count } }

    /// Waits until there is no connection.
    package func waitUntilUnused() { condition.withLock { while connections > 0 { condition.wait() } } }

    /// Changes the mode as soon as a piece of a request contains some text, and treats that piece so too.
    package func change(to mode: Mode, atRequestWith text: String) {
        state.withLock { $0.trigger = (Data(text.utf8), mode) }
    }

    /// Whether a request has changed the mode.
    package var isTriggered: Bool { state.withLock { $0.isTriggered } }

    /// Waits until a request has changed the mode.
    package func waitUntilTriggered() { condition.withLock { while !isTriggered { condition.wait() } } }

    /// Cuts all connections, at both ends.
    package func cut() { state.withLock { $0.shutAll() } }

    /// Stops listening, and cuts all connections.
    package func end() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            state.shutAll()
            // Wakes the thread that accepts.
            shutdown(listener, Int32(SHUT_RDWR))
        }
    }

    /// Waits for the next client; nil once the socket listens no more.
    private static func accept(_ listener: Int32) -> Int32? {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            if client >= 0 { return client }
            switch errno {
            case EINTR, ECONNABORTED: continue
            // Until something is closed.
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(10_000)
            default: return nil
            }
        }
    }

    private func join(_ client: Int32) {
        guard let server = connected() else {
            Foundation.close(client)
            return
        }
        let isOpen = state.withLock { state in
            if state.isOpen { state.pairs.append((client, server)) }
            return state.isOpen
        }
        guard isOpen else { return closeBoth(client, server) }
        let left = Locked(2)
        for (source, sink, isAnswer) in [(client, server, false), (server, client, true)] {
            // A strong reference, until the connection ends.
            Thread { [self] in
                pump(source, sink, isAnswer: isAnswer)
                shutdown(source, Int32(SHUT_RDWR))
                shutdown(sink, Int32(SHUT_RDWR))
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { forget(client, server) }
            }.start()
        }
    }

    private func pump(_ source: Int32, _ sink: Int32, isAnswer: Bool) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            if !isAnswer { change(atRequest: buffer[..<count]) }
            switch mode {
            case .passing: break
            case .delaying(let seconds): Thread.sleep(forTimeInterval: seconds)
            case .swallowingAnswers where !isAnswer: break
            case .swallowingAnswers, .silent: continue
            }
            var sent = 0
            while sent < count {
                let part = buffer.withUnsafeBytes {
                    send(sink, $0.baseAddress! + sent, count - sent, StreamSocket.sendFlags)
                }
                guard part > 0 else { return }
                sent += part
            }
        }
    }

    private func change(atRequest bytes: ArraySlice<UInt8>) {
        let isTriggered = state.withLock { state in
            guard let trigger = state.trigger, Data(bytes).range(of: trigger.bytes) != nil else { return false }
            (state.mode, state.trigger, state.isTriggered) = (trigger.mode, nil, true)
            return true
        }
        if isTriggered { condition.withLock { condition.broadcast() } }
    }

    private func connected() -> Int32? {
        guard let target = target() else { return nil }
        let (family, isConnected) =
            switch target {
            case .socket(let path): (AF_UNIX, Self.connect(sockaddr_un(path)))
            case .port(let port): (AF_INET, Self.connect(sockaddr_in(port)))
            }
        let server = StreamSocket.make(family)
        if isConnected(server) { return server }
        Foundation.close(server)
        return nil
    }

    /// Returns a function that connects a socket to an address.
    private static func connect<Address>(_ address: Address) -> (Int32) -> Bool {
        { socket in
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.connect(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
                }
            }
        }
    }

    private func closeBoth(_ client: Int32, _ server: Int32) {
        Foundation.close(client)
        Foundation.close(server)
    }

    private func forget(_ client: Int32, _ server: Int32) {
        state.withLock { $0.pairs.removeAll { $0.client == client } }
        condition.withLock { condition.broadcast() }
        closeBoth(client, server)
    }
}

extension WireProxy.State {
    func shutAll() {
        for pair in pairs {
            shutdown(pair.client, Int32(SHUT_RDWR))
            shutdown(pair.server, Int32(SHUT_RDWR))
        }
    }
}

extension sockaddr_in {
    /// A port on `127.0.0.1`; 0 for any that is free.
    fileprivate init(_ port: Int) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = UInt16(port).bigEndian
        sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    }
}

extension sockaddr_un {
    /// A Unix socket's path.
    fileprivate init(_ path: String) {
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: path.utf8) }
    }
}
