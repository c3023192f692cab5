#if canImport(CSQLite)
    import Foundation
    import StoreCore

    /// What a database's ledger and journal have in common: the connection, and who has it when.
    // unchecked: `connection` is used only by who has the turn, everything else is touched with the condition's lock held.
    final class DatabaseCore: @unchecked Sendable {
        static let isAvailable = true

        private typealias Write = (Connection) throws(StoreDatabaseError) -> Void

        /// One caller's writes, which wait for the turn.
        private final class Job {
            let write: Write
            /// Touched with the condition's lock held.
            var result: Result<Void, StoreDatabaseError>?

            init(_ write: @escaping Write) { self.write = write }
        }

        let name: String
        private let log: StoreLog
        private let condition = NSCondition()
        /// Nil when closed.
        private var connection: Connection?
        private var isInUse = false
        private var waiting: [Job] = []
        /// Why the file was given up, if it was.
        private var refusal: StoreDatabaseError?
        /// Lines for the log, of whoever has the turn: told once it is over.
        private var notes: [String] = []

        init(
            _ file: URL,
            _ durability: StoreDatabase.Durability,
            patience: TimeInterval,
            log: StoreLog,
            fileSystem: String?
        ) throws(StoreDatabaseError) {
            self.log = log
            name = file.lastPathComponent
            let connection = try Connection(DatabasePath(file, fileSystem: fileSystem), patience: patience)
            // Until it is known to be ours.
            try connection.keepLog(true)
            try DatabaseFile.check(header: connection.header(), newest: Migration.all.count, name)
            if connection.isReadOnly { throw StoreDatabaseError(.readOnly, "\(name) may not be written") }
            // One user at a time: the lock that is taken first is kept, and nothing is shared with other processes.
            try connection.execute(
                """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA cell_size_check = ON;
                \(durability.pragmas)
                """
            )
            try Migration.run(on: connection, name: name)
            try connection.keepLog(false)
            try connection.watchLog(checkpointInterval: durability.checkpointInterval)
            self.connection = connection
        }

        deinit {
            for line in connection?.close() ?? [] { log(line) }
        }

        /// Reads, or does what is to be done alone.
        ///
        /// What a newer version wrote ends everything, and so does a file that was lost: see `giveUp(_:after:)`.
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

        /// Refuses everything from now on if an error says that the file cannot be used any more, and leaves it as it is.
        ///
        /// To be called by who has the turn.
        ///
        /// - Returns: whether it cannot.
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

        /// Writes, all of it or nothing.
        ///
        /// Returns once it lasts. What several threads want to write at once is written in one transaction: the first of
        /// them does it for all.
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

        /// What came of each write; told to nobody yet.
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
            // What one of them did wrong is not to fall upon the others.
            return group.indices.map { result(group[$0...$0]) }
        }

        /// Has the log hear of something; to be called by who has the turn, when it is given up.
        func note(_ line: String) { condition.withLock { notes.append(line) } }

        /// Waits for what is being done, and closes: when it returns the file is free.
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

        /// To be called with the lock held.
        private func takeNotes() -> [String] {
            defer { notes = [] }
            return notes
        }

        /// To be asked with the lock held.
        private var available: Result<Connection, StoreDatabaseError> {
            guard let connection else {
                return .failure(StoreDatabaseError(.closed, "\(name) has been closed"))
            }
            return refusal.map { .failure($0) } ?? .success(connection)
        }
    }

    extension StoreDatabase.Durability {
        fileprivate var pragmas: String {
            switch self {
            case .full: "PRAGMA synchronous = FULL;"
            case .normal: "PRAGMA synchronous = NORMAL;"
            }
        }

        /// The number of frames in the log from which on a commit brings it into the file.
        fileprivate var checkpointInterval: Int {
            switch self {
            // A log that grows makes each wait for the disk longer than one that is written over; so it is kept short.
            case .full: 128
            case .normal: 1000
            }
        }
    }
#else
    import Foundation
    import StoreCore

    /// What stands in for a database where there is no SQLite: there never is one.
    final class DatabaseCore: Sendable {
        static let isAvailable = false

        init(
            _ file: URL,
            _ durability: StoreDatabase.Durability,
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
