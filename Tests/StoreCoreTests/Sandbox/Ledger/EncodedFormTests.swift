import Foundation
import Testing

@testable import StoreCore

/// The encoded forms that ledgers and snapshots keep, whatever the types are called.
@Suite struct EncodedFormTests {
    fileprivate static let start = Date(timeIntervalSinceReferenceDate: 0)

    @Test func `A record has bare numbers, and calls operator and purchaser what the first version did`() throws {
        let sharing = FamilyChange.Sharing(
            key: FamilyChange.Key(purchaser: 0, member: 1, item: .product(3)),
            transaction: 7,
            product: 3,
            term: nil,
            isSilent: true
        )
        let record = LedgerRecord(date: Self.start, event: .operator(.family(.shared(sharing))))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(record)
        let expected = """
            {"date":0,"event":{"owner":{"_0":{"family":{"_0":{"shared":{"_0":{"isSilent":true,\
            "key":{"item":{"product":{"_0":3}},"member":1,"owner":0},"product":3,"transaction":7}}}}}}}}
            """
        #expect(String(decoding: data, as: UTF8.self) == expected)
        #expect(try JSONDecoder().decode(LedgerRecord.self, from: data) == record)
    }

    @Test func `A family's organizer and a server's request have the keys of their first form`() throws {
        let refund = AdvancedCommerceRefund(sku: "news", amount: 990, reason: "OTHER", type: "FULL", isRevoked: true)
        let request = AdvancedCommerceChange(
            reference: try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001")),
            transactions: [7],
            effect: .refunds([refund], isWhole: false)
        )
        let forms: [(OperatorChange, String)] = [
            (
                .family(.founded(name: "home", organizer: 0)),
                #"{"family":{"_0":{"founded":{"name":"home","organiser":0}}}}"#
            ),
            (
                .server(.advancedCommerce(request)),
                """
                {"server":{"_0":{"advancedCommerce":{"_0":{"effect":{"refunds":{"_0":[{"amount":990,"isRevoked":true,\
                "reason":"OTHER","sku":"news","type":"FULL"}],"isWhole":false}},\
                "reference":"00000000-0000-4000-8000-000000000001","transactions":[7]}}}}}
                """
            ),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (change, text) in forms {
            #expect(String(decoding: try encoder.encode(change), as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(OperatorChange.self, from: Data(text.utf8)) == change)
        }
    }

    @Test func `In bytes, -1 is no number`() throws {
        let command = OrderID(journal: JournalID(rawValue: 7), number: 8)
        let finish = StoreEvent.Finish(device: 1, command: command, transaction: nil, order: nil, account: nil)
        let record = LedgerRecord(date: Self.start, event: .finished(finish))
        let data = try record.packed()
        // The form, the date, the device, the journal, the command, no transaction, no account, no order.
        #expect(Array(data) == [2] + [0, 0, 0, 0, 0, 0, 0, 0] + [2] + [7, 0, 0, 0, 0, 0, 0, 0] + [16, 1, 1, 0])
        #expect(try LedgerRecord(unpacking: data) == record)
    }

    @Test func `In bytes, a purchase without an order and an attempt at a notification are short`() throws {
        let purchase = UnorderedPurchase(
            account: 3,
            device: nil,
            transaction: 4,
            payment: StorePayment(productIdentifier: "a", quantity: 2),
            product: 5,
            charge: 7,
            subscription: nil
        )
        let bought = LedgerRecord(date: Self.start, event: .operator(.bought(purchase)))
        let attempt = ServerChange.attempted(record: 6, index: 1, result: "OTHER")
        let attempted = LedgerRecord(date: Self.start, event: .operator(.server(attempt)))
        // The form and the date, then each number twice, since negative ones take turns with the others.
        let forms: [(LedgerRecord, [UInt8])] = [
            (bought, [3] + [0, 0, 0, 0, 0, 0, 0, 0] + [1, 6, 8] + [1, 2, 0x61, 4] + [10] + [14, 0]),
            (attempted, [4] + [0, 0, 0, 0, 0, 0, 0, 0] + [12, 2] + [10] + Array("OTHER".utf8)),
        ]
        for (record, bytes) in forms {
            #expect(Array(try record.packed()) == bytes)
            #expect(try LedgerRecord(unpacking: Data(bytes)) == record)
            // As versions before these forms wrote it.
            #expect(try LedgerRecord(unpacking: [0] + JSONEncoder().encode(record)) == record)
        }
    }

    @Test func `In bytes, a purchase of a period and a charge of too many digits are in JSON`() throws {
        let ledger = MemoryLedger()
        let products: [SandboxProduct] = [
            .autoRenewable("monthly", price: "4.99", period: .init(1, .month), group: "all"),
            .nonConsumable("map", price: "1"),
        ]
        let account = try SandboxStore(products: products, ledger: ledger).account
        for product in products { try account.buy(product.identifier) }
        let purchase = UnorderedPurchase(
            account: 0,
            device: 0,
            transaction: 3,
            payment: StorePayment(productIdentifier: "map"),
            product: 1,
            charge: try #require(Decimal(string: "123456789012345678901.5")),
            subscription: nil
        )
        let records =
            ledger.read(after: products.count, limit: 10) + [
                LedgerRecord(date: Self.start, event: .operator(.bought(purchase)))
            ]
        #expect(try records.map { try $0.packed().first } == [0, 3, 0])
        for record in records { #expect(try LedgerRecord(unpacking: record.packed()) == record) }
    }

    @Test(arguments: [false, true])
    func `A purchase in a snapshot tells whether another one began its period`(continuesPeriod: Bool) throws {
        let payment = StorePayment(productIdentifier: "gold")
        let original = StoreTransaction.Original(identifier: "7", date: Self.start, payment: payment)
        let purchase = SandboxState.Purchase(
            source: .details(StoreTransaction.Details(failure: nil, original: original, receipt: nil)),
            product: 3,
            continuesPeriod: continuesPeriod
        )
        var pack = BinaryEncoder()
        purchase.pack(into: &pack)
        var unpacking = BinaryDecoder(pack.data)
        #expect(try SandboxState.Purchase(unpacking: &unpacking).continuesPeriod == continuesPeriod)
    }

    /// The properties that a snapshot has, of which each is written and read by a line of its own.
    private static let properties: Set = [
        "catalog", "position", "transactions", "accounts", "devices", "nextTransaction", "waiting",
        "lastPurchaseChange", "isDamaged", "subscriptions", "offers", "operatorState", "billing", "revocations",
        "families", "server", "places",
    ]

    @Test func `A snapshot has every property of the state, but for what no store has used yet`() throws {
        var state = SandboxState()
        state.apply(.registered(.consumable("coins", price: "0.99")))
        // The numbers of names are those of the rows.
        let derived: Set = ["accountNumbers", "deviceNumbers"]
        #expect(Set(Mirror(reflecting: state).children.compactMap(\.label)) == Self.properties.union(derived))
        func text() throws -> String { String(decoding: try Self.bytes(state), as: UTF8.self) }
        #expect(try !text().contains("{"))
        state.apply(.operator(.promotionChanged(device: 0, .order(["coins"]))))
        #expect(try text().contains("\"promotionOverrides\":{\"0\":"))
    }

    @Test func `A snapshot with bytes behind its end is refused`() throws {
        let bytes = try Self.bytes(SandboxState()) + [0]
        #expect(throws: BinaryDecoder.Trouble.self) { try Self.state(bytes) }
    }

    @Test func `A snapshot that is cut short anywhere is refused`() throws {
        var state = SandboxState()
        state.apply(.registered(.consumable("coins", price: "0.99")))
        state.apply(.ordered(Self.order(1, StorePayment(productIdentifier: "coins"))))
        let bytes = try Self.bytes(state)
        for count in 0..<bytes.count {
            let part = bytes.prefix(count)
            #expect(throws: (any Error).self, "\(count) of \(bytes.count) bytes") { try Self.state(part) }
        }
        #expect(try Self.state(bytes).transactions.count == 1)
    }

    @Test func `A snapshot keeps what is undecided, lost and changed, and the last number`() throws {
        var state = SandboxState()
        let payments = [1, 1, 2].map { StorePayment(productIdentifier: "coins", quantity: $0) }
        state.apply(.registered(.consumable("coins", price: "0.99")))
        for (number, payment) in zip(1..., payments) { state.apply(.ordered(Self.order(number, payment))) }
        state.apply(.asked(transaction: 2), .unreadable)
        let again = try Self.state(Self.bytes(state))
        #expect(again.position == 6 && again.lastPurchaseChange == 1 && again.isDamaged)
        #expect(again.nextTransaction == state.nextTransaction)
        #expect(again.waiting.count == 3 && again.waiting[1] == false && again.waiting[2] == true)
        let before = state
        #expect((1...3).allSatisfy { again.transactions[$0]?.transaction == before.transactions[$0]?.transaction })
        #expect((1...3).map { again.transactions[$0]?.transaction.payment } == payments)
        #expect(try Self.state(Self.bytes(SandboxState())).lastPurchaseChange == nil)
    }

    @Test func `A catalog in a snapshot knows that there was a bundle, whatever product it is now`() throws {
        let month = StoreProduct.Period(1, .month)
        var state = SandboxState()
        for product: SandboxProduct in [
            .subscriptionBundle("both", price: "1", period: month, group: "all", members: ["news"]),
            .autoRenewable("both", price: "1", period: month, group: "all"),
        ] {
            state.apply(.registered(product))
        }
        #expect(try Self.state(Self.bytes(state)).catalog.hasBundles)
        #expect(try !Self.state(Self.bytes(SandboxState())).catalog.hasBundles)
    }

    @Test func `A catalog in a snapshot keeps every kind of product, and what few products have`() throws {
        let prices = ["0.99", "123456789012345678.901", "0.0000000001", "0", "1", "2"]
        let kinds = SandboxProduct.Kind.allCases.filter { $0 != .autoRenewable }
        #expect(kinds.count == prices.count)
        var products = zip(kinds, prices).map { kind, price in
            SandboxProduct(
                identifier: kind.rawValue,
                kind: kind,
                referenceName: "Name of \(kind)",
                price: Decimal(string: price) ?? 0,
                localizations: [
                    .init(locale: "de", title: "Münzen", description: "viele"), .init(locale: "fr", title: ""),
                ],
                isFamilyShareable: kind == .nonConsumable
            )
        }
        products.append(.autoRenewable("monthly", price: "4.99", period: .init(1, .month), group: "all"))
        products.append(.freeSubscription("paper"))
        products.append(.consumable("abroad", price: "1").priced("2", in: "DEU"))
        products.append(.nonConsumable("map", price: "1").hosting(Data("here".utf8)))
        products.append(.consumable("gift", price: "1").redeemable(with: "GIFT", price: "0"))
        var state = SandboxState()
        for product in products { state.apply(.registered(product)) }
        state.apply(.availability(productIdentifier: "paper", .withdrawn))
        state.apply(.availability(productIdentifier: "abroad", .notYetPropagated(until: Self.start + 60)))
        state.apply(.operator(.storefront("DEU")))
        let again = try Self.state(Self.bytes(state)).catalog
        #expect(again.allProducts == products)
        let forms: [SandboxProduct.Kind: UInt8] = [
            .consumable: 1, .nonConsumable: 2, .autoRenewable: 3, .nonRenewing: 4, .freeSubscription: 5,
            .subscriptionSuite: 6, .subscriptionBundle: 7,
        ]
        for kind in SandboxProduct.Kind.allCases {
            var plain = BinaryEncoder()
            SandboxProduct(identifier: "a", kind: kind, referenceName: "", price: 1, localizations: [])
                .pack(into: &plain)
            #expect(plain.data.first == forms[kind])
        }
        var special = BinaryEncoder()
        products.first { $0.identifier == "monthly" }?.pack(into: &special)
        #expect(special.data.first == 0)
        #expect(products.allSatisfy { again.product($0.identifier) == $0 })
        #expect(again.countryCode == "DEU")
        #expect(again.onSale("paper", at: Self.start) == nil && again.onSale("monthly", at: Self.start) != nil)
        #expect(again.onSale("abroad", at: Self.start) == nil && again.onSale("abroad", at: Self.start + 60) != nil)
    }

    @Test func `A snapshot restores accounts, devices and what journals have sent, bit for bit`() throws {
        var state = SandboxState()
        state.apply(.registered(.consumable("coins", price: "0.99")))
        state.apply(.registered(.nonConsumable("game", price: "4.99")))
        state.apply(.accountAdded(name: "second"), .deviceAdded(name: "tablet", account: 1))
        state.apply(.deviceAdded(name: "till", account: nil))
        state.apply(.paymentsAllowed(device: 1, false), .signedIn(device: 0, account: nil))
        state.apply(.signedIn(device: 0, account: 1))
        state.apply(.receiptRefreshed(device: 2, ReceiptProperties(isExpired: true, isVolumePurchase: true)))
        state.apply(.operator(.family(.founded(name: "home", organizer: 0))))
        state.apply(.operator(.family(.joined(family: 0, account: 1))))
        for (number, journal) in zip(1..., [7, 8, 9, 7] as [UInt64]) {
            let order = StoreEvent.Order(
                device: 1,
                account: 1,
                command: Self.command(journal, number),
                transaction: state.nextTransaction,
                payment: StorePayment(productIdentifier: "game", quantity: number),
                product: 1,
                charge: 4.99
            )
            state.apply(.sold(order))
        }
        let finish = StoreEvent.Finish(device: 1, command: Self.command(9, 5), transaction: 2, order: nil, account: 1)
        state.apply(.finished(finish))
        let bytes = try Self.bytes(state)
        let again = try Self.state(bytes)
        #expect(try Self.bytes(again) == bytes)
        #expect(again.devices.map(\.account) == [1, 1, nil])
        #expect(again.devices.map(\.accounts) == [[0, 1], [1], []])
        #expect(again.devices.map(\.mayPay) == [true, false, true])
        #expect(again.devices.map(\.hasReceipt) == [false, true, true])
        #expect(again.devices.map(\.unfinished) == [0, 3, 0])
        #expect(again.devices.map(\.start) == state.devices.map(\.start))
        #expect(again.devices.map(\.receiptClaims) == state.devices.map(\.receiptClaims))
        #expect(again.devices[1].taken.has(Self.command(7, 4)) && !again.devices[1].taken.has(Self.command(7, 5)))
        #expect(again.devices[1].taken.has(Self.command(8, 2)) && !again.devices[1].taken.has(Self.command(8, 3)))
        #expect(again.devices[1].taken.has(Self.command(9, 5)) && !again.devices[1].taken.has(Self.command(9, 6)))
        #expect(again.accounts.map(\.name) == ["account", "second"] && again.accounts[1].owned == [1])
        #expect(again.accounts.map(\.lastPayment) == [nil, Self.start])
        let history = again.accounts[1].history
        #expect(history.indices.map { history[$0].isFinished } == [false, true, false, false])
        #expect(again.families.all.map(\.members) == [[0, 1]])
        // An account that is added twice, as by a foreign ledger, is found as the fold finds it.
        var twice = state
        twice.apply(.accountAdded(name: "second"))
        #expect(try Self.state(Self.bytes(twice)).account(named: "second") == twice.account(named: "second"))
        #expect(["account", "second", "third"].map(again.account(named:)) == [0, 1, nil])
        #expect(["device", "tablet", "till"].map(again.device(named:)) == [0, 1, 2])
    }

    private static func command(_ journal: UInt64, _ number: Int) -> OrderID {
        OrderID(journal: JournalID(rawValue: journal), number: number)
    }

    /// A first order of the first account, under one number everywhere.
    private static func order(_ number: Int, _ payment: StorePayment) -> StoreEvent.Order {
        StoreEvent.Order(
            device: 0,
            account: 0,
            command: command(7, number),
            transaction: TransactionNumber(rawValue: number),
            payment: payment,
            product: 0,
            charge: 0.99
        )
    }

    private static func bytes(_ state: SandboxState) throws -> Data {
        var pack = BinaryEncoder()
        try state.pack(into: &pack)
        return pack.data
    }

    private static func state(_ bytes: Data) throws -> SandboxState {
        var pack = BinaryDecoder(bytes)
        return try SandboxState(unpacking: &pack)
    }
}

extension SandboxState {
    fileprivate mutating func apply(_ events: StoreEvent...) {
        for event in events { apply(LedgerRecord(date: EncodedFormTests.start, event: event)) }
    }
}

@Suite struct ShortDecimalTests {
    @Test(arguments: [
        "0", "0.99", "-1", "1980", "9223372036854775807", "-9223372036854775807", "0.00000000000000000001",
    ])
    func `A number of few digits is two integers, and the same again`(text: String) throws {
        let number = try #require(Decimal(string: text))
        let short = try #require(ShortDecimal(number))
        var pack = BinaryEncoder()
        short.pack(into: &pack)
        var unpacking = BinaryDecoder(pack.data)
        #expect(try ShortDecimal(unpacking: &unpacking).value == number)
    }

    @Test(arguments: [128, -129, Int.max, .min]) func `An exponent that no number has is damage`(exponent: Int) {
        var pack = BinaryEncoder()
        pack.add(1)
        pack.add(exponent)
        var unpacking = BinaryDecoder(pack.data)
        #expect(throws: BinaryDecoder.Trouble.self) { try ShortDecimal(unpacking: &unpacking) }
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775808", "123456789012345678901234567890123456789", "nan"])
    func `A number of more digits has no short form`(text: String) throws {
        #expect(ShortDecimal(try #require(text == "nan" ? .nan : Decimal(string: text))) == nil)
    }
}
