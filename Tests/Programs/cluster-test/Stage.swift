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
    /// The wires of apps, by client: each connection goes to any server that serves.
    let wires: [String: WireProxy]

    private struct Heard {
        var told: [String: Told] = [:]
        /// The times at which a server was about to add an account, and was told that it is added.
        var hired: [String: (asked: UInt64, known: UInt64?)] = [:]
        /// The ports at which servers serve, by name.
        var ports: [String: Int] = [:]
        var tokens: [String: String] = [:]
        var launches = 0
        /// The processes that ended without being killed.
        var ended: [String] = []
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
        let heard = Locked(Heard(told: Dictionary(uniqueKeysWithValues: clients.map { ($0, Told(client: $0)) })))
        self.heard = heard
        wires = Dictionary(
            uniqueKeysWithValues: try clients.map { client in
                (client, try WireProxy { heard.withLock { $0.ports.values.randomElement() }.map { .port($0) } })
            }
        )
    }

    /// Ends all processes and removes the folder.
    func end() {
        for child in children.withLock({ Array($0.values) }) { child.kill() }
        for wire in wires.values { wire.end() }
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
    /// The number of processes that were started.
    var launches: Int { heard.withLock { $0.launches } }

    /// Gives each client a device of its own, with a token.
    func addDevices(_ database: PostgresDatabase) throws {
        let store = try Shop.open(database, lead: 0)
        for told in told {
            let device = try store.addDevice(told.client, signedInTo: store.addAccount(told.client))
            let token = try device.makeToken()
            heard.withLock { $0.tokens[told.client] = token.text }
        }
    }

    func child(_ name: String) -> Child? { children.withLock { $0[name] } }

    /// Kills a process, and notes if it had ended by itself.
    func kill(_ name: String) {
        let child = child(name)
        let hasEnded = child?.hasEndedByItself ?? false
        heard.withLock { heard in
            heard.ports[name] = nil
            if hasEnded { heard.ended.append(name) }
        }
        child?.kill()
    }

    /// Starts a process, in place of an earlier one of its name, which is killed; a server with the settings of its connection to
    /// the database.
    @discardableResult
    func launch(_ kind: Role.Kind, _ name: String, settings: String = "") throws -> Child {
        kill(name)
        let seed = random.withLock { $0.next() }
        let token = heard.withLock { heard in
            heard.launches += 1
            heard.told[name]?.launch()
            return heard.tokens[name]
        }
        let role = Role(
            kind,
            name,
            at: wires[name].map { "http://127.0.0.1:\($0.port)/" } ?? settings,
            token: token,
            lead: Role.lead(of: name),
            seed: seed,
            journal: folder.appending(path: "\(name).journal")
        )
        let child = try Child(role, folder: folder) { [weak self] in self?.hear(name, $0) }
        children.withLock { $0[name] = child }
        return child
    }

    private func hear(_ name: String, _ said: StampedMessage) {
        heard.withLock { heard in
            heard.told[name]?.take(said)
            switch said.message {
            case .hiring(let account): heard.hired[account] = (said.time, nil)
            case .hired(let account): heard.hired[account]?.known = said.time
            case .serving(let port): heard.ports[name] = port
            case .purchased: heard.sales[name, default: 0] += 1
            default: break
            }
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

    /// Relaunches all clients, lets them finish everything, and ends all subscriptions.
    func settle(_ database: PostgresDatabase) throws {
        try settleClients()
        // No journal has an order any more that would begin one again.
        try Shop.endSubscriptions(database)
        // What was renewed in the end is finished too.
        try settleClients()
    }

    private func settleClients() throws {
        let clients = told.map(\.client)
        for name in clients { try launch(.settling, name) }
        for name in clients { try child(name)?.wait { $0 == .settled } }
    }

    /// Opens the store in other processes, which do nothing, and returns what contradicts the ledger, once all is settled.
    func contradictions(_ facts: LedgerFacts, servers: [String], settings: (String) -> String) throws -> [String] {
        let told = told
        let (hired, ended) = heard.withLock { ($0.hired, $0.ended) }
        var lines = told.flatMap(\.contradictions) + (try facts.contradictions(told))
        lines += OrderOfEvents(facts).contradictions(told, accounts: hired) + facts.wrongDates
        lines += ended.map { "\($0) has ended by itself" }
        for (account, times) in hired where times.known != nil && facts.places.accounts[account] == nil {
            lines.append("the account \(account) was added, and the ledger lacks it")
        }
        if facts.renewals == 0 { lines.append("nothing was renewed") }
        if !facts.clocksDiffer, servers.count > 1 { lines.append("the clocks of processes did not differ") }
        for name in servers {
            let child = try launch(.watching, name, settings: settings(name))
            try child.wait { $0.isServing }
            let file = folder.appending(path: "\(name).state")
            try child.send(.write(to: file))
            if case .refused(let code) = try child.wait(for: { $0.isRefusal || $0 == .wrote }) {
                lines.append("\(name) could not write what it has: \(code)")
                continue
            }
            if try String(contentsOf: file, encoding: .utf8) != facts.text {
                lines.append("\(name) differs from the ledger's records, folded from the first one")
            }
        }
        return lines
    }
}
