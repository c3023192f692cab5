#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    /// Tables in each form that a version has made, as `pg_dump` writes them, with a store and a queue's journal.
    ///
    /// A file's name has the form of the tables and that of the snapshot in them. `GOLDEN=1 swift test --filter Golden` writes
    /// the file of the present forms.
    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct GoldenTablesTests {
        private static let golden = GoldenFolder()
        private static let names = golden.names("tables-", ".sql")
        private let place: TestDatabase

        init() throws { place = try TestDatabase() }

        /// Tables of a form.
        struct Form: CustomTestStringConvertible, Sendable {
            let name: String
            /// The number of steps that these tables have been through, where their form differs by its number alone.
            var steps: Int?
            var testDescription: String { steps.map { "\(name), with \($0) steps" } ?? name }
        }

        private static let forms =
            names.map { Form(name: $0) } + [Form(name: "tables-2.10", steps: 1), Form(name: "tables-4.12", steps: 3)]

        private func restore(_ form: Form) throws {
            try place.run(Self.golden.text("\(form.name).sql"))
            if let steps = form.steps { try place.run("DELETE FROM {schema}.migration WHERE number > \(steps)") }
        }

        @Test(arguments: forms) func `Tables of each form are read, migrated and sold from`(form: Form) throws {
            try restore(form)
            let expected = try Self.golden.text("\(form.name).txt")
            do {
                let database = try place.open()
                let store = try SandboxStore(ledger: database.ledger("shop", lane: .caller))
                #expect(try SampleHistory.transactions(of: store) == expected)
                #expect(store.storefront?.countryCode == "DEU")
                #expect(store.accounts.map(\.name) == ["account", "alice"])
                #expect(store.account.subscription(inGroup: "club")?.productIdentifier == "gold")
                #expect(try database.check("shop").isEmpty)
                // The journal's purchases reach the store, and one more is sold.
                #expect(try database.journal("till").open {}.commands.map(\.id.number) == [1, 2, 3])
                let journal = try database.journal("till")
                let queue = SKPaymentQueue(backend: store, journal: journal, delivery: .inline, log: .silent)
                let shopper = Shopper()
                queue.add(shopper)
                queue.add(SKPayment(productIdentifier: "sword"))
                shopper.wait(for: "sword removed", times: 3)
                database.close()
            }
            let database = try place.open()
            let again = try SandboxStore(ledger: database.ledger("shop", lane: .caller))
            let text = try SampleHistory.transactions(of: again)
            #expect(text.hasPrefix(expected))
            #expect(text.split(separator: "\n").count == expected.split(separator: "\n").count + 3)
            #expect(try database.journal("till").open {}.commands.isEmpty)
            #expect(try place.run("SELECT name FROM {schema}.migration ORDER BY number") == Self.steps())
            #expect(place.log.lines.isEmpty)
        }

        @Test func `Tables of a newer form are refused with a sentence, and left as they are`() throws {
            try restore(Form(name: #require(Self.names.last)))
            let next = try Self.steps().count + 1
            try place.run("INSERT INTO {schema}.migration VALUES (\(next), 'records of tomorrow')")
            let before = try content()
            let error = #expect(throws: PostgresDatabaseError.self) { try place.open() }
            #expect(error?.code == .newer)
            #expect(error?.description.contains("they have format \(next), known here are 1 to \(next - 1)") == true)
            #expect(try content() == before)
        }

        /// The rows of every table.
        private func content() throws -> [[[String?]]] {
            let tables = ["migration", "store", "record", "snapshot", "journal", "opening", "command", "forgotten"]
            return try tables.map { try place.run("SELECT * FROM {schema}.\($0) ORDER BY 1, 2") }
        }

        /// The names of the steps that new tables have been through.
        private static func steps() throws -> [[String?]] {
            let place = try TestDatabase()
            try place.open().close()
            return try place.run("SELECT name FROM {schema}.migration ORDER BY number")
        }

        /// Makes tables of the present forms, and returns their file's name and the transactions in them.
        private func write() throws -> (name: String, transactions: String) {
            let database = try place.open()
            defer { database.close() }
            let ledger = try database.ledger("shop", lane: .caller)
            let transactions = try SampleHistory.record(on: ledger, database.journal("till"))
            let snapshot = try #require(try ledger.snapshot()).state.first.map { Int($0) / 2 } ?? 0
            return ("tables-\(try Self.steps().count).\(snapshot)", transactions)
        }

        @Test func `There are tables of the present forms`() throws {
            let (name, transactions) = try write()
            #expect(Self.names.contains(name), "write them: GOLDEN=1 swift test --filter Golden")
            #expect(try Self.golden.text("\(name).txt") == transactions)
        }

        @Test(.writesGolden) func `The tables of the present forms are written`() throws {
            let (name, transactions) = try write()
            guard !Self.names.contains(name) else { return }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "pg_dump", "--schema=\(place.schema)", "--inserts", "--no-owner", "--no-privileges",
                "--dbname=\(place.cluster.settings)",
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let dump = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            // Without comments, and commands of psql.
            let lines = dump.replacingOccurrences(of: place.schema, with: "{schema}").split(separator: "\n")
                .filter { !$0.hasPrefix("--") && !$0.hasPrefix("\\") }
            try Self.golden.write(lines.joined(separator: "\n") + "\n", to: "\(name).sql")
            try Self.golden.write(transactions, to: "\(name).txt")
        }
    }
#endif
