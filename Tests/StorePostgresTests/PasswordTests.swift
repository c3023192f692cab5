#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    /// On a server that asks for a password.
    @Suite(
        "Passwords of a server that the tests make, which takes a second",
        .postgres,
        .promptly,
        .timeLimit(.minutes(20))
    )
    struct PasswordTests {
        private let place: TestDatabase
        private let passwordFile: URL
        /// Settings without a password.
        private let settings: String

        private static let shared = Result { try makeCluster() }

        private static func makeCluster() throws -> PostgresCluster {
            try PostgresCluster(settings: ["fsync": "off"], password: "hunter2")
        }

        init() throws { self.init(try Self.shared.get()) }

        private init(_ cluster: PostgresCluster) {
            place = TestDatabase(cluster)
            passwordFile = place.cluster.folder.appending(path: "passwords-\(UUID().uuidString)")
            settings = "host=\(place.cluster.folder.path) dbname=postgres user=storecore"
        }

        /// Settings that name the password file, after it was written.
        private func settings(passwordInFile password: String) throws -> String {
            try Data("*:*:*:storecore:\(password)\n".utf8).write(to: passwordFile)
            // libpq passes over a file that others may read.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passwordFile.path)
            return "\(settings) passfile=\(passwordFile.path)"
        }

        @Test func `A password file is read by both connections`() throws {
            let ledger = try place.open(settings(passwordInFile: "hunter2")).ledger("shop")
            let listener = Counter()
            ledger.add(listener)
            listener.wait()
            let records = try Shop.records(1)
            #expect(try ledger.append(records, ifHeadIs: 0))
            #expect(try ledger.read(after: 0, limit: 10) == records)
        }

        // The second one is the role's name, which libpq quotes.
        @Test(arguments: ["letmein", "storecore"], [false, true])
        func `A wrong password is refused at once, and neither it nor the right one is told`(
            password: String,
            isInFile: Bool
        ) throws {
            let wrong = isInFile ? try settings(passwordInFile: password) : "\(settings) password=\(password)"
            let error = #expect(throws: PostgresDatabaseError.self) { try place.open(wrong) { $0.patience = 600 } }
            #expect(error?.code == .refused)
            let sentence = error?.description ?? ""
            #expect(sentence.contains("password authentication failed for user"))
            for line in [sentence] + place.log.lines {
                #expect(!line.contains(password))
                #expect(!line.contains("hunter2"))
            }
        }

        @Test func `A missing password is refused with a sentence`() throws {
            let error = #expect(throws: PostgresDatabaseError.self) {
                try place.open("\(settings) passfile=/dev/null") { $0.patience = 600 }
            }
            #expect(error?.code == .refused)
            #expect(error?.description.contains("no password supplied") == true)
        }

        @Test func `A password that is changed while a database is open is read again from the file`() throws {
            try PasswordTests(Self.makeCluster()).changeThePassword()
        }

        private func changeThePassword() throws {
            let ledger = try place.open(settings(passwordInFile: "hunter2")) { $0.patience = 600 }.ledger("shop")
            try place.run("ALTER ROLE storecore PASSWORD 'hunter3'")
            try place.cluster.stop()
            try place.cluster.start()
            let error = #expect(throws: PostgresDatabaseError.self) { try ledger.head }
            #expect(error?.code == .refused)
            _ = try settings(passwordInFile: "hunter3")
            #expect(try ledger.head == 0)
            #expect(place.log.lines.allSatisfy { !$0.contains("hunter") })
        }

        @Test func `A server without TLS is refused with a sentence where TLS is required`() throws {
            let proxy = try WireProxy(to: place.cluster.socketPath)
            let remote = "host=127.0.0.1 port=\(proxy.port) dbname=postgres user=storecore password=hunter2"
            try place.open(remote).close()
            let error = #expect(throws: PostgresDatabaseError.self) { try place.open("\(remote) sslmode=require") }
            #expect(error?.description.contains("server does not support SSL, but SSL was required") == true)
        }
    }
#endif
