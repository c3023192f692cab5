import Foundation
import PostgresCluster
import StoreCore
import StorePostgres

/// A run in which the server dies while apps buy, and its standby takes its place.
final class FailoverRunner {
    private let options: Options
    private let kind: Options.Failover
    private let primary: PostgresCluster
    private let standby: PostgresCluster
    private let stage: Stage

    /// The sales of each client before something happens, and again after it.
    private static let sales = 10

    init(_ options: Options, _ kind: Options.Failover) throws {
        self.options = options
        self.kind = kind
        primary = try PostgresCluster()
        standby = try primary.makeStandby(name: "second")
        stage = try Stage(options)
    }

    private var servers: [String] { (0..<options.servers).map { "server-\($0)" } }
    private var clients: [String] { (0..<options.clients).map { "client-\($0)" } }
    private var settings: String {
        "host=\(primary.folder.path),\(standby.folder.path) dbname=postgres user=storecore target_session_attrs=read-write"
    }

    func run() throws { do { try perform() } catch { throw Contradiction("\(error) (seed \(options.seed))") } }

    private func perform() throws {
        var isRight = false
        defer {
            if !isRight { stage.reportLogs() }
            stage.end()
            standby.remove()
            primary.remove()
        }
        if kind == .synchronous { try primary.value(of: "ALTER SYSTEM SET synchronous_standby_names = 'second'") }
        do {
            let database = try Shop.connect(settings, noticesFaults: false, log: .silent)
            try stage.addDevices(database)
            database.close()
        }
        for name in servers { try stage.launch(.server, name, settings: settings) }
        for name in clients { try stage.launch(.selling, name) }
        try stage.waitForSales(Self.sales)
        switch kind {
        case .synchronous: try promoteSynchronous()
        case .asynchronous: try promoteAsynchronous()
        }
        isRight = true
    }

    private func promoteSynchronous() throws {
        try primary.stop(immediately: true)
        try standby.promote()
        stage.beginCount()
        try stage.waitForSales(Self.sales)
        do {
            let database = try Shop.connect(settings, noticesFaults: false, log: .silent)
            try stage.settle(database)
            database.close()
        }
        for name in servers { stage.kill(name) }
        let facts = try facts()
        let failures = try stage.contradictions(facts, servers: servers) { _ in settings }
        let told = stage.told.reduce(0) { $0 + $1.transactions.count }
        for failure in failures.prefix(50) { ClusterTest.report("  \(failure)") }
        ClusterTest.report(
            "failover to a synchronous standby: \(told) purchases acknowledged, \(missing(facts)) missing, \(failures.count) failed (seed \(options.seed))"
        )
        if !failures.isEmpty { throw Contradiction("\(failures.count) failed") }
    }

    private func facts() throws -> LedgerFacts {
        try LedgerFacts(Shop.connect(standby.settings, noticesFaults: false, log: .silent), standby)
    }

    private func missing(_ facts: LedgerFacts) -> Int { stage.told.reduce(0) { $0 + facts.missing($1).count } }

    private func promoteAsynchronous() throws {
        // The standby hears nothing more: what is sold from now on is lost for certain.
        try standby.value(of: "ALTER SYSTEM SET primary_conninfo = ''")
        while try primary.value(of: "SELECT count(*) FROM pg_stat_replication") != "0" {
            Thread.sleep(forTimeInterval: 0.05)
        }
        stage.beginCount()
        try stage.waitForSales(Self.sales)
        try primary.stop(immediately: true)
        try standby.promote()

        // No server may sell on what it knows: its ledger is gone.
        var failures: [String] = []
        for name in servers {
            let child = stage.child(name)
            try child?.send(.change)
            let answer = try child?.wait { $0.isRefusal || $0 == .accepted }
            if answer != .refused("recordsLost") {
                failures.append("\(name) was to refuse with recordsLost: \(answer.map { "\($0)" } ?? "it is gone")")
            }
        }
        for name in servers { stage.kill(name) }
        let lost = missing(try facts())
        let least = options.clients * Self.sales
        if lost < least { failures.append("\(lost) purchases are missing, and \(least) were to be") }

        // Opened again, it sells, to apps that are launched again: a cursor may name a record that is gone.
        for name in servers { try stage.launch(.server, name, settings: settings) }
        for name in clients { try stage.launch(.selling, name) }
        stage.beginCount()
        try stage.waitForSales(1)
        let told = stage.told.reduce(0) { $0 + $1.transactions.count }
        for failure in failures.prefix(50) { ClusterTest.report("  \(failure)") }
        ClusterTest.report(
            "failover to an asynchronous standby: \(told) purchases acknowledged, \(lost) missing, all \(options.servers) servers refuse until they are opened again, \(failures.count) failed (seed \(options.seed))"
        )
        if !failures.isEmpty { throw Contradiction("\(failures.count) failed") }
    }
}
