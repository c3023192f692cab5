import Foundation
import StoreCore

/// A process that keeps a store open and adds an account now and then, as its operator does.
final class Server: Sendable {
    private let name: String
    private let store: SandboxStore
    private let queue = DispatchQueue(label: "cluster-test.server")
    private let random: Locked<SplitMix64>
    private let count = Locked(0)

    init(_ role: Role, _ store: SandboxStore) {
        name = role.name
        self.store = store
        random = Locked(SplitMix64(seed: role.seed))
    }

    func run() {
        let milliseconds = random.withLock { Int.random(in: 100...600, using: &$0) }
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in
            hire()
            run()
        }
    }

    private func hire() {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let account = "\(name).\(getpid()).\(number).\(UInt32.random(in: 0 ... .max))"
        // An error says that it was not added or that nobody knows.
        guard (try? store.addAccount(account)) != nil else { return }
        Role.say(.hired(account))
    }
}
