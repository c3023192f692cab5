#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import StoreCore
    import StoreSQLite
    import TestSupport
    import Testing

    @Suite(.sqlite, .promptly) struct FileTests {
        private let folder: Folder

        init() throws { folder = try Folder() }

        /// Opens the file in vain, and shows that nothing in its folder has changed.
        private func refusal(of folder: Folder? = nil) throws -> SQLiteDatabaseError {
            let folder = folder ?? self.folder
            let before = try folder.contents
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open() }
            #expect(try folder.contents == before)
            return error
        }

        @Test func `A file says whose it is, and which version of the format it has`() throws {
            try folder.open().close()
            let raw = try RawDatabase(folder.file)
            #expect(try raw.texts("PRAGMA application_id") == ["\(0x5374_4352)"])
            #expect(try raw.texts("PRAGMA user_version") == ["9"])
            #expect(try raw.texts("SELECT count(*) FROM migration") == ["9"])
            #expect(try raw.texts("PRAGMA journal_mode") == ["wal"])
        }

        @Test func `A newer version's file is refused with a sentence and not touched`() throws {
            try folder.open().close()
            try RawDatabase(folder.file).run("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99")
            let error = try refusal()
            #expect(error.code == .newer)
            #expect(
                error.description
                    == "store.sqlite was written by a newer version: it has format 99, known here are 1 to 9"
            )
        }

        @Test(arguments: ["PRAGMA user_version = 99", "UPDATE migration SET name = 'something else' WHERE number = 2"])
        func `What only the log beside a file says of its version is heeded, and neither of them is touched`(
            sql: String
        ) throws {
            try folder.open().close()
            // Open, so that nothing is brought from the log into the file.
            let raw = try RawDatabase(folder.file)
            try raw.run(sql)
            let left = try folder.copy()
            #expect(try left.contents["store.sqlite-wal"]?.isEmpty == false)
            let error = try refusal(of: left)
            #expect(error.code == (sql.hasSuffix("99") ? .newer : .foreign))
            withExtendedLifetime(raw) {}
        }

        @Test(arguments: ["PRAGMA application_id = 7; CREATE TABLE thing (id)", "CREATE TABLE thing (id)"])
        func `Another program's database is refused with a sentence and not touched`(sql: String) throws {
            try RawDatabase(folder.file).run("PRAGMA journal_mode = WAL; \(sql)")
            let error = try refusal()
            #expect(error.code == .foreign)
            #expect(error.description == "store.sqlite is another program's database")
        }

        @Test(arguments: ["Dear diary,", String(repeating: "Dear diary, ", count: 1000)])
        func `What is not a database is refused with a sentence and not touched`(text: String) throws {
            try Data(text.utf8).write(to: folder.file)
            let error = try refusal()
            #expect(error.code == .foreign)
            #expect(error.description == "store.sqlite is not a database")
        }

        @Test func `A file whose format has gone another way is refused and not touched`() throws {
            try folder.open().close()
            try RawDatabase(folder.file).run("UPDATE migration SET name = 'something else' WHERE number = 2")
            #expect(try refusal().code == .foreign)
        }

        @Test func `A folder that is not there is named`() throws {
            let file = folder.url.appending(path: "nowhere/store.sqlite")
            let error = try #require(throws: SQLiteDatabaseError.self) { try SQLiteDatabase(at: file) }
            #expect(error.code == .missingFolder)
            #expect(error.description == "the folder nowhere, for store.sqlite, is not there")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            #expect(try SQLiteDatabase(at: file).ledger.head == 0)
        }

        @Test func `A file in the place of the folder is named`() throws {
            try Data().write(to: folder.file)
            let file = folder.file.appending(path: "other.sqlite")
            let error = try #require(throws: SQLiteDatabaseError.self) { try SQLiteDatabase(at: file, patience: 0) }
            #expect(error.code == .missingFolder)
            #expect(error.description == "store.sqlite, where other.sqlite should be, is not a folder")
        }

        @Test(arguments: ["", "-journal", "-wal"])
        func `A folder in the place of the file or one beside it is named`(suffix: String) throws {
            if suffix != "" { try folder.open().close() }
            let obstacle = folder.url.appending(path: "store.sqlite\(suffix)")
            try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open() }
            #expect(error.code == .foreign)
            #expect(error.description.hasPrefix("store.sqlite\(suffix) is a folder, where a database"))
        }

        @Test func `A pipe in the place of the file is named, and not waited for`() throws {
            try #require(mkfifo(folder.file.path(percentEncoded: false), 0o600) == 0)
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open() }
            #expect(error.code == .foreign)
            #expect(error.description == "store.sqlite is not a file, where a database should be")
        }

        @Test(arguments: [505, 512, 513])
        func `A path that is too long is refused with a sentence`(length: Int) throws {
            // SQLite takes 512 bytes, for the file and for those beside it.
            let folder = folder.url.appending(path: String(repeating: "l/", count: 110))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let rest = length - folder.path(percentEncoded: false).utf8.count
            let file = folder.appending(path: String(repeating: "l", count: rest))
            let error = try #require(throws: SQLiteDatabaseError.self) { try SQLiteDatabase(at: file, patience: 0) }
            #expect(error.code == .other)
            #expect(error.description.hasSuffix("cannot be opened: File name too long"))
        }

        @Test func `The longest path that SQLite takes is opened`() throws {
            let folder = folder.url.appending(path: String(repeating: "l/", count: 110))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let rest = 504 - folder.path(percentEncoded: false).utf8.count
            let database = try SQLiteDatabase(at: folder.appending(path: String(repeating: "l", count: rest)))
            let shop = try Shop(database)
            shop.buy("sword")
            shop.queue.settle()
            #expect(shop.shopper.history == ["sword purchasing", "sword purchased"])
        }

        @Test(arguments: ["https://example.com", "https://example.com/store.sqlite", "store.sqlite"])
        func `A URL that is no file's is refused, rather than kept nowhere or somewhere else`(text: String) throws {
            let file = try #require(URL(string: text))
            let error = try #require(throws: SQLiteDatabaseError.self) { try SQLiteDatabase(at: file, patience: 0) }
            #expect(error.code == .other)
            #expect(error.description.contains("its URL is no file's"))
        }

        @Test func `A path with a zero byte is refused, rather than cut there`() throws {
            let file = try #require(URL(string: "\(folder.file.absoluteString)%00.copy"))
            let error = try #require(throws: SQLiteDatabaseError.self) { try SQLiteDatabase(at: file, patience: 0) }
            #expect(error.description.contains("there is a zero byte in its path"))
            #expect(!FileManager.default.fileExists(atPath: folder.file.path(percentEncoded: false)))
        }

        @Test func `An empty file becomes a database`() throws {
            try Data().write(to: folder.file)
            #expect(try folder.open().ledger.head == 0)
        }

        @Test func `A file of the first version is brought up to date, and keeps what is in it`() throws {
            do {
                let database = try folder.open()
                let shop = try Shop(database)
                shop.buy("sword")
                shop.store.isReachable = false
                shop.buy("season")
                database.close()
            }
            try RawDatabase(folder.file).run(
                """
                PRAGMA journal_mode = DELETE;
                DROP TABLE snapshot; DROP TABLE damaged;
                DELETE FROM migration WHERE number > 1; PRAGMA user_version = 1;
                """
            )
            let database = try folder.open()
            let shop = try Shop(database)
            #expect(shop.queue.transactions.count == 2)
            #expect(shop.shopper.history.last == "season purchased")
            database.close()
            #expect(try RawDatabase(folder.file).texts("PRAGMA user_version") == ["9"])
        }

        @Test func `Who comes second is refused with a sentence, and let in when the first has closed`() throws {
            let first = try folder.open()
            let shop = try Shop(first)
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open(patience: 0.01) }
            #expect(error.code == .inUse)
            #expect(error.description.contains("store.sqlite is in use"))
            shop.buy("sword")
            first.close()
            #expect(try Shop(try folder.open()).shopper.history == ["sword purchased"])
        }

        @Test func `Who was refused has not let other processes in`() async throws {
            let first = try folder.open()
            #expect(throws: SQLiteDatabaseError.self) { try folder.open(patience: 0.01) }
            let path = folder.file.path
            await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
                do {
                    _ = try SQLiteDatabase(at: URL(fileURLWithPath: path), patience: 0.01)
                } catch let error as SQLiteDatabaseError where error.code == .inUse {
                    exit(7)
                }
            }
            first.close()
        }

        @Test func `Patience without end is patience`() throws { try folder.open(patience: .infinity).close() }

        @Test func `Who comes second waits for as long as it wants to`() throws {
            let first = try folder.open()
            let result = Locked<Result<Int, any Error>?>(nil)
            let started = DispatchSemaphore(value: 0)
            let ended = DispatchSemaphore(value: 0)
            Thread { [folder] in
                started.signal()
                let head = Result { try folder.open(patience: 1000).ledger.head }
                result.withLock { $0 = head }
                ended.signal()
            }.start()
            started.wait()
            first.close()
            ended.wait()
            #expect(try result.withLock { $0 }?.get() == 0)
        }

        @Test func `What is used after it was closed fails with a sentence`() throws {
            let database = try folder.open()
            let shop = try Shop(database)
            database.close()
            database.close()
            let error = try #require(throws: SQLiteDatabaseError.self) { try database.check() }
            #expect(error.code == .closed)
            #expect(error.description == "store.sqlite has been closed")
            #expect(throws: SQLiteDatabaseError.self) { try shop.store.register(.consumable("axe", price: "1")) }
            shop.buy("sword")
            #expect(shop.shopper.history == ["sword purchasing", "sword failed"])
            #expect(throws: SQLiteDatabaseError.self) { try database.journal.open {} }
        }

        @Test func `A store on a file answers on a thread of its queue's unless it is told otherwise`() throws {
            let database = try SQLiteDatabase(at: folder.file)
            #expect(try SandboxStore(ledger: database.ledger).lane == .background)
            database.close()
            #expect(try SandboxStore(ledger: folder.open().ledger).lane == .caller)
            #expect(try SandboxStore().lane == .caller)
        }
    }
#endif
