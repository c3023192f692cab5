import Foundation
import Testing

@testable import StoreCore

/// The encoded forms that ledgers and snapshots keep, whatever the types are called.
@Suite struct EncodedFormTests {
    private static let start = Date(timeIntervalSinceReferenceDate: 0)

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

    @Test func `In bytes, -1 is no number`() throws {
        let command = OrderID(journal: JournalID(rawValue: 7), number: 8)
        let finish = StoreEvent.Finish(device: 1, command: command, transaction: nil, order: nil, account: nil)
        let record = LedgerRecord(date: Self.start, event: .finished(finish))
        let data = try record.packed()
        // The form, the date, the device, the journal, the command, no transaction, no account, no order.
        #expect(Array(data) == [2] + [0, 0, 0, 0, 0, 0, 0, 0] + [2] + [7, 0, 0, 0, 0, 0, 0, 0] + [16, 1, 1, 0])
        #expect(try LedgerRecord(unpacking: data) == record)
    }

    @Test(arguments: [false, true]) func `A purchase in a snapshot tells whether another one began its period`(
        continuesPeriod: Bool
    ) throws {
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

    /// Parts that a snapshot omits while they are as in a new store.
    private static let omitted: Set = [
        "subscriptions", "offers", "owner", "billing", "revocations", "families", "server",
    ]

    @Test func `A snapshot has every property of the state, but for what no store has used yet`() throws {
        var state = SandboxState()
        state.apply(LedgerRecord(date: Self.start, event: .registered(.consumable("coins", price: "0.99"))))
        let names = Mirror(reflecting: state).children.compactMap(\.label).map { $0.trimmingPrefix("_") }
        let keys = Set(names.map { $0 == "operatorState" ? "owner" : String($0) })
        #expect(try Set(Self.json(state).keys) == keys.subtracting(Self.omitted))
        let change = OperatorChange.promotionChanged(device: 0, .order(["coins"]))
        state.apply(LedgerRecord(date: Self.start, event: .operator(change)))
        let object = try Self.json(state)
        #expect(Set(object.keys) == keys.subtracting(Self.omitted).union(["owner"]))
        let overrides = (object["owner"] as? [String: Any])?["promotionOverrides"] as? [String: Any]
        #expect(overrides.map { Array($0.keys) } == ["0"])
    }

    @Test func `A snapshot restores accounts, devices and what journals have sent, bit for bit`() throws {
        var state = SandboxState()
        func apply(_ events: StoreEvent...) {
            for event in events { state.apply(LedgerRecord(date: Self.start, event: event)) }
        }
        apply(.registered(.consumable("coins", price: "0.99")), .registered(.nonConsumable("game", price: "4.99")))
        apply(
            .accountAdded(name: "second"),
            .deviceAdded(name: "tablet", account: 1),
            .deviceAdded(name: "till", account: nil)
        )
        apply(.paymentsAllowed(device: 1, false), .signedIn(device: 0, account: nil), .signedIn(device: 0, account: 1))
        apply(.receiptRefreshed(device: 2, ReceiptProperties(isExpired: true, isVolumePurchase: true)))
        apply(
            .operator(.family(.founded(name: "home", organiser: 0))),
            .operator(.family(.joined(family: 0, account: 1)))
        )
        for (number, journal) in zip(1..., [7, 8, 9, 7] as [UInt64]) {
            apply(
                .sold(
                    StoreEvent.Order(
                        device: 1,
                        account: 1,
                        command: OrderID(journal: JournalID(rawValue: journal), number: number),
                        transaction: state.nextTransaction,
                        payment: StorePayment(productIdentifier: "game", quantity: number),
                        product: 1,
                        charge: 4.99
                    )
                )
            )
        }
        apply(
            .finished(StoreEvent.Finish(device: 1, command: Self.command(9, 5), transaction: 2, order: nil, account: 1))
        )
        let bytes = try Self.bytes(state)
        var pack = BinaryDecoder(bytes)
        let again = try SnapshotRows.decode(SandboxState.self, unpacking: &pack)
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
        #expect(again.accounts.map(\.name) == ["account", "second"])
        #expect(again.accounts[1].owned == [1])
        #expect(
            again.accounts[1].history.indices.map { again.accounts[1].history[$0].isFinished } == [
                false, true, false, false,
            ]
        )
        #expect(again.families.all.map(\.members) == [[0, 1]])
    }

    private static func command(_ journal: UInt64, _ number: Int) -> OrderID {
        OrderID(journal: JournalID(rawValue: journal), number: number)
    }

    private static func bytes(_ state: SandboxState) throws -> Data {
        var pack = BinaryEncoder()
        try SnapshotRows.encode(state, into: &pack)
        return pack.data
    }

    private static func json(_ state: SandboxState) throws -> [String: Any] {
        var pack = BinaryDecoder(try bytes(state))
        return try JSONSerialization.jsonObject(with: pack.data()) as? [String: Any] ?? [:]
    }
}
