import Foundation
import StoreCore

/// A PostgreSQL server of a test's or a benchmark's own: a cluster in a temporary folder, on a Unix socket there.
///
/// It is stopped and removed when it is released, and also when this process ends in whatever way.
package final class PostgresCluster: Sendable {
    /// The folder with the data, the socket and the server's log.
    package let folder: URL
    private let programs: ServerPrograms
    private let port: Int
    private let password: String?
    private let watchdog: Watchdog

    /// Whether PostgreSQL's server is installed.
    package static var isAvailable: Bool { ServerPrograms.found != nil }

    /// The advice where it is not, in one line.
    package static let advice = "PostgreSQL's server is missing: run `apt install postgresql`"

    /// Makes a cluster and starts it.
    ///
    /// - Parameters:
    ///   - settings: settings of the server, in addition to the usual ones.
    ///   - port: the port on `127.0.0.1` to listen on as well, nil for the socket alone.
    ///   - password: the password that the server asks the role `storecore` for, of letters and digits; nil for a server
    ///     that trusts everybody.
    /// - Throws: ``ClusterError`` where there is no server, or it does not start.
    package convenience init(settings: [String: String] = [:], port: Int? = nil, password: String? = nil) throws {
        try self.init(port: port, password: password) { programs, data in
            var authentication = ["-A", "trust"]
            if let password {
                let file = data.deletingLastPathComponent().appending(path: "password")
                try programs.append(password, to: file)
                authentication = ["-A", "scram-sha-256", "--pwfile", file.path]
            }
            try programs.run(
                "initdb",
                ["-D", data.path, "-U", "storecore", "-E", "UTF8", "--locale=C", "-N", "--no-instructions"]
                    + authentication
            )
            let lines = settings.map { "\($0) = '\($1)'\n" }.sorted().joined()
            try programs.append(
                """
                listen_addresses = '\(port == nil ? "" : "127.0.0.1")'
                max_connections = 400
                max_wal_senders = 4
                wal_level = replica
                hot_standby = on
                log_checkpoints = off

                """ + lines,
                to: data.appending(path: "postgresql.conf")
            )
        }
    }

    private init(port: Int?, password: String?, _ fill: (ServerPrograms, _ data: URL) throws -> Void) throws {
        guard let programs = ServerPrograms.found else { throw ClusterError(line: Self.advice) }
        self.programs = programs
        self.port = port ?? 5432
        self.password = password
        folder = FileManager.default.temporaryDirectory.appending(path: "postgres-\(UUID().uuidString.prefix(8))")
        try programs.makeFolder(folder)
        watchdog = Watchdog(programs, folder)
        try fill(programs, folder.appending(path: "data"))
        try start()
    }

    /// The settings of a connection over the socket, with the password if there is one.
    package var settings: String {
        let settings = "host=\(folder.path) port=\(port) dbname=postgres user=storecore"
        return password.map { "\(settings) password=\($0)" } ?? settings
    }

    private var data: String { folder.appending(path: "data").path }

    /// Starts the server, and waits until it accepts connections.
    package func start() throws {
        try programs.run(
            "pg_ctl",
            [
                "-D", data, "-l", folder.appending(path: "log").path, "-w", "-s", "-t", "60", "-o",
                "-k \(folder.path) -p \(port)", "start",
            ]
        )
    }

    /// Stops the server, `immediately` as in a crash, with nothing written back.
    package func stop(immediately: Bool = false) throws {
        try programs.run("pg_ctl", ["-D", data, "-w", "-s", "-m", immediately ? "immediate" : "fast", "stop"])
    }

    /// Makes a standby of this server and starts it.
    ///
    /// - Parameters:
    ///   - port: the standby's port, on `127.0.0.1` and for its socket; nil for a socket alone.
    ///   - name: the name under which the server knows it, as in `synchronous_standby_names`.
    /// - Returns: the standby.
    /// - Throws: ``ClusterError``.
    package func makeStandby(port: Int? = nil, name: String) throws -> PostgresCluster {
        let primary = settings
        return try PostgresCluster(port: port, password: password) { programs, data in
            try programs.run("pg_basebackup", ["-D", data.path, "-d", primary, "-R", "-X", "stream", "-c", "fast"])
            try programs.append(
                """
                primary_conninfo = '\(primary) application_name=\(name)'
                synchronous_standby_names = ''

                """,
                to: data.appending(path: "postgresql.auto.conf")
            )
        }
    }

    /// Makes a standby the primary.
    package func promote() throws { try programs.run("pg_ctl", ["-D", data, "-w", "-s", "promote"]) }

    /// Stops the server and removes everything.
    package func remove() { watchdog.end() }
}

/// The reason that a cluster cannot be made.
package struct ClusterError: Error, CustomStringConvertible {
    package let line: String
    package var description: String { line }
}

extension PostgresCluster {
    /// The path of the server's Unix socket.
    package var socketPath: String { folder.appending(path: ".s.PGSQL.\(port)").path }
}
