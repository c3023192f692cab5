#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import StoreCore
    import StoreSQLite
    import Testing

    /// Files that are deleted, replaced or truncated while a database has them open.
    @Suite(.sqlite) struct FileLossTests {
        private let folder: Folder
        private let log = LogRecorder()

        init() throws { folder = try Folder() }

        private var logFile: URL { folder.url.appending(path: "store.sqlite-wal") }

        /// Has a game bought, the files lost, and shows that from then on nothing is sold and everything is refused.
        ///
        /// The log says so once for each loss so far, which are `lines`.
        ///
        /// - Returns: what is in the folder when the database is closed.
        @discardableResult
        private func lose(_ sentence: String, lines: Int = 1, by lose: () throws -> Void) throws -> [String: Data] {
            let database = try folder.open(log: log.log)
            let shop = try Shop(database)
            shop.buy("full.game")
            #expect(shop.shopper.history.suffix(2) == ["full.game purchasing", "full.game purchased"])
            try lose()
            shop.buy("sword")
            #expect(shop.shopper.history.contains("sword purchased") == false)
            let sentence = "\(sentence) while the database was open: nothing is read or written any more"
            for act in [{ _ = try database.check() }, { try shop.store.setPaymentsAllowed(false) }] {
                let error = try #require(throws: SQLiteDatabaseError.self) { try act() }
                #expect(error.code == .fileLost)
                #expect(error.description == sentence)
            }
            #expect(log.lines.first == sentence)
            database.close()
            #expect(log.lines.filter { $0 == sentence }.count == lines)
            return try folder.contents
        }

        /// Opens what is left, and expects it to be sound and to have these transactions.
        private func expectLeft(_ products: [String]) throws {
            let database = try folder.open()
            #expect(try database.check().isEmpty)
            let store = try SandboxStore(products: Shop.products, ledger: database.ledger)
            #expect(try store.transactions.map(\.productIdentifier) == products)
            try store.account.buy("sword")
            database.close()
        }

        private func size(_ file: URL) throws -> UInt64 {
            // Not by opening it: closing it again would give up the locks that SQLite has on it.
            var found = stat()
            try #require(stat(file.path(percentEncoded: false), &found) == 0)
            return UInt64(found.st_size)
        }

        private func truncate(_ file: URL, to size: UInt64) throws {
            try #require(Foundation.truncate(file.path(percentEncoded: false), Int(size)) == 0)
        }

        // MARK: The file

        @Test func `A file that is deleted is noticed, and its log is not taken for a new file's`() throws {
            let left = try lose("store.sqlite was deleted or moved") {
                try FileManager.default.removeItem(at: folder.file)
            }
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open() }
            #expect(error.code == .fileLost)
            #expect(error.description.contains("its log store.sqlite-wal is not"))
            #expect(try folder.contents == left)
            try FileManager.default.removeItem(at: logFile)
            try expectLeft([])
        }

        @Test(arguments: [true, false])
        func `A file that is moved has all that was bought, with its log and without`(isPutBack: Bool) throws {
            let other = folder.url.appending(path: "other.sqlite")
            try lose("store.sqlite was deleted or moved") {
                try FileManager.default.moveItem(at: folder.file, to: other)
            }
            if !isPutBack { try FileManager.default.removeItem(at: logFile) }
            try FileManager.default.moveItem(at: other, to: folder.file)
            try expectLeft(["full.game"])
        }

        @Test func `A file that was moved behind a link has all that was bought`() throws {
            let other = try Folder()
            try lose("store.sqlite was replaced by another file") {
                try FileManager.default.moveItem(at: folder.file, to: other.file)
                try FileManager.default.createSymbolicLink(at: folder.file, withDestinationURL: other.file)
            }
            try expectLeft(["full.game"])
        }

        @Test func `A file that is replaced is noticed, and the other is not mixed with the log`() throws {
            let other = try Folder()
            let database = try other.open()
            try Shop(database).buy("season")
            database.close()
            let data = try Data(contentsOf: other.file)
            try lose("store.sqlite was replaced by another file") {
                try #require(
                    rename(other.file.path(percentEncoded: false), folder.file.path(percentEncoded: false)) == 0
                )
            }
            #expect(log.lines.last?.contains("is now store.sqlite-wal-set-aside") == true)
            #expect(try Data(contentsOf: folder.file) == data)
            try expectLeft(["season"])
        }

        @Test func `A log that was set aside is not overwritten by the next one`() throws {
            for number in 1...2 {
                let other = try Folder()
                let database = try other.open()
                try Shop(database).buy("season")
                database.close()
                try lose("store.sqlite was replaced by another file", lines: number) {
                    try #require(
                        rename(other.file.path(percentEncoded: false), folder.file.path(percentEncoded: false)) == 0
                    )
                }
            }
            let names = try folder.contents.keys.filter { $0.contains("set-aside") }.sorted()
            #expect(names == ["store.sqlite-wal-set-aside", "store.sqlite-wal-set-aside-2"])
        }

        @Test func `A database that has written nothing leaves the log to whoever has a new file beside it`() throws {
            try folder.open().close()
            let idle = try folder.open(log: log.log)
            try FileManager.default.removeItem(at: folder.file)
            let database = try folder.open()
            let shop = try Shop(database)
            shop.buy("full.game")
            idle.close()
            shop.buy("season")
            #expect(shop.shopper.history.last == "season purchased")
            database.close()
            try expectLeft(["full.game", "season"])
        }

        @Test func `A file that is truncated to nothing is noticed, and not opened anew over its log`() throws {
            let left = try lose("store.sqlite was truncated") { try truncate(folder.file, to: 0) }
            #expect(left["store.sqlite-wal"]?.isEmpty == false)
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open() }
            #expect(error.code == .fileLost)
            #expect(try folder.contents == left)
        }

        @Test func `A file that is truncated to its half is noticed, and neither it nor its log is written`() throws {
            var before: [String: Data] = [:]
            let left = try lose("store.sqlite was truncated") {
                try truncate(folder.file, to: try size(folder.file) / 2)
                before = try folder.contents
            }
            #expect(left == before)
        }

        @Test func `A folder that is deleted is noticed`() throws {
            try lose("store.sqlite was deleted or moved") {
                try FileManager.default.removeItem(at: folder.url)
                try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
            }
            try expectLeft([])
        }

        // MARK: The log

        @Test func `A log that is deleted is noticed, and what was in it is in the file`() throws {
            try lose("store.sqlite-wal was deleted or moved") { try FileManager.default.removeItem(at: logFile) }
            try expectLeft(["full.game"])
        }

        @Test func `A log that is truncated to nothing is noticed, and the file is as sound as before`() throws {
            var before: [String: Data] = [:]
            let left = try lose("store.sqlite-wal was truncated") {
                try truncate(logFile, to: 0)
                before = try folder.contents
            }
            #expect(left == before)
            try expectLeft([])
        }

        @Test func `A log that is truncated to its half is noticed, and leaves what was before`() throws {
            var half: [String: Data] = [:]
            let left = try lose("store.sqlite-wal was truncated") {
                try truncate(logFile, to: try size(logFile) / 2)
                half = try folder.contents
            }
            #expect(left == half)
            let database = try folder.open()
            #expect(try database.check().isEmpty)
        }

        @Test func `A log that is replaced is noticed and set aside, and what was in the first is in the file`() throws
        {
            try lose("store.sqlite-wal was replaced by another file") {
                // In the place of the log, rather than into it.
                try Data("a log".utf8).write(to: logFile, options: .atomic)
            }
            #expect(try folder.contents["store.sqlite-wal-set-aside"] == Data("a log".utf8))
            try expectLeft(["full.game"])
        }

        @Test func `A log that is replaced by an older copy takes nothing back`() throws {
            let first = try folder.open()
            try Shop(first).buy("season")
            let old = try #require(try folder.contents["store.sqlite-wal"])
            // As after a crash: the next one goes on with the same log.
            let copy = try folder.copy()
            first.close()
            for (name, data) in try copy.contents { try data.write(to: folder.url.appending(path: name)) }
            try lose("store.sqlite-wal was replaced by another file") { try old.write(to: logFile, options: .atomic) }
            try expectLeft(["season", "full.game"])
        }

        // MARK: Also

        @Test func `What was lost is noticed when a database is closed or let go, and nothing more is written`() throws
        {
            for isClosed in [true, false] {
                let folder = try Folder()
                let log = LogRecorder()
                var left: [String: Data] = [:]
                do {
                    let database = try folder.open(log: log.log)
                    try Shop(database).buy("sword")
                    try truncate(folder.file, to: 0)
                    left = try folder.contents
                    if isClosed { database.close() }
                }
                #expect(try folder.contents == left)
                #expect(log.lines.count == 1)
                #expect(log.lines.first?.contains("store.sqlite was truncated") == true)
            }
        }

        @Test func `A copy of an open file is older than the file, and with its log it is not`() throws {
            let database = try folder.open()
            try Shop(database).buy("full.game")
            let whole = try folder.copy()
            let part = try folder.copy()
            try FileManager.default.removeItem(at: part.url.appending(path: "store.sqlite-wal"))
            #expect(try SandboxStore(ledger: whole.open().ledger).transactions.count == 1)
            #expect(try SandboxStore(ledger: part.open().ledger).transactions.isEmpty)
            database.close()
        }

        @Test func `A file that becomes longer and shorter by itself, as a vacuumed one may, is no lost one`() throws {
            try folder.open().close()
            try RawDatabase(folder.file).run("PRAGMA auto_vacuum = FULL; VACUUM")
            let database = try folder.open()
            let id = try database.journal.open {}.id
            var sizes: [UInt64] = []
            for round in 0..<3 {
                let commands = (1...4000).map { number in
                    StoreCommand(
                        id: OrderID(journal: id, number: round * 4000 + number),
                        action: .finish(transaction: "\(number)")
                    )
                }
                for start in stride(from: 0, to: 4000, by: 200) {
                    try database.journal.record(Array(commands[start..<start + 200]))
                }
                sizes.append(try size(folder.file))
                for start in stride(from: 0, to: 4000, by: 200) {
                    try database.journal.forget(commands[start..<start + 200].map(\.id))
                }
                sizes.append(try size(folder.file))
                #expect(try database.check().isEmpty)
            }
            #expect(zip(sizes, sizes.dropFirst()).contains { $0 < $1 })
            #expect(zip(sizes, sizes.dropFirst()).contains { $0 > $1 })
            // What others add at its end is not read.
            let handle = try FileHandle(forUpdating: folder.file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(count: 10_000))
            try Shop(database).buy("sword")
            #expect(try database.check().isEmpty)
            database.close()
            // Only now, for the same reason.
            try handle.close()
            try #require(try folder.open().check().isEmpty)
        }
    }
#endif
