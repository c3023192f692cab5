import Foundation
import PostgresCluster
import StoreCore
import StorePostgres

/// The database that all runs of this process use.
final class SimulatorDatabase: Sendable {
    /// The server that was started, which lives as long as this.
    private let cluster: PostgresCluster?
    private let settings: String
    /// The connection that removes what runs leave.
    private let remover: PostgresDatabase

    static let shared = Result { try SimulatorDatabase() }

    private init() throws {
        let environment = ProcessInfo.processInfo.environment
        let names = ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"]
        // A server that nobody could use is not started.
        let isNamed = !Postgres.isAvailable || names.contains { environment[$0, default: ""] != "" }
        // No machine loses power.
        cluster = isNamed ? nil : try PostgresCluster(settings: ["fsync": "off", "synchronous_commit": "off"])
        settings = cluster?.settings ?? ""
        remover = try Self.open(settings)
    }

    /// Connects as a process does.
    func open() throws -> PostgresDatabase { try Self.open(settings) }

    private static func open(_ settings: String) throws -> PostgresDatabase {
        var options = PostgresDatabase.Options()
        options.schema = "storecore_simulator"
        // A server that a busy machine holds up is not lost.
        options.responseTime = 60
        return try PostgresDatabase(settings, options: options, log: .silent)
    }

    /// Removes a machine's store and journal.
    func remove(_ name: String) throws {
        try remover.removeStore(name)
        try remover.removeJournal(name)
    }
}
