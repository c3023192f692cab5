import Foundation
import PostgresCluster
import StoreCore
import StorePostgres

/// A run in which faults come by a seed for some time, end, and everything is checked.
final class ClusterRunner {
    private let options: Options
    private let cluster: PostgresCluster
    private let stage: Stage
    private var random: SplitMix64
    /// The wires of servers to the database, and of apps to servers.
    private var wires: [String: WireProxy]
    private var counts: [Fault: Int] = [:]

    init(_ options: Options) throws {
        self.options = options
        random = SplitMix64(seed: options.seed)
        cluster = try PostgresCluster()
        stage = try Stage(options)
        wires = stage.wires
    }

    private var servers: [String] { (0..<options.servers).map { "server-\($0)" } }
    private var clients: [String] { (0..<options.clients).map { "client-\($0)" } }

    func run() throws { do { try perform() } catch { throw Contradiction("\(error) (seed \(options.seed))") } }

    private func perform() throws {
        ClusterTest.report("cluster: seed \(options.seed), \(options.servers) servers, \(options.clients) clients")
        var isRight = false
        defer {
            if !isRight { stage.reportLogs() }
            stage.end()
            for wire in wires.values { wire.end() }
            cluster.remove()
        }
        let database = try Shop.connect(cluster.settings, noticesFaults: false, log: .silent)
        try stage.addDevices(database)
        for name in servers { wires[name] = try WireProxy(to: cluster.socketPath) }
        for name in servers + clients { try launch(name) }
        try breakThings()
        // What a fault has stopped for good shows before everything is launched anew.
        stage.beginCount()
        try stage.waitForSales(3)
        try relaunch(database)
        // Servers go on adding accounts until they are killed.
        for name in servers { stage.kill(name) }
        let facts = try LedgerFacts(database, cluster)
        var failures = try stage.contradictions(facts, servers: servers, settings: settings)
        let told = stage.told
        let sold = told.reduce(0) { $0 + $1.transactions.count }
        if sold == 0 { failures.append("nothing was sold") }
        let faults = Fault.allCases.map { "\(counts[$0, default: 0]) \($0.rawValue)" }.joined(separator: ", ")
        for failure in failures.prefix(50) { ClusterTest.report("  \(failure)") }
        ClusterTest.report(
            "cluster: \(sold) sold, \(facts.renewals) renewed in \(facts.turns + 1) turns of servers, \(told.reduce(0) { $0 + $1.removals }) finished, \(counts.values.reduce(0, +)) faults (\(faults)), \(failures.count) failed (seed \(options.seed), \(stage.launches) launches)"
        )
        if !failures.isEmpty { throw Contradiction("\(failures.count) failed") }
        isRight = true
    }

    private func settings(_ name: String) -> String {
        "host=127.0.0.1 port=\(wires[name]?.port ?? 0) dbname=postgres user=storecore"
    }

    private func launch(_ name: String) throws {
        try stage.launch(stage.wires[name] == nil ? .server : .selling, name, settings: settings(name))
    }

    // MARK: - Faults

    private func breakThings() throws {
        let end = Date(timeIntervalSinceNow: Double(options.seconds))
        // Each once, however slow the machine is, and then whatever comes.
        var first = Fault.allCases.shuffled(using: &random)
        while end.timeIntervalSinceNow > 0 || !first.isEmpty {
            Thread.sleep(forTimeInterval: Double.random(in: 0.1...1.2, using: &random))
            guard let fault = first.popLast() ?? Fault.allCases.randomElement(using: &random) else { return }
            // A stopped database stops everything: mostly something else is broken.
            if fault == .stopDatabase, counts[fault, default: 0] > 0, Bool.random(using: &random) { continue }
            try inject(fault)
            counts[fault, default: 0] += 1
        }
    }

    private func inject(_ fault: Fault) throws {
        let seconds = Double.random(in: 0...1, using: &random)
        switch fault {
        case .killServer:
            if let name = servers.randomElement(using: &random) { try launch(name) }
        case .killClient:
            if let name = clients.randomElement(using: &random) { try launch(name) }
        case .stopDatabase:
            try cluster.stop(immediately: true)
            Thread.sleep(forTimeInterval: seconds * 2)
            try cluster.start()
        case .cut: for proxy in victims() { proxy.cut() }
        case .delay: spoil(.delaying(0.01 + seconds / 10), for: 1)
        // Longer than a process waits for an answer.
        case .silence: spoil(.silent, for: 2 + seconds * 2)
        // Shorter than that, most often: the connection is cut then, and the write repeated whose answer was lost.
        case .swallow:
            spoil(
                .swallowingAnswers,
                for: Int.random(in: 0..<4, using: &random) == 0 ? seconds * 4 : 0.05 + seconds / 2
            )
        }
    }

    /// Draws some wires, most often few of them, and always one to the database.
    private func victims() -> [WireProxy] {
        let count = Int.random(in: 0...(Bool.random(using: &random) ? 1 : wires.count - 1), using: &random)
        let first = servers.shuffled(using: &random).prefix(1)
        let others = wires.keys.filter { !first.contains($0) }.sorted().shuffled(using: &random).prefix(count)
        return (first + others).compactMap { wires[$0] }
    }

    private func spoil(_ mode: WireProxy.Mode, for seconds: Double) {
        let victims = victims()
        for proxy in victims { proxy.mode = mode }
        Thread.sleep(forTimeInterval: seconds)
        for proxy in victims {
            proxy.mode = .passing
            // What was swallowed is gone: no stream of bytes goes on behind a hole.
            if case .delaying = mode { continue }
            proxy.cut()
        }
    }

    // MARK: - The end

    /// Relaunches everything, and lets the apps finish.
    private func relaunch(_ database: PostgresDatabase) throws {
        for name in servers { try launch(name) }
        for name in servers { try stage.child(name)?.wait { $0.isServing } }
        try stage.settle(database)
    }
}
