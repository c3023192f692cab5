import Foundation
import PostgresCluster
import StoreCore
import StorePostgres

#if canImport(CPostgres)
    import CPostgres
#endif

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

    func run() throws {
        do { try perform() } catch { throw Contradiction("\(error) (seed \(options.seed))") }
    }

    private func perform() throws {
        var isRight = false
        defer {
            if !isRight { stage.reportLogs() }
            stage.end()
            standby.remove()
            primary.remove()
        }
        if kind == .synchronous { try command("ALTER SYSTEM SET synchronous_standby_names = 'second'", on: primary) }
        do {
            let database = try Shop.connect(settings, log: .silent)
            try stage.addDevices(database)
            database.close()
        }
        for name in servers { try stage.launch(.server, name, settings: settings) }
        for name in clients { try stage.launch(.selling, name, settings: settings) }
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
        try stage.settle { _ in settings }
        for name in servers { try stage.launch(.watching, name, settings: settings).wait { $0 == .opened } }
        let facts = try LedgerFacts(Shop.connect(standby.settings, log: .silent))
        let failures = try failures(facts)
        let told = stage.told.reduce(0) { $0 + $1.transactions.count }
        for failure in failures.prefix(50) { ClusterTest.report("  \(failure)") }
        ClusterTest.report(
            "failover to a synchronous standby: \(told) purchases acknowledged, \(missing(facts)) missing, \(failures.count) failed (seed \(options.seed))"
        )
        if !failures.isEmpty { throw Contradiction("\(failures.count) failed") }
    }

    private func failures(_ facts: LedgerFacts) throws -> [String] {
        var failures = stage.told.flatMap { $0.contradictions + facts.contradictions($0) }
        for name in stage.hired.subtracting(facts.accounts).sorted() {
            failures.append("the account \(name) was added, and the ledger lacks it")
        }
        for (name, text) in try stage.states() where text != facts.text {
            failures.append("\(name) differs from the ledger's records, folded from the first one")
        }
        return failures
    }

    private func missing(_ facts: LedgerFacts) -> Int {
        stage.told.reduce(0) { $0 + facts.missing($1).count }
    }

    private func promoteAsynchronous() throws {
        // The standby hears nothing more: what is sold from now on is lost for certain.
        try command("ALTER SYSTEM SET primary_conninfo = ''", on: standby)
        while try command("SELECT count(*) FROM pg_stat_replication", on: primary) != "0" {
            Thread.sleep(forTimeInterval: 0.05)
        }
        stage.beginCount()
        try stage.waitForSales(Self.sales)
        try primary.stop(immediately: true)
        try standby.promote()

        // No process may sell on what it knows: its ledger is gone.
        var failures: [String] = []
        for name in servers + clients {
            let child = stage.child(name)
            try child?.send(.change)
            let answer = try child?.wait { message in
                if case .refused = message { return true }
                return message == .accepted
            }
            if answer != .refused("recordsLost") {
                failures.append("\(name) was to refuse with recordsLost: \(answer?.line ?? "it is gone")")
            }
        }
        for name in servers + clients { stage.child(name)?.kill() }
        let lost = missing(try LedgerFacts(Shop.connect(standby.settings, log: .silent)))
        let least = options.clients * Self.sales
        if lost < least { failures.append("\(lost) purchases are missing, and \(least) were to be") }

        // Opened again, it sells.
        for name in servers { try stage.launch(.server, name, settings: settings) }
        stage.beginCount()
        for name in clients { try stage.launch(.selling, name, settings: settings) }
        try stage.waitForSales(1)
        let told = stage.told.reduce(0) { $0 + $1.transactions.count }
        for failure in failures.prefix(50) { ClusterTest.report("  \(failure)") }
        ClusterTest.report(
            "failover to an asynchronous standby: \(told) purchases acknowledged, \(lost) missing, all \(options.servers + options.clients) processes refuse until they are opened again, \(failures.count) failed (seed \(options.seed))"
        )
        if !failures.isEmpty { throw Contradiction("\(failures.count) failed") }
    }

    /// Runs a statement, has the server read its settings again, and returns the first value.
    @discardableResult
    private func command(_ sql: String, on cluster: PostgresCluster) throws -> String? {
        #if canImport(CPostgres)
            let connection = PQconnectdb(cluster.settings)
            defer { PQfinish(connection) }
            let result = PQexec(connection, sql)
            defer { PQclear(result) }
            guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
                throw Contradiction(String(cString: PQerrorMessage(connection)))
            }
            PQclear(PQexec(connection, "SELECT pg_reload_conf()"))
            return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : nil
        #else
            throw Contradiction(Postgres.advice)
        #endif
    }
}
