#if canImport(CSQLite)
    import Foundation
    import StoreCore
    import StoreSQLite
    import TestSupport
    import Testing

    /// Files in each form that a version has written, with a ledger, a snapshot in it, and a queue's journal.
    ///
    /// A file's name has the form of the file and that of its snapshot. `GOLDEN=1 swift test --filter Golden` writes the file
    /// of the present forms.
    @Suite(.sqlite) struct GoldenLedgerTests {
        private static let golden = GoldenFolder()
        private static let names = golden.names("ledger-", ".sqlite")
        private let folder: Folder

        init() throws { folder = try Folder() }

        /// A file of a form.
        struct Form: CustomTestStringConvertible, Sendable {
            let name: String
            /// Statements that make the file of another form of a golden one, where the two have the same tables.
            var change = ""
            var testDescription: String { change.isEmpty ? name : "\(name), changed: \(change)" }
        }

        private static let forms =
            names.map { Form(name: $0) } + [
                Form(
                    name: "ledger-3.4",
                    change: step(4, "records of what servers change, and of requests for refunds")
                ),
                Form(
                    name: "ledger-3.4",
                    change: step(4, "records of what servers change, and of requests for refunds")
                        + step(5, "records of the tokens of devices elsewhere")
                        + step(6, "records of orders that are answered by what is held")
                ),
                Form(name: "ledger-9.12", change: "DELETE FROM migration WHERE number = 9; PRAGMA user_version = 8;"),
            ]

        private static func step(_ number: Int, _ name: String) -> String {
            "INSERT INTO migration VALUES (\(number), '\(name)'); PRAGMA user_version = \(number);"
        }

        private func place(_ form: Form) throws {
            try Self.golden.data("\(form.name).sqlite").write(to: folder.file)
            if !form.change.isEmpty { try RawDatabase(folder.file).run(form.change) }
        }

        private func open(readsSnapshot: Bool = true) throws -> (SQLiteDatabase, SandboxStore) {
            let database = try folder.open()
            let ledger: any Ledger = readsSnapshot ? database.ledger : PlainLedger(database.ledger)
            return (database, try SandboxStore(ledger: ledger))
        }

        @Test(arguments: forms, [true, false])
        func `A file of each form is read, with its snapshot or without, and sold from`(form: Form, readsSnapshot: Bool)
            throws
        {
            try place(form)
            let expected = try Self.golden.text("\(form.name).txt")
            do {
                let (database, store) = try open(readsSnapshot: readsSnapshot)
                #expect(try SampleHistory.transactions(of: store) == expected)
                #expect(store.storefront?.countryCode == "DEU")
                #expect(store.accounts.map(\.name) == ["account", "alice"])
                #expect(store.devices.map(\.name) == ["device", "tablet"])
                #expect(store.account.subscription(inGroup: "club")?.productIdentifier == "gold")
                #expect(store.sells("axe") == false && store.sells("sword") == true)
                let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
                let shopper = FinishingObserver()
                queue.add(shopper)
                queue.add(SKPayment(productIdentifier: "sword"))
                #expect(shopper.history.suffix(2) == ["sword purchased", "sword removed"])
                #expect(try database.check().isEmpty)
                database.close()
            }
            let (_, again) = try open(readsSnapshot: readsSnapshot)
            let text = try SampleHistory.transactions(of: again)
            #expect(text.hasPrefix(expected))
            #expect(text.dropFirst(expected.count).contains("sword: purchased, finished"))
        }

        @Test(arguments: forms) func `A journal of each form is read, and its commands reach the store`(form: Form)
            throws
        {
            try place(form)
            do {
                let (database, store) = try open()
                let count = try store.transactions.count
                let commands = try database.journal.open {}.commands
                #expect(commands.map(\.id.number) == [1, 2, 3])
                guard case .purchase(let payment)? = commands.first?.action else {
                    Issue.record("\(commands)")
                    return
                }
                #expect(payment.quantity == 2 && payment.applicationUsername == "üser")
                let queue = SKPaymentQueue(backend: store, journal: database.journal, delivery: .inline, log: .silent)
                let shopper = FinishingObserver()
                queue.add(shopper)
                #expect(try store.transactions.count == count + 2)
                #expect(shopper.history.count { $0 == "sword purchased" } == 2)
                database.close()
            }
            #expect(try folder.open().journal.open {}.commands.isEmpty)
        }

        @Test(arguments: [0, 2, -2]) func `A snapshot of the present form is used, and one of another passed over`(
            change: Int
        )
            throws
        {
            let name = try #require(Self.names.last)
            try place(Form(name: name))
            let database = try folder.open()
            let ledger = try #require(database.ledger as? any DurableLedger)
            let snapshot = try #require(try ledger.snapshot())
            var state = snapshot.state
            // The version is the first number, and numbers take turns with negative ones.
            state[state.startIndex] = UInt8(Int(state[state.startIndex]) + change)
            try ledger.keep(LedgerSnapshot(position: snapshot.position, state: state))
            let count = Locked(0)
            let watched = WatchedLedger(ledger, read: { records in count.withLock { $0 += records } })
            let store = try SandboxStore(ledger: watched)
            let read = count.withLock { $0 }
            #expect(try read == (change == 0 ? ledger.head - snapshot.position : ledger.head))
            #expect(try SampleHistory.transactions(of: store) == Self.golden.text("\(name).txt"))
        }

        /// Writes the file of the present forms, and returns its name and the transactions in it.
        private func write() throws -> (name: String, transactions: String) {
            let database = try folder.open()
            let ledger = try #require(database.ledger as? any DurableLedger)
            let transactions = try SampleHistory.record(on: ledger, database.journal)
            let snapshot = try #require(try ledger.snapshot()).state.first.map { Int($0) / 2 } ?? 0
            database.close()
            let raw = try RawDatabase(folder.file)
            // Small pages, which make a small file.
            try raw.run("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM")
            let form = try raw.texts("PRAGMA user_version").joined()
            return ("ledger-\(form).\(snapshot)", transactions)
        }

        @Test func `Files are in the order of their forms' numbers`() throws {
            let golden = GoldenFolder(beside: folder.file.path)
            for name in ["ledger-10.2", "ledger-9.12", "ledger-10.13"] { try golden.write("", to: "\(name).txt") }
            #expect(golden.names("ledger-", ".txt") == ["ledger-9.12", "ledger-10.2", "ledger-10.13"])
        }

        @Test func `There is a file of the present forms`() throws {
            let (name, transactions) = try write()
            #expect(Self.names.contains(name), "write it: GOLDEN=1 swift test --filter Golden")
            #expect(try Self.golden.text("\(name).txt") == transactions)
        }

        @Test(.writesGolden) func `The file of the present forms is written`() throws {
            let (name, transactions) = try write()
            guard !Self.names.contains(name) else { return }
            try Self.golden.write(Data(contentsOf: folder.file), to: "\(name).sqlite")
            try Self.golden.write(transactions, to: "\(name).txt")
        }
    }
#endif
