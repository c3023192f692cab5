#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// The connection that a database's ledger and journal share, and the turns of its users.
    // unchecked: `connection` is used only during a turn, everything else is touched with the condition's lock held.
    final class DatabaseCore: @unchecked Sendable {
        private typealias Write = (Connection) throws(StoreDatabaseError) -> Void

        /// A caller's writes, which wait for the turn.
        private final class Job {
            let write: Write
            /// The result, touched with the condition's lock held.
            var result: Result<Void, StoreDatabaseError>?

            init(_ write: @escaping Write) { self.write = write }
        }

        let name: String
        private let log: StoreLog
        private let condition = NSCondition()
        /// The connection; nil when closed.
        private var connection: Connection?
        private var isInUse = false
        private var waiting: [Job] = []
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
            let connection = try takeTurn()
            defer { endTurn() }
            do {
                try connection.checkFiles()
                return try body(connection)
            } catch {
                giveUp(connection, after: error)
                throw error
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
            condition.withLock { refusal = error }
            return true
        }

        /// Writes everything or nothing.
        ///
        /// Returns once the writes are durable. Concurrent writes of several threads are committed in one transaction:
        /// the first thread does it for all.
        func write(_ body: (Connection) throws(StoreDatabaseError) -> Void) throws(StoreDatabaseError) {
            try withoutActuallyEscaping(body) { body throws(StoreDatabaseError) in
                let job = Job(body)
                condition.lock()
                waiting.append(job)
                while isInUse, job.result == nil { condition.wait() }
                if job.result == nil {
                    isInUse = true
                    let group = waiting
                    waiting = []
                    let connection = available
                    condition.unlock()
                    let results = run(group, on: connection)
                    condition.lock()
                    for (job, result) in zip(group, results) { job.result = result }
                    isInUse = false
                    condition.broadcast()
                }
                let lines = takeNotes()
                condition.unlock()
                for line in lines { log(line) }
                try job.result?.get()
            }
        }

        /// Returns the result of each write, not yet delivered to its caller.
        private func run(
            _ group: [Job],
            on connection: Result<Connection, StoreDatabaseError>
        ) -> [Result<Void, StoreDatabaseError>] {
            let result = { (jobs: ArraySlice<Job>) -> Result<Void, StoreDatabaseError> in
                Result { () throws(StoreDatabaseError) in
                    let connection = try connection.get()
                    try connection.transaction { () throws(StoreDatabaseError) in
                        for job in jobs { try job.write(connection) }
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
        func note(_ line: String) { condition.withLock { notes.append(line) } }

        /// Waits for the work in progress, and closes: when it returns the file is free.
        func close() {
            condition.lock()
            while isInUse { condition.wait() }
            let closing = connection
            connection = nil
            isInUse = true
            condition.unlock()
            // Not when the last reference goes: a thread that has just used it may still have one.
            closing?.close().forEach(note)
            endTurn()
        }

        private func takeTurn() throws(StoreDatabaseError) -> Connection {
            condition.lock()
            defer { condition.unlock() }
            while isInUse { condition.wait() }
            let connection = try available.get()
            isInUse = true
            return connection
        }

        private func endTurn() {
            condition.lock()
            isInUse = false
            let lines = takeNotes()
            condition.broadcast()
            condition.unlock()
            for line in lines { log(line) }
        }

        /// Removes and returns the lines for the log.
        ///
        /// It must be called with the lock held.
        private func takeNotes() -> [String] {
            defer { notes = [] }
            return notes
        }

        /// The connection, or the reason that there is none.
        ///
        /// It must be read with the lock held.
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
