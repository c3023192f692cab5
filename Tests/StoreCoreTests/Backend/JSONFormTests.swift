import Foundation
import Testing

@testable import StoreCore

/// The JSON of what crosses the socket, and the one that the first version wrote into journals and ledgers.
@Suite struct JSONFormTests {
    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func read<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    private static let order = OrderID(journal: JournalID(rawValue: 0xfedc_ba98_7654_3211), number: 7)

    @Test func `A journal is text, so that no reader loses its last bits`() throws {
        #expect(try text(Self.order) == #"{"journal":"fedcba9876543211","number":7}"#)
        #expect(try read(#"{"journal":"fedcba9876543211","number":7}"#) == Self.order)
        for wrong in [
            "fedcba987654321", "fedcba98765432110", "+edcba9876543211", "-000000000000000", "fedcba987654321g", "",
        ] {
            #expect(throws: DecodingError.self) {
                try read("{\"journal\":\"\(wrong)\",\"number\":7}", as: OrderID.self)
            }
        }
    }

    @Test func `A price is read whole or not at all`() throws {
        for text in ["0", "4.99", "-1", "9223372036854775.807"] {
            #expect(try read("[\"\(text)\"]", as: [DecimalText].self) == [DecimalText(Decimal(string: text)!)])
        }
        for wrong in ["", "-", "--1", ".", "1.", ".5", "1.2.3", "5-3", "1e3", "１"] {
            #expect(throws: DecodingError.self, "\(wrong)") { try read("[\"\(wrong)\"]", as: [DecimalText].self) }
        }
    }

    @Test func `A command names its type`() throws {
        let finish = StoreCommand(id: Self.order, action: .finish(transaction: "12"))
        let json = """
            {"action":{"transactionIdentifier":"12","type":"finish"},"id":{"journal":"fedcba9876543211","number":7}}
            """
        #expect(try text(finish) == json)
        #expect(try read(json) == finish)
    }

    @Test func `Commands in the form of the first version are read`() throws {
        let id = #""id":{"journal":18364758544493064721,"number":7}"#
        let purchase = """
            {\(id),"action":{"purchase":{"_0":{"productIdentifier":"sword","quantity":2,"purchaseDate":700000000.123,\
            "discount":{"signature":"c2ln","nonce":"8F0E0B5C-4F5D-4B52-9D3C-0B9C0B8A7E11","timestamp":1780000000123,\
            "keyIdentifier":"key","identifier":"spring"}}}}}
            """
        let command: StoreCommand = try read(purchase)
        #expect(command.id == Self.order)
        guard case .purchase(let payment) = command.action else { return _ = Issue.record("\(command)") }
        #expect(payment.discount?.timestamp == 1_780_000_000_123)
        #expect(payment.purchaseDate == Date(timeIntervalSinceReferenceDate: 700_000_000.123))
        #expect(try read(text(command)) == command)
        let finish: StoreCommand = try read("{\(id),\"action\":{\"finish\":{\"transaction\":\"1\"}}}")
        #expect(finish.action == .finish(transaction: "1"))
        let restore: StoreCommand = try read("{\(id),\"action\":{\"restore\":{}}}")
        #expect(restore.action == .restore(applicationUsername: nil))
    }

    @Test func `Changes of promotions in the form of the first version are read`() throws {
        #expect(try read(#"{"order":{"_0":["gold"]}}"#) == PromotionChange.order(["gold"]))
        let hidden = PromotionChange.visibility(productIdentifier: "gold", isShown: false)
        #expect(try read(#"{"visibility":{"productIdentifier":"gold","isShown":false}}"#) == hidden)
        #expect(try text(hidden) == #"{"isShown":false,"productIdentifier":"gold","type":"visibility"}"#)
        let only = #"{"productIdentifiers":["gold"],"type":"only","visibility":{"silver":false}}"#
        #expect(try read(only) == PromotionChange.only(["gold"], visibility: ["silver": false]))
        #expect(try text(PromotionChange.only(["gold"], visibility: ["silver": false])) == only)
        let before = #"{"order":["gold"],"visibility":{"silver":false}}"#
        let overrides = PromotionOverrides(order: ["gold"], visibility: ["silver": false])
        #expect(try read(before) == overrides)
        #expect(try text(overrides) == before)
    }

    @Test func `States, units and modes are names, and were numbers`() throws {
        let states: [StoreTransaction.State] = [.purchasing, .purchased, .failed, .restored, .deferred]
        for (number, state) in states.enumerated() {
            #expect(try text([state]) == "[\"\(state)\"]")
            #expect(try read("[\(number)]") == [state])
        }
        let units: [StoreProduct.Period.Unit] = [.day, .week, .month, .year]
        for (number, unit) in units.enumerated() {
            #expect(try text([unit]) == "[\"\(unit)\"]")
            #expect(try read("[\(number)]") == [unit])
        }
        let modes: [StoreProduct.Offer.PaymentMode] = [.payAsYouGo, .payUpFront, .freeTrial]
        for (number, mode) in modes.enumerated() {
            #expect(try text([mode]) == "[\"\(mode)\"]")
            #expect(try read("[\(number)]") == [mode])
        }
        for wrong in ["[5]", "[\"gone\"]", "[null]", "[256]"] {
            #expect(throws: DecodingError.self) { try read(wrong, as: [StoreTransaction.State].self) }
        }
    }

    @Test func `Prices are exact text, and were numbers`() throws {
        let terms = StoreProduct.BillingTerms(plan: .monthly, price: 9.99, commitmentPrice: 119.88)
        #expect(try text(terms) == #"{"commitmentPrice":"119.88","plan":"monthly","price":"9.99"}"#)
        #expect(try read(#"{"commitmentPrice":119.88,"plan":"monthly","price":9.99}"#) == terms)
        for price in ["12345678901234567890.0123456789", "0", "-1.5"] {
            let value = DecimalText(try #require(Decimal(string: price)))
            #expect(try text([value]) == "[\"\(price)\"]")
            #expect(try read(text([value])) == [value])
        }
        for wrong in [#"["1,5"]"#, #"[""]"#, #"["1e5"]"#, "[true]"] {
            #expect(throws: DecodingError.self) { try read(wrong, as: [DecimalText].self) }
        }
    }

    @Test func `Sizes are text, and were numbers`() throws {
        let content = StoreContent(identifier: "map", length: .max)
        #expect(try text(content) == #"{"identifier":"map","length":"9223372036854775807","version":"1.0"}"#)
        #expect(try read(#"{"identifier":"map","length":9223372036854775807,"version":"1.0"}"#) == content)
    }

    @Test(
        arguments: [
            (800_000_000.123, "2026-05-09T06:13:20.123Z"), (0, "2001-01-01T00:00:00.000Z"),
            (-0.5, "2000-12-31T23:59:59.500Z"), (-86_400.25, "2000-12-30T23:59:59.750Z"),
            (0.1, "2001-01-01T00:00:00.100Z"), (94_607_999.9999999, "2003-12-31T23:59:59.9999999Z"),
            (97_329_599, "2004-02-01T11:59:59.000Z"), (99_748_800, "2004-02-29T12:00:00.000Z"),
            (-63_113_904_000, "0001-01-01T00:00:00.000Z"), (252_423_993_599.5, "9999-12-31T23:59:59.500Z"),
            (-3_155_760_000, "1901-01-01T00:00:00.000Z"), (1.0 / 3, "2001-01-01T00:00:00.3333333333333333Z"),
        ] as [(Double, String)]
    ) func `A date is text that is the same when it is read`(seconds: Double, expected: String) throws {
        let date = DateText(Date(timeIntervalSinceReferenceDate: seconds))
        #expect(try text([date]) == "[\"\(expected)\"]")
        #expect(try read("[\"\(expected)\"]") == [date])
        #expect(try read("[\(seconds)]") == [date])
    }

    @Test func `Any date is the same after it was written and read`() throws {
        var random = SplitMix64(seed: 7)
        for range in [-63_113_904_000..<252_423_993_600, 7e8..<9e8, -2e4..<2e4, -1e300..<1e300] as [Range<Double>] {
            for _ in 0..<2_000 {
                let date = DateText(Date(timeIntervalSinceReferenceDate: .random(in: range, using: &random)))
                #expect(try read(text([date])) == [date])
            }
        }
    }

    @Test func `Dates with offsets and any number of digits are read, and nothing else`() throws {
        let noon = Date(timeIntervalSinceReferenceDate: 43_200)
        for text in ["2001-01-01T12:00:00Z", "2001-01-01T14:00:00.0+02:00", "2001-01-01T08:30:00.000-03:30"] {
            #expect(Date(exactText: text) == noon, "\(text)")
        }
        #expect(Date(exactText: "2001-01-01T00:00:00.12345678901234567890123Z") != nil)
        for text in [
            "", "2001-01-01", "2001-01-01T12:00:00", "2001-01-01 12:00:00Z", "2001-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2001-13-01T00:00:00Z", "2001-00-01T00:00:00Z", "2001-01-00T00:00:00Z", "2001-01-01T24:00:00Z",
            "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00Zx",
            "2001-01-01T00:00:00+1:00", "+001-01-01T00:00:00Z", "2001-01-01T00:00:00.１Z",
        ] { #expect(Date(exactText: text) == nil, "\(text)") }
    }
}
