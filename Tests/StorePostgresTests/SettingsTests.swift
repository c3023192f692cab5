#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct SettingsTests {
        // libpq quotes it each time: as a folder, a port, or the place that it cannot read.
        @Test(arguments: [
            "host=/hunter2 password=hunter2", "postgresql://bob:hunter2@/shop?host=/hunter2",
            "host=a password=secret hunter2", "postgresql://bob:hunter2/x@127.0.0.1/shop",
            "postgresql://bob:hunter2@[::1", "hunter2",
        ]) func `No password is in an error`(settings: String) throws {
            let place = try TestDatabase()
            let error = #expect(throws: PostgresDatabaseError.self) {
                try place.open(settings) { $0.patience = 0 }
            }
            #expect(error?.description.contains("hunter2") == false)
            #expect(place.log.lines.allSatisfy { !$0.contains("hunter2") })
        }

        @Test(arguments: [
            "host=/hunter1,/hunter2,/hunter:3 dbname=shop user=bob",
            "host=/hunter1,/hunter2,/hunter:3 port=5432,5432,5432 user=bob",
            "postgresql://bob@%2Fhunter1,%2Fhunter2,%2Fhunter%3A3/shop",
        ]) func `No server's password in a password file is in an error`(settings: String) throws {
            let place = try TestDatabase()
            let file = place.cluster.folder.appending(path: "passwords_of_\(place.schema)")
            // The last one has an escaped colon; the role and the database are named, and any. The database is by default
            // named like the role.
            let lines = [
                "*:*:*:*:hunter", "/hunter1:*:*:*:hunter1", "/hunter2:5432:shop:bob:hunter2",
                "/hunter2:5432:bob:bob:hunter2",
                "/hunter\\:3:*:*:bob:hunter\\:3",
            ]
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let separator = settings.contains("://") ? "?passfile=" : " passfile="
            let address = settings + separator + file.path
            let error = #expect(throws: PostgresDatabaseError.self) { try place.open(address) { $0.patience = 0 } }
            #expect(error?.code == .unreachable)
            // One of them begins like the others.
            #expect(error?.description.components(separatedBy: "/…/.s.PGSQL.5432").count == 4)
            #expect(error?.description.contains("hunter") == false)
        }

        @Test(arguments: [.infinity, .greatestFiniteMagnitude, 1e12, 1e7])
        func `Times may be as long as they like`(seconds: TimeInterval) throws {
            let place = try TestDatabase()
            let database = try place.open {
                ($0.patience, $0.responseTime, $0.pollInterval) = (seconds, seconds, seconds)
            }
            let ledger = try database.ledger("shop")
            let listener = Counter()
            ledger.add(listener)
            #expect(try ledger.append(try Shop.records(1), ifHeadIs: 0))
            listener.wait()
        }

        @Test func `Settings that cannot be read are refused with a sentence`() throws {
            let error = #expect(throws: PostgresDatabaseError.self) { try PostgresDatabase("host=a nonsense=b") }
            #expect(error?.code == .settings)
            #expect(error?.description.contains("host=db dbname=shop") == true)
        }

        @Test func `A database or role that does not exist is refused at once`() throws {
            let place = try TestDatabase()
            for change in ["dbname=nowhere", "user=nobody_here"] {
                let error = #expect(throws: PostgresDatabaseError.self) {
                    try place.open(place.cluster.settings + " " + change) { $0.patience = 600 }
                }
                #expect(error?.code == .refused)
                #expect(error?.description.contains("does not exist") == true)
            }
        }

        @Test func `A server that only reads is refused with a sentence`() throws {
            let place = try TestDatabase()
            let settings = "\(place.cluster.settings) options='-c default_transaction_read_only=on'"
            let error = #expect(throws: PostgresDatabaseError.self) { try place.open(settings) }
            #expect(error?.code == .readOnly)
            #expect(error?.description.contains("target_session_attrs=read-write") == true)
        }

        @Test func `The isolation that a role has set does not matter`() throws {
            let place = try TestDatabase()
            let settings = "\(place.cluster.settings) options='-c default_transaction_isolation=serializable'"
            let ledgers = try (0..<2).map { _ in try place.open(settings).ledger("shop") }
            let records = try Shop.records(2)
            #expect(try ledgers[0].append([records[0]], ifHeadIs: 0))
            #expect(try !ledgers[1].append([records[1]], ifHeadIs: 0))
        }

        @Test func `Each statement is planned once, however often stores are opened and sell`() throws {
            // Its own cluster: a schema that is made meanwhile has the server plan everything again.
            let place = TestDatabase(try PostgresCluster(settings: ["log_planner_stats": "on", "autovacuum": "off"]))
            // No poll is planned meanwhile, however long the test takes.
            let database = try place.open { $0.pollInterval = 3_600 }
            func openAndSell() throws {
                let store = try SandboxStore(products: Shop.products, ledger: database.ledger("shop"))
                try store.account.buy("sword")
            }
            func plans() throws -> Int {
                let log = try String(contentsOf: place.cluster.folder.appending(path: "log"), encoding: .utf8)
                return log.components(separatedBy: "PLANNER STATISTICS").count - 1
            }
            for _ in 1...2 { try openAndSell() }
            let before = try plans()
            #expect(before > 0)
            for _ in 1...3 { try openAndSell() }
            #expect(try plans() == before)
        }

        @Test(arguments: ["", String(repeating: "x", count: 201), "a\0b"])
        func `A name that cannot be one is refused`(name: String) throws {
            let database = try TestDatabase().open()
            let error = #expect(throws: PostgresDatabaseError.self) { try database.ledger(name) }
            #expect(error?.code == .settings)
            #expect(throws: PostgresDatabaseError.self) { try database.journal(name) }
        }

        @Test func `Names of schemas and stores may have any letters`() throws {
            let place = TestDatabase(
                try TestDatabase().cluster,
                schema: "a \"quoted\" and \"\u{301} schéma with 漢字 and a name of more than sixty"
            )
            let database = try place.open()
            let ledger = try database.ledger("Ann's \"shop\" 漢字")
            let listener = Counter()
            ledger.add(listener)
            let records = try Shop.records(1)
            #expect(try ledger.append(records, ifHeadIs: 0))
            #expect(try database.stores() == ["Ann's \"shop\" 漢字"])
            listener.wait()
        }
    }
#endif
