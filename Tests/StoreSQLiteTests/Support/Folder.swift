import Foundation
import StoreCore
import StoreSQLite
import Testing

/// A folder that is gone with the test.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "StoreSQLite-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Where the database is.
    var file: URL { url.appending(path: "store.sqlite") }

    /// What lies in it, by name.
    var contents: [String: Data] {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: url.appending(path: $0))) }
            )
        }
    }

    /// What a process that crashed now would leave behind.
    func copy() throws -> Folder {
        let copy = try Folder()
        for (name, data) in try contents { try data.write(to: copy.url.appending(path: name)) }
        return copy
    }

    /// Opens the database; a store on it answers on the caller's thread unless told otherwise.
    func open(
        durability: SQLiteDatabase.Durability = .full,
        patience: TimeInterval = 0,
        lane: BackendLane = .caller,
        log: StoreLog = .silent,
        fileSystem: String? = nil
    ) throws -> SQLiteDatabase {
        try SQLiteDatabase(
            at: file,
            durability: durability,
            patience: patience,
            lane: lane,
            log: log,
            fileSystem: fileSystem
        )
    }
}

/// Lines of a log.
final class LogRecorder: Sendable {
    private let state = Locked<[String]>([])
    var lines: [String] { state.withLock { $0 } }
    var log: StoreLog { StoreLog { [state] line in state.withLock { $0.append(line) } } }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where StoreSQLite was built without SQLite.
    static var sqlite: Self { .enabled(if: SQLite.isAvailable, Comment(rawValue: SQLite.advice)) }
}
