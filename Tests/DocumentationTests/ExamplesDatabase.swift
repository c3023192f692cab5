// The code of the article "Writing a backend" that keeps a shop in a database, compiled and run.
#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import StoreCore

    /// A connection to a database file, used by one thread at a time.
    final class ShopDatabase {
        struct Problem: Error, CustomStringConvertible { let description: String }

        private var handle: OpaquePointer?
        private let afterStatement: () throws -> Void

        /// Opens or creates a file.
        ///
        /// What `afterStatement` throws ends a transaction anywhere: a test kills the shop there.
        init(path: String, afterStatement: @escaping () throws -> Void) throws {
            self.afterStatement = afterStatement
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else { throw problem }
            sqlite3_busy_timeout(handle, 10_000)
        }

        deinit { sqlite3_close_v2(handle) }

        /// Runs a statement with values for its question marks, and returns its rows.
        @discardableResult
        func run(_ sql: String, _ values: String...) throws -> [[String]] {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw problem }
            defer { sqlite3_finalize(statement) }
            for (index, value) in values.enumerated() {
                sqlite3_bind_text(statement, Int32(index + 1), value, Int32(value.utf8.count), Self.copied)
            }
            var rows: [[String]] = []
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW:
                    rows.append(
                        (0..<sqlite3_column_count(statement)).map { column in
                            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                        }
                    )
                case SQLITE_DONE:
                    try afterStatement()
                    return rows
                default: throw problem
                }
            }
        }

        /// Runs statements that take effect together, or not at all.
        func transaction<Result>(_ body: () throws -> Result) throws -> Result {
            try run("BEGIN IMMEDIATE")
            do {
                let result = try body()
                try run("COMMIT")
                return result
            } catch {
                if sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
                throw error
            }
        }

        private var problem: Problem { Problem(description: String(cString: sqlite3_errmsg(handle))) }
        private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    extension ShopDatabase {
        func createTables() throws {
            try transaction {
                // The highest number that was taken of each journal, kept for good.
                try run("CREATE TABLE IF NOT EXISTS taken (journal TEXT PRIMARY KEY, number INTEGER NOT NULL)")
                // Which account is signed in on a device.
                try run("CREATE TABLE IF NOT EXISTS device (name TEXT PRIMARY KEY, account TEXT NOT NULL)")
                // Every transaction with the device that it is for. Identifiers are never used again.
                try run(
                    """
                    CREATE TABLE IF NOT EXISTS sale (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, device TEXT NOT NULL,
                        lasts INTEGER NOT NULL, body TEXT NOT NULL,
                        finished INTEGER NOT NULL DEFAULT 0, refunded INTEGER NOT NULL DEFAULT 0)
                    """
                )
                // What the account was charged, once for each order.
                try run("CREATE TABLE IF NOT EXISTS charge (command TEXT PRIMARY KEY, account TEXT, price TEXT)")
                // Every update of each device; a position is the place behind it. A notice waits for its acknowledgement.
                try run(
                    """
                    CREATE TABLE IF NOT EXISTS news (
                        position INTEGER PRIMARY KEY AUTOINCREMENT, device TEXT NOT NULL, body TEXT NOT NULL,
                        waits INTEGER NOT NULL DEFAULT 0)
                    """
                )
                try run("CREATE INDEX IF NOT EXISTS unfinished ON sale (device) WHERE finished = 0")
                try run("CREATE INDEX IF NOT EXISTS told ON news (device, position)")
            }
        }

        /// The last position of a device.
        func position(of device: String) throws -> Int {
            let rows = try run("SELECT coalesce(max(position), 0) FROM news WHERE device = ?", device)
            return Int(rows[0][0]) ?? 0
        }

        func add(_ update: StoreUpdate, for device: String, waits: Bool = false) throws {
            let body = String(decoding: try JSONEncoder().encode(update), as: UTF8.self)
            try run("INSERT INTO news (device, body, waits) VALUES (?, ?, ?)", device, body, waits ? "1" : "0")
        }

        /// Returns the updates behind a position.
        func updates(for device: String, after position: Int) throws -> [StoreUpdate] {
            try run(
                "SELECT body FROM news WHERE device = ? AND position > ? ORDER BY position",
                device,
                String(position)
            ).map { try value(of: $0[0]) }
        }

        /// Returns what is unfinished on a device, oldest first, behind the notices that nobody has acknowledged.
        func snapshot(of device: String) throws -> [StoreUpdate] {
            let notices = try run(
                "SELECT body FROM news WHERE device = ? AND waits = 1 ORDER BY position",
                device
            ).map { try value(of: $0[0]) as StoreUpdate }
            let unfinished = try run("SELECT body FROM sale WHERE device = ? AND finished = 0 ORDER BY id", device)
                .map { StoreUpdate.transaction(try value(of: $0[0])) }
            return notices + unfinished
        }

        func value<Value: Decodable>(of text: String) throws -> Value {
            try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        }
    }

    // Unchecked: all but the constants is touched on `queue`.
    final class DatabaseShop: @unchecked Sendable {
        let clock: any StoreClock
        fileprivate let items: [String: ShopServer.Item]
        private let queue = DispatchQueue(label: "shop")
        private let database: ShopDatabase
        private var connections: [ObjectIdentifier: Connection] = [:]

        private struct Connection {
            let device: String
            let receiver: any StoreUpdateReceiver
            var position: Int
        }

        init(
            path: String,
            items: [String: ShopServer.Item],
            clock: any StoreClock = SystemClock.shared,
            afterStatement: @escaping () throws -> Void = {}
        ) throws {
            (self.items, self.clock) = (items, clock)
            database = try ShopDatabase(path: path, afterStatement: afterStatement)
            try database.createTables()
        }

        /// Returns a device, signed in to an account: a backend of its own.
        func device(_ name: String, account: String) throws -> ShopDevice {
            try queue.sync {
                try database.transaction {
                    _ = try database.run(
                        """
                        INSERT INTO device VALUES (?, ?)
                        ON CONFLICT (name) DO UPDATE SET account = excluded.account
                        """,
                        name,
                        account
                    )
                }
            }
            return ShopDevice(shop: self, name: name, account: account)
        }

        /// Does something on the shop's queue, and tells the clock's activity that it is under way.
        fileprivate func perform(_ body: @escaping @Sendable (ShopDatabase) -> Void) {
            let work = clock.activity.begin()
            queue.async { [self] in
                body(database)
                work.end()
            }
        }
    }

    extension DatabaseShop {
        /// Takes commands: the numbers and what they lead to, in one transaction of the database.
        fileprivate func take(_ commands: [StoreCommand], from device: ShopDevice) throws {
            try database.transaction {
                for command in commands {
                    let isNew = try !database.run(
                        """
                        INSERT INTO taken VALUES (?, ?)
                        ON CONFLICT (journal) DO UPDATE SET number = excluded.number WHERE excluded.number > number
                        RETURNING number
                        """,
                        command.id.journal.description,
                        String(command.id.number)
                    ).isEmpty
                    if isNew { try carryOut(command, from: device) }
                }
            }
        }

        private func carryOut(_ command: StoreCommand, from device: ShopDevice) throws {
            switch command.action {
            case .purchase(let payment):
                let refusal = refusal(of: payment)
                let item = items[payment.productIdentifier]
                if refusal == nil, let item {
                    let price = item.price * Decimal(payment.quantity)
                    try database.run(
                        "INSERT INTO charge VALUES (?, ?, ?)",
                        command.id.description,
                        device.account,
                        "\(price)"
                    )
                }
                try open(for: device, lasts: refusal == nil && item?.isOwnedForGood == true) { identifier in
                    StoreTransaction(
                        identifier: identifier,
                        order: command.id,
                        payment: payment,
                        state: refusal == nil ? .purchased : .failed,
                        date: now,
                        failure: refusal
                    )
                }
            case .finish(let identifier):
                let finished = try database.run(
                    "UPDATE sale SET finished = 1 WHERE id = ? AND device = ? AND finished = 0 RETURNING body",
                    identifier,
                    device.name
                )
                guard let body = finished.first?[0] else { return }
                let transaction: StoreTransaction = try database.value(of: body)
                try database.add(.finished(transaction: identifier, order: transaction.order), for: device.name)
            case .restore:
                let owned = try database.run(
                    """
                    SELECT body FROM sale WHERE account = ? AND lasts = 1 AND finished = 1 AND refunded = 0 ORDER BY id
                    """,
                    device.account
                )
                for row in owned {
                    let sold: StoreTransaction = try database.value(of: row[0])
                    try open(for: device, lasts: false) { identifier in
                        StoreTransaction(
                            identifier: identifier,
                            payment: sold.payment,
                            state: .restored,
                            date: now,
                            original: .init(identifier: sold.identifier, date: sold.date, payment: sold.payment)
                        )
                    }
                }
                try database.add(.restoreEnded(command.id, failure: nil), for: device.name)
            }
        }

        private func refusal(of payment: StorePayment) -> StoreFailure? {
            let product = payment.productIdentifier
            guard items[product] != nil else { return .storeKit(.paymentInvalid, "the shop does not sell \(product)") }
            guard 1...10 ~= payment.quantity else {
                return .storeKit(.paymentInvalid, "the shop sells 1 to 10 of \(product) at once")
            }
            guard payment.requestData == nil else {
                return .storeKit(.unauthorizedRequestData, "the payment for \(product) carries request data")
            }
            guard payment.discount == nil, payment.offer == nil else {
                return .storeKit(.invalidOfferIdentifier, "the shop has no offers for \(product)")
            }
            return nil
        }

        /// Makes a transaction under the next identifier.
        private func open(for device: ShopDevice, lasts: Bool, _ transaction: (String) -> StoreTransaction) throws {
            let identifier = try database.run(
                "INSERT INTO sale (account, device, lasts, body) VALUES (?, ?, ?, '') RETURNING id",
                device.account,
                device.name,
                lasts ? "1" : "0"
            )[0][0]
            let transaction = transaction(identifier)
            let body = String(decoding: try JSONEncoder().encode(transaction), as: UTF8.self)
            try database.run("UPDATE sale SET body = ? WHERE id = ?", body, identifier)
            try database.add(.transaction(transaction), for: device.name)
        }

        /// In whole seconds, which every encoding keeps.
        private var now: Date { Date(timeIntervalSince1970: clock.now.timeIntervalSince1970.rounded(.down)) }

        /// Refunds a purchase, as the operator of the shop: what lasts is lost, and every device of the account hears so.
        func refund(_ identifier: String) throws {
            try queue.sync {
                try database.transaction {
                    let refunded = try database.run(
                        "UPDATE sale SET refunded = 1 WHERE id = ? AND refunded = 0 RETURNING account, lasts, body",
                        identifier
                    )
                    guard let row = refunded.first, row[1] == "1" else { return }
                    let sold: StoreTransaction = try database.value(of: row[2])
                    let devices = try database.run("SELECT name FROM device WHERE account = ?", row[0])
                    for device in devices {
                        let notice = StoreUpdate.revoked(productIdentifiers: [sold.payment.productIdentifier])
                        try database.add(notice, for: device[0], waits: true)
                    }
                }
            }
            perform { _ in self.sendNews() }
        }
    }

    extension DatabaseShop {
        fileprivate static let partSize = 100

        /// Connects a receiver, with a snapshot unless it can go on where it was.
        fileprivate func connect(_ receiver: any StoreUpdateReceiver, on device: String, after cursor: UpdateCursor?) {
            do {
                let end = try database.position(of: device)
                if let cursor, cursor.part == nil, cursor.position <= end {
                    connections[ObjectIdentifier(receiver)] = Connection(
                        device: device,
                        receiver: receiver,
                        position: cursor.position
                    )
                } else {
                    let updates = try database.snapshot(of: device)
                    connections[ObjectIdentifier(receiver)] = Connection(
                        device: device,
                        receiver: receiver,
                        position: end
                    )
                    send(updates, at: end, to: receiver)
                }
            } catch {
                receiver.connectionLost(.network(.networkConnectionLost, "the shop's database: \(error)"))
            }
            sendNews()
        }

        /// Sends a snapshot in parts; the last has no number.
        private func send(_ updates: [StoreUpdate], at position: Int, to receiver: any StoreUpdateReceiver) {
            var after: UpdateCursor?
            var rest = updates[...]
            repeat {
                let isLast = rest.count <= Self.partSize
                let through = UpdateCursor(position: position, part: isLast ? nil : (after?.part ?? 0) + 1)
                receiver.receive(
                    UpdateBatch(after: after, through: through, updates: Array(rest.prefix(Self.partSize)))
                )
                rest = rest.dropFirst(Self.partSize)
                after = through
            } while after?.part != nil
        }

        /// Sends every connection what it does not have yet.
        fileprivate func sendNews() {
            for (key, connection) in connections {
                do {
                    let end = try database.position(of: connection.device)
                    guard end > connection.position else { continue }
                    let updates = try database.updates(for: connection.device, after: connection.position)
                    connections[key]?.position = end
                    connection.receiver.receive(
                        UpdateBatch(
                            after: UpdateCursor(position: connection.position),
                            through: UpdateCursor(position: end),
                            updates: updates
                        )
                    )
                } catch {
                    connections[key] = nil
                    connection.receiver.connectionLost(
                        .network(.networkConnectionLost, "the shop's database: \(error)")
                    )
                }
            }
        }

        fileprivate func disconnect(_ receiver: any StoreUpdateReceiver) {
            connections[ObjectIdentifier(receiver)] = nil
        }
    }

    extension DatabaseShop {
        /// Decides an order that was left undecided, for the payment provider's webhook.
        ///
        /// The order is the key that the provider got, and the price what it charged: nil for a declined payment. What is
        /// decided stays as it is.
        func decide(_ order: String, paid price: Decimal?) throws {
            try queue.sync {
                try database.transaction {
                    let rows = try database.run(
                        """
                        SELECT id, account, device, body FROM sale
                        WHERE finished = 0
                            AND json_extract(body, '$.order.journal') || '/' || json_extract(body, '$.order.number') = ?
                        """,
                        order
                    )
                    guard let row = rows.first else { return }
                    let open: StoreTransaction = try database.value(of: row[3])
                    guard open.state == .purchasing || open.state == .deferred else { return }
                    let decided = StoreTransaction(
                        identifier: open.identifier,
                        order: open.order,
                        payment: open.payment,
                        state: price == nil ? .failed : .purchased,
                        date: now,
                        failure: price == nil ? .storeKit(.unknown, "the payment was declined") : nil
                    )
                    if let price {
                        try database.run("INSERT INTO charge VALUES (?, ?, ?)", order, row[1], "\(price)")
                    } else {
                        // A restore does not bring it.
                        try database.run("UPDATE sale SET lasts = 0 WHERE id = ?", row[0])
                    }
                    let body = String(decoding: try JSONEncoder().encode(decided), as: UTF8.self)
                    try database.run("UPDATE sale SET body = ? WHERE id = ?", body, row[0])
                    try database.add(.transaction(decided), for: row[2])
                }
            }
            perform { _ in self.sendNews() }
        }
    }

    /// The shop as one device sees it.
    final class ShopDevice: StoreBackend, StorefrontService {
        let shop: DatabaseShop
        let name: String
        let account: String

        init(shop: DatabaseShop, name: String, account: String) {
            (self.shop, self.name, self.account) = (shop, name, account)
        }

        var clock: any StoreClock { shop.clock }
        var storefront: StoreStorefront? { StoreStorefront(countryCode: "USA", identifier: "shop-usa") }

        func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
            shop.perform { [self] _ in
                do {
                    try shop.take(commands, from: self)
                    reply(.taken)
                } catch {
                    reply(.tryLater(.network(.cannotConnectToHost, "the shop's database: \(error)")))
                }
                shop.sendNews()
            }
        }

        func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
            shop.perform { [self] _ in shop.connect(receiver, on: name, after: cursor) }
        }

        func disconnect(_ receiver: any StoreUpdateReceiver) { shop.perform { [shop] _ in shop.disconnect(receiver) } }

        func acknowledge(through cursor: UpdateCursor) {
            shop.perform { [name] database in
                // Lost with the process, it is told once more.
                _ = try? database.run(
                    "UPDATE news SET waits = 0 WHERE device = ? AND waits = 1 AND position <= ?",
                    name,
                    String(cursor.position)
                )
            }
        }

        func products(
            _ identifiers: Set<String>,
            reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
        ) {
            var answer = ProductsAnswer(products: [])
            for identifier in identifiers.sorted() {
                guard let item = shop.items[identifier] else {
                    answer.invalidIdentifiers.append(identifier)
                    continue
                }
                answer.products.append(
                    StoreProduct(
                        identifier: identifier,
                        localizedTitle: item.title,
                        localizedDescription: "",
                        price: item.price,
                        priceLocaleIdentifier: "en_US@currency=USD"
                    )
                )
            }
            reply(.success(answer))
        }
    }
#endif
