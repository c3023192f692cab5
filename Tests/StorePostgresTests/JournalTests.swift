#if canImport(CPostgres)
    import Foundation
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct JournalTests {
        private let place: TestDatabase

        init() throws { place = try TestDatabase() }

        private func commands(_ id: JournalID, _ numbers: ClosedRange<Int>) -> [StoreCommand] {
            numbers.map { number in
                let id = OrderID(journal: id, number: number)
                let payment = StorePayment(productIdentifier: "sword", quantity: number)
                return StoreCommand(
                    id: id,
                    action: number.isMultiple(of: 2) ? .finish(transaction: "漢\(number)") : .purchase(payment)
                )
            }
        }

        @Test func `A journal keeps commands through a relaunch, in their order, and forgets what is acknowledged`()
            throws
        {
            let journal = try place.open().journal("till")
            let first = try journal.open {}
            #expect(first.commands.isEmpty)
            let recorded = commands(first.id, 1...6)
            try journal.record(Array(recorded[0..<4]))
            try journal.record(Array(recorded[3...]))
            try journal.forget([recorded[1].id, recorded[4].id])
            let second = try place.open().journal("till").open {}
            #expect(second.id != first.id)
            #expect(second.commands == [recorded[0], recorded[2], recorded[3], recorded[5]])
            #expect(try place.open().journal("another").open {}.commands.isEmpty)
        }

        @Test func `Opening a journal in another process silences the queue that has it`() throws {
            let silenced = Counter()
            let journal = try place.open().journal("till")
            let first = try journal.open { silenced.ledgerMayHaveGrown() }
            let other = try place.open().journal("till")
            let second = try other.open {}
            let error = #expect(throws: PostgresDatabaseError.self) { try journal.record(commands(first.id, 1...1)) }
            #expect(error?.code == .superseded)
            silenced.wait()
            #expect(silenced.count == 1)
            try other.record(commands(second.id, 1...1))
            #expect(try other.open {}.commands == commands(second.id, 1...1))
        }

        @Test func `A notification of an earlier opening that comes late silences nobody`() throws {
            let database = try place.open()
            let journal = try database.journal("till")
            let silenced = Counter()
            let id = try journal.open { silenced.ledgerMayHaveGrown() }.id
            // On the same connection, behind the journal's.
            let ledger = try database.ledger("shop")
            let listener = Counter()
            ledger.add(listener)
            listener.wait()
            try place.run(
                "SELECT pg_notify('storecore_{schema}_journal_1', 'an earlier opening'), pg_notify('storecore_{schema}_store_1', '1')"
            )
            listener.wait(times: 2)
            #expect(database.statistics.notifications == 2)
            #expect(silenced.count == 0)
            try journal.record(commands(id, 1...1))
        }

        @Test func `A queue that is not used hears that another has opened its journal`() throws {
            let silenced = Counter()
            let journal = try place.open().journal("till")
            _ = try journal.open { silenced.ledgerMayHaveGrown() }
            _ = try place.open().journal("till").open {}
            silenced.wait()
        }

        @Test func `Opening a journal again silences the queue before, once`() throws {
            let silenced = Counter()
            let journal = try place.open().journal("till")
            _ = try journal.open { silenced.ledgerMayHaveGrown() }
            _ = try journal.open {}
            #expect(silenced.count == 1)
        }

        @Test func `Commands that cannot be read are reported, and the others are served`() throws {
            let journal = try place.open().journal("till")
            let recorded = commands(try journal.open {}.id, 1...3)
            try journal.record(recorded)
            try place.run("UPDATE {schema}.command SET payload = payload || '\\x20' WHERE number = 2")
            #expect(try journal.open {}.commands == [recorded[0], recorded[2]])
            #expect(place.log.lines == ["command 2 of the journal till cannot be read: its checksum does not match"])
        }

        @Test func `An order that was written down before a crash is sold once afterwards`() throws {
            let store = try SandboxStore(products: Shop.products, clock: SystemClock.shared)
            store.isReachable = false
            let database = try place.open()
            do {
                let queue = SKPaymentQueue(
                    backend: store,
                    journal: try database.journal("till"),
                    delivery: .inline,
                    log: .silent
                )
                let shopper = Shopper()
                queue.add(shopper)
                queue.add(SKPayment(productIdentifier: "sword"))
                withExtendedLifetime(shopper) {}
            }
            store.isReachable = true
            let queue = SKPaymentQueue(backend: store, journal: try place.open().journal("till"), delivery: .inline)
            let shopper = Shopper()
            queue.add(shopper)
            shopper.wait(for: "sword removed")
            #expect(try store.account.charges.count == 1)
            #expect(try place.run("SELECT count(*) FROM {schema}.command") == [["0"]])
        }
    }
#endif
