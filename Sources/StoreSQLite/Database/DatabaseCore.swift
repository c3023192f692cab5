#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// The connection that a database's ledger and journal share, and the turns of its users.
    // unchecked: `connection`, `refusal` and `notes` are touched only during a turn.
    final class DatabaseCore: @unchecked Sendable {
        private typealias Write = (Connection) throws(StoreDatabaseError) -> Void

        let name: String
        private let log: StoreLog
        private let turns = TurnQueue<Write, Result<Void, StoreDatabaseError>>()
        /// The connection; nil when closed.
        private var connection: Connection?
        /// The reason that the file was abandoned, if it was.
        private var refusal: StoreDatabaseError?
        /// Lines for the log from the current turn, logged once it is over.
        private var notes: [String] = []

        init(
            _ file: URL,
            _ policy: CommitPolicy,
            patience: TimeInterval,
            log: StoreLog,
            fileSystem: String?
        ) throws(StoreDatabaseError) {
            self.log = log
            name = file.lastPathComponent
            let connection = try Connection(DatabasePath(file, fileSystem: fileSystem), patience: patience)
            // Until it is known to be StoreSQLite's.
            try connection.keepLog(true)
            try DatabaseFile.check(header: connection.header(), newest: Migration.all.count, name)
            if connection.isReadOnly { throw StoreDatabaseError(.readOnly, "\(name) may not be written") }
            // One user at a time: the lock that is taken first is kept, and nothing is shared with other processes.
            try connection.execute(
                """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA cell_size_check = ON;
                \(policy.pragmas)
                """
            )
            try Migration.run(on: connection, name: name)
            try connection.keepLog(false)
            try connection.watchLog(checkpointInterval: policy.checkpointInterval)
            self.connection = connection
        }

        deinit {
            for line in connection?.close() ?? [] { log(line) }
        }

        /// Reads, or runs exclusive work.
        ///
        /// A file that a newer version wrote ends everything, and so does one that was lost: see `giveUp(_:after:)`.
        func use<R>(_ body: (Connection) throws(StoreDatabaseError) -> R) throws(StoreDatabaseError) -> R {
            var lines: [String] = []
            defer { for line in lines { log(line) } }
            return try turns.exclusively { () throws(StoreDatabaseError) in
                defer { lines = takeNotes() }
                let connection = try available.get()
                do throws(StoreDatabaseError) {
                    try connection.checkFiles()
                    return try body(connection)
                } catch {
                    giveUp(connection, after: error)
                    throw error
                }
            }
        }

        /// Refuses everything from now on if an error says that the file cannot be used any more, and leaves it as it
        /// is.
        ///
        /// It must be called during the caller's turn.
        ///
        /// - Returns: whether the file is unusable.
        @discardableResult
        private func giveUp(_ connection: Connection, after error: StoreDatabaseError) -> Bool {
            switch error.code {
            case .newer: try? connection.keepLog(true)
            case .fileLost: connection.abandon(because: error).forEach(note)
            default: return false
            }
            refusal = error
            return true
        }

        /// Writes everything or nothing.
        ///
        /// Returns once the writes are durable. Concurrent writes of several threads are committed in one transaction:
        /// the first thread does it for all.
        func write(_ body: (Connection) throws(StoreDatabaseError) -> Void) throws(StoreDatabaseError) {
            var lines: [String] = []
            defer { for line in lines { log(line) } }
            try withoutActuallyEscaping(body) { body throws(StoreDatabaseError) in
                try turns.serve(body) { group in
                    defer { lines = takeNotes() }
                    return run(group, on: available)
                }.get()
            }
        }

        /// Returns the result of each write, not yet delivered to its caller.
        private func run(
            _ group: [Write],
            on connection: Result<Connection, StoreDatabaseError>
        ) -> [Result<Void, StoreDatabaseError>] {
            let result = { (writes: ArraySlice<Write>) -> Result<Void, StoreDatabaseError> in
                Result { () throws(StoreDatabaseError) in
                    let connection = try connection.get()
                    try connection.transaction { () throws(StoreDatabaseError) in
                        for write in writes { try write(connection) }
                    }
                }
            }
            let common = result(group[...])
            guard case .failure(let error) = common, let connection = try? connection.get() else {
                return group.map { _ in common }
            }
            if giveUp(connection, after: error) || group.count == 1 { return group.map { _ in common } }
            // A failing write must not affect the others.
            return group.indices.map { result(group[$0...$0]) }
        }

        /// Adds a line for the log; it must be called during the caller's turn, and is logged after it.
        func note(_ line: String) { notes.append(line) }

        /// Waits for the work in progress, and closes: when it returns the file is free.
        func close() {
            var lines: [String] = []
            turns.exclusively {
                // Not when the last reference goes: a thread that has just used it may still have one.
                connection.take()?.close().forEach(note)
                lines = takeNotes()
            }
            for line in lines { log(line) }
        }

        private func takeNotes() -> [String] {
            defer { notes = [] }
            return notes
        }

        /// The connection, or the reason that there is none.
        ///
        /// It must be read during a turn.
        private var available: Result<Connection, StoreDatabaseError> {
            guard let connection else {
                return .failure(StoreDatabaseError(.closed, "\(name) has been closed"))
            }
            return refusal.map { .failure($0) } ?? .success(connection)
        }
    }
#else
    import Foundation
    import StoreCore

    /// The placeholder for a database where there is no SQLite: it is never created.
    final class DatabaseCore: Sendable {
        init(
            _ file: URL,
            _ policy: CommitPolicy,
            patience: TimeInterval,
            log: StoreLog,
            fileSystem: String?
        ) throws(StoreDatabaseError) {
            throw .unavailable
        }

        func damage() throws(StoreDatabaseError) -> [DamagedRecord] { throw .unavailable }
        func check() throws(StoreDatabaseError) -> [String] { throw .unavailable }
        func close() {}
    }
#endif
