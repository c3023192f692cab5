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

        let log: StoreLog
        private let name: String
        private let condition = NSCondition()
        /// Nil when closed.
        private var connection: Connection?
        private var isInUse = false
        private var waiting: [Job] = []

        init(
            _ file: URL,
            _ durability: StoreDatabase.Durability,
            patience: TimeInterval,
            log: StoreLog,
            fileSystem: String?
        ) throws(StoreDatabaseError) {
            self.log = log
            name = file.lastPathComponent
            let connection = try Connection(file, fileSystem: fileSystem, patience: patience)
            try DatabaseFile.check(header: connection.header(), newest: Migration.all.count, name)
            if connection.isReadOnly { throw StoreDatabaseError(.readOnly, "\(name) may not be written") }
            // One user at a time: the lock that is taken first is kept, and nothing is shared with other processes.
            try connection.execute(
                """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL");
                PRAGMA cell_size_check = ON;
                """
            )
            try Migration.run(on: connection, name: name)
            self.connection = connection
        }

        /// Reads, or does what is to be done alone.
        func use<R>(_ body: (Connection) throws(StoreDatabaseError) -> R) throws(StoreDatabaseError) -> R {
            let connection = try takeTurn()
            defer { endTurn() }
            return try body(connection)
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
                    let connection = connection
                    condition.unlock()
                    let results = run(group, on: connection)
                    condition.lock()
                    for (job, result) in zip(group, results) { job.result = result }
                    isInUse = false
                    condition.broadcast()
                }
                condition.unlock()
                try job.result?.get()
            }
        }

        /// What came of each write; told to nobody yet.
        private func run(_ group: [Job], on connection: Connection?) -> [Result<Void, StoreDatabaseError>] {
            guard let connection else { return group.map { _ in .failure(closed) } }
            let result = { (jobs: ArraySlice<Job>) -> Result<Void, StoreDatabaseError> in
                Result { () throws(StoreDatabaseError) in
                    try connection.transaction { () throws(StoreDatabaseError) in
                        for job in jobs { try job.write(connection) }
                    }
                }
            }
            let common = result(group[...])
            guard case .failure = common, group.count > 1 else { return group.map { _ in common } }
            // What one of them did wrong is not to fall upon the others.
            return group.indices.map { result(group[$0...$0]) }
        }

        /// Waits for what is being done, and closes.
        func close() {
            condition.lock()
            while isInUse { condition.wait() }
            let closed = connection
            connection = nil
            condition.unlock()
            withExtendedLifetime(closed) {}
        }

        private func takeTurn() throws(StoreDatabaseError) -> Connection {
            condition.lock()
            defer { condition.unlock() }
            while isInUse { condition.wait() }
            guard let connection else { throw closed }
            isInUse = true
            return connection
        }

        private func endTurn() {
            condition.lock()
            isInUse = false
            condition.broadcast()
            condition.unlock()
        }

        private var closed: StoreDatabaseError { StoreDatabaseError(.closed, "\(name) has been closed") }
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
