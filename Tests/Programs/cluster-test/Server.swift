import Foundation
import StoreCore
import StoreServer

/// A process that serves the store to devices elsewhere, and adds an account now and then, as its operator does.
final class Server: Sendable {
    let store: SandboxStore
    private let role: Role
    private let server: StoreServer
    private let queue = DispatchQueue(label: "cluster-test.server")
    private let random: Locked<SplitMix64>
    private let count = Locked(0)

    /// Opens the store, as often as it takes.
    init(_ role: Role) throws {
        self.role = role
        random = Locked(SplitMix64(seed: role.seed))
        let database = try Shop.connect(role.place, log: .standardError)
        let store = try Shop.open(database, lead: role.lead)
        var configuration = StoreServer.Configuration()
        configuration.heartbeat = 0.5
        server = try Shop.insist { [configuration] in try StoreServer(store, configuration: configuration) }
        self.store = store
    }

    /// Serves as long as it is kept.
    func run() {
        Role.say(.serving(port: server.port))
        if role.kind == .server { hireLater() }
    }

    private func hireLater() {
        let milliseconds = random.withLock { Int.random(in: 100...600, using: &$0) }
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in
            hire()
            hireLater()
        }
    }

    private func hire() {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let account = "\(role.name).\(getpid()).\(number).\(UInt32.random(in: 0 ... .max))"
        Role.say(.hiring(account))
        // An error says that it was not added or that nobody knows.
        guard (try? store.addAccount(account)) != nil else { return }
        Role.say(.hired(account))
    }
}
