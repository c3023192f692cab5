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

    @Test func `A snapshot has every property of the state, and -1 for nobody signed in`() throws {
        var state = SandboxState()
        state.apply(LedgerRecord(date: Self.start, event: .registered(.consumable("coins", price: "0.99"))))
        let change = OperatorChange.promotionChanged(device: 0, .order(["coins"]))
        state.apply(LedgerRecord(date: Self.start, event: .operator(change)))
        state.apply(LedgerRecord(date: Self.start, event: .signedIn(device: 0, account: nil)))
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(state)) as? [String: Any]
        let names = Mirror(reflecting: state).children.compactMap(\.label)
        #expect(Set(names.map { $0 == "operatorState" ? "owner" : $0 }) == Set((object ?? [:]).keys))
        let devices = object?["devices"] as? [[String: Any]]
        #expect(devices?.first?["account"] as? Int == -1)
        let overrides = (object?["owner"] as? [String: Any])?["promotionOverrides"] as? [String: Any]
        #expect(overrides.map { Array($0.keys) } == ["0"])
    }
}
