import Foundation
import PostgresCluster
import StorePostgres
import TestSupport
import Testing

@testable import sandbox_store

/// The settings of a shared store's connection that come from elsewhere than its address, in a process of its own.
@MainActor
@Suite(
    .fewAtATime,
    .enabled(
        if: Postgres.isAvailable && PostgresCluster.isAvailable,
        Comment(rawValue: Postgres.isAvailable ? PostgresCluster.advice : Postgres.advice)
    ),
    .timeLimit(.minutes(20))
)
struct ConnectionEnvironmentTests {
    private static let shared = Result { try PostgresCluster(settings: ["fsync": "off"], password: "hunter2") }
    private let cluster: PostgresCluster

    init() throws { cluster = try Self.shared.get() }

    /// A place from which libpq takes what the address does not say.
    enum Source: CaseIterable { case password, passwordFile, service }

    /// Returns the environment that has a password in one of the places.
    private func environment(_ source: Source, password: String) throws -> [String: String] {
        let variables = [
            "PGHOST": cluster.folder.path, "PGPORT": "5432", "PGUSER": "storecore", "PGDATABASE": "postgres",
        ]
        switch source {
        case .password: return variables.merging(["PGPASSWORD": password]) { $1 }
        case .passwordFile:
            let file = try write("*:5432:postgres:storecore:\(password)\n")
            return variables.merging(["PGPASSFILE": file]) { $1 }
        case .service:
            let words = cluster.settings.split(separator: " ").filter { !$0.hasPrefix("password") }
            let lines = words.map { $0 + "\n" } + ["password=\(password)\n"]
            return ["PGSERVICE": "team", "PGSERVICEFILE": try write("[team]\n" + lines.joined())]
        }
    }

    /// Writes a file that only its owner may read, and returns its path.
    private func write(_ text: String) throws -> String {
        let file = cluster.folder.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        return file.path
    }

    /// Runs the program on the store that is named after a place.
    private func run(
        _ source: Source,
        password: String,
        _ arguments: String...
    ) throws -> (output: String, complaints: String, code: Int32) {
        let others = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
        let variables = others.merging(try environment(source, password: password)) { $1 }
        return try runProgram(["--store", "postgresql://#\(source)"] + arguments, environment: variables)
    }

    @Test(arguments: Source.allCases)
    func `What an address leaves out comes from the environment, and from files`(source: Source) throws {
        let made = try run(source, password: "hunter2", "init", SandboxStoreTool.demoFile.path)
        #expect(made.complaints.isEmpty)
        #expect(made.code == 0)
        #expect(try PostgresDatabase(cluster.settings).stores().contains("\(source)"))
    }

    // The role's name, which libpq quotes.
    @Test(arguments: Source.allCases)
    func `A wrong password in the environment or a file it names is not told`(source: Source) throws {
        let refused = try run(source, password: "storecore", "products")
        #expect(refused.code == 1)
        #expect(refused.complaints.contains("password authentication failed for user"))
        #expect(!refused.complaints.contains("storecore"))
        #expect(!refused.output.contains("storecore"))
    }
}
