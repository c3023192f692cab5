import Foundation
import PostgresCluster
import StoreCore
import StorePostgres

/// The processes of a run, and what they say.
final class Stage: Sendable {
    /// The folder of journals, messages and logs.
    let folder: URL
    private let isKept: Bool
    private let heard: Locked<Heard>
    private let children = Locked<[String: Child]>([:])
    private let random: Locked<SplitMix64>
    private let condition = NSCondition()
    private let signals: Locked<[any DispatchSourceSignal]>

    private struct Heard {
        var told: [String: Told] = [:]
        var hired: Set<String> = []
        var launches = 0
        /// The purchases that were told since ``Stage/beginCount()``, by client.
        var sales: [String: Int] = [:]
    }

    init(_ options: Options) throws {
        folder =
            options.folder
            ?? FileManager.default.temporaryDirectory.appending(path: "cluster-test-\(UUID().uuidString.prefix(8))")
        isKept = options.folder != nil
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Processes and clusters end with this one, in whatever way: the folder is all that would be left.
        let sources = [SIGINT, SIGTERM].map { [folder, isKept] number in
            signal(number) { _ in }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if !isKept { try? FileManager.default.removeItem(at: folder) }
                exit(128 + number)
            }
            source.resume()
            return source
        }
        signals = Locked(sources)
        random = Locked(SplitMix64(seed: options.seed ^ 0x5EED))
        let clients = (0..<options.clients).map { "client-\($0)" }
        heard = Locked(Heard(told: Dictionary(uniqueKeysWithValues: clients.map { ($0, Told(client: $0)) })))
    }

    /// Ends all processes and removes the folder.
    func end() {
        for child in children.withLock({ Array($0.values) }) { child.kill() }
        if !isKept { try? FileManager.default.removeItem(at: folder) }
    }

    /// Prints the last lines of each process's log.
    func reportLogs() {
        for (name, _) in children.withLock({ $0.sorted { $0.key < $1.key } }) {
            let log = try? String(contentsOf: folder.appending(path: "\(name).log"), encoding: .utf8)
            for line in (log ?? "").split(separator: "\n").suffix(3) { ClusterTest.report("  \(name): \(line)") }
        }
    }

    /// What the apps were told.
    var told: [Told] { heard.withLock { $0.told.values.sorted { $0.client < $1.client } } }
    /// The accounts that servers were told to have added.
    var hired: Set<String> { heard.withLock { $0.hired } }
    /// The number of processes that were started.
    var launches: Int { heard.withLock { $0.launches } }

    /// Gives each client a device of its own.
    func addDevices(_ database: PostgresDatabase) throws {
        let store = try Shop.open(database, minutes: 0)
        for told in told { _ = try store.addDevice(told.client, signedInTo: store.addAccount(told.client)) }
    }

    func child(_ name: String) -> Child? { children.withLock { $0[name] } }

    /// Starts a process, in place of an earlier one of its name, which is killed.
    @discardableResult
    func launch(_ kind: Role.Kind, _ name: String, settings: String) throws -> Child {
        child(name)?.kill()
        let seed = random.withLock { $0.next() }
        heard.withLock {
            $0.launches += 1
            $0.told[name]?.launch()
        }
        // Each name has a clock of its own, minutes ahead of the last one's.
        let minutes = name.utf8.reduce(0) { ($0 * 5 + Int($1)) % 11 }
        let role = Role(
            kind,
            name,
            settings: settings,
            minutes: minutes,
            seed: seed,
            journal: folder.appending(path: "\(name).journal")
        )
        let child = try Child(role, folder: folder) { [weak self] in self?.hear(name, $0) }
        children.withLock { $0[name] = child }
        return child
    }

    private func hear(_ name: String, _ message: Message) {
        heard.withLock { heard in
            heard.told[name]?.take(message)
            if case .hired(let account) = message { heard.hired.insert(account) }
            if case .purchased = message { heard.sales[name, default: 0] += 1 }
        }
        condition.withLock { condition.broadcast() }
    }

    /// Counts purchases from now on.
    func beginCount() { heard.withLock { $0.sales = [:] } }

    /// Waits until each client has been told so many purchases since ``beginCount()``.
    func waitForSales(_ count: Int, seconds: Double = 120) throws {
        let end = Date(timeIntervalSinceNow: seconds)
        try condition.withLock {
            while true {
                let least = heard.withLock { heard in heard.told.keys.map { heard.sales[$0] ?? 0 }.min() ?? 0 }
                if least >= count { return }
                guard condition.wait(until: end) else {
                    throw Contradiction("a client has not sold \(count) times in \(Int(seconds)) s")
                }
            }
        }
    }

    /// Relaunches all clients, and lets them finish everything.
    func settle(_ settings: (String) -> String) throws {
        let clients = told.map(\.client)
        for name in clients { try launch(.settling, name, settings: settings(name)) }
        for name in clients { try child(name)?.wait { $0 == .settled } }
    }

    /// Returns the state of every process's store.
    func states() throws -> [(name: String, text: String)] {
        let all = children.withLock { $0.sorted { $0.key < $1.key } }
        return try all.map { name, child in
            let file = folder.appending(path: "\(name).state")
            try child.send(.write(to: file))
            try child.wait { message in
                if case .refused = message { return true }
                return message == .wrote
            }
            return (name, try String(contentsOf: file, encoding: .utf8))
        }
    }
}
