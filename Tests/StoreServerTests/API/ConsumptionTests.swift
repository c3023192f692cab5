import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// Finishes what is bought.
private final class Finisher: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            queue.finishTransaction(transaction)
        }
    }
}

/// Reports on the consumption of a purchase: each member, and each combination that is refused.
@Suite(.libcrypto) struct ConsumptionTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    /// A whole report of the first version.
    static let first: [String: AnswerValue] = [
        "accountTenure": .number(0), "appAccountToken": .text(""), "consumptionStatus": .number(0),
        "customerConsented": .bool(true), "deliveryStatus": .number(0), "lifetimeDollarsPurchased": .number(0),
        "lifetimeDollarsRefunded": .number(0), "platform": .number(0), "playTime": .number(0),
        "sampleContentProvided": .bool(false), "userStatus": .number(0),
    ]
    /// The required members of the second version.
    static let second: [String: AnswerValue] = [
        "customerConsented": .bool(true), "deliveryStatus": .text("DELIVERED"), "sampleContentProvided": .bool(false),
    ]

    private static let token = "00000000-0000-4000-8000-000000000000"

    /// Each kind of product, and whether the first version takes it.
    private static let products = [("coins", true), ("sword", false), ("season", false), ("gold", true)]

    private func send(_ version: String, _ report: [String: AnswerValue], about transaction: String) throws -> JSON {
        try shop.ask("PUT", "\(version)/transactions/consumption/\(transaction)", .object(report)).json
    }

    /// Returns a report with other members; nil removes one.
    private func report(
        _ base: [String: AnswerValue],
        _ changes: KeyValuePairs<String, AnswerValue?>
    ) -> [String: AnswerValue] { changes.reduce(into: base) { $0[$1.key] = $1.value } }

    private static let numbers: [(member: String, most: Int, code: Int)] = [
        ("accountTenure", 7, 4_000_032), ("consumptionStatus", 3, 4_000_034), ("deliveryStatus", 5, 4_000_036),
        ("lifetimeDollarsPurchased", 7, 4_000_037), ("lifetimeDollarsRefunded", 7, 4_000_038),
        ("platform", 2, 4_000_039), ("playTime", 7, 4_000_040), ("userStatus", 4, 4_000_042),
    ]

    @Test(arguments: numbers)
    func `In the first version each number is required, and in its range`(member: String, most: Int, code: Int) throws {
        let coins = try shop.buy("coins")
        for number in [0, most] {
            let right = report(Self.first, [member: .number(number)])
            #expect(try send("v1", right, about: coins).errorCode.number == nil)
        }
        #expect(try shop.store.consumptionReports.count == 2)
        let wrong: [AnswerValue?] = [nil, .number(-1), .number(most + 1), .text("0"), .bool(true), .text("DELIVERED")]
        for value in wrong {
            let answer = try send("v1", report(Self.first, [member: value]), about: coins)
            #expect(answer.errorCode.number == code, "\(member): \(String(describing: value))")
        }
        let half = String(decoding: AnswerValue.object(Self.first).json, as: UTF8.self)
            .replacing("\"\(member)\":0", with: "\"\(member)\":0.5")
        let answer = try shop.ask("PUT", "v1/transactions/consumption/\(coins)", data: Data(half.utf8)).json
        #expect(answer.errorCode.number == code)
        #expect(try shop.store.consumptionReports.count == 2)
    }

    /// Members that are no numbers: the version, the member, what is right and what is wrong, where nil is its absence.
    private static let others: [(version: String, member: String, right: [AnswerValue?], wrong: [AnswerValue?], Int)] =
        [
            ("v1", "appAccountToken", [.text(""), .text(token)], [nil, .text("user"), .number(7)], 4_000_033),
            ("v1", "sampleContentProvided", [.bool(true)], [nil, .text("no"), .number(1)], 4_000_041),
            ("v1", "customerConsented", [.bool(true)], [nil, .bool(false), .text("true"), .number(1)], 4_000_035),
            (
                "v1", "refundPreference", [nil, .number(0), .number(3)],
                [.number(-1), .number(4), .text("DECLINE"), .bool(true)], 4_000_044
            ),
            ("v2", "customerConsented", [.bool(true)], [nil, .bool(false), .text("true"), .number(1)], 4_000_035),
            (
                "v2", "deliveryStatus",
                [.text("UNDELIVERED_QUALITY_ISSUE"), .text("UNDELIVERED_WRONG_ITEM"), .text("UNDELIVERED_OTHER")],
                [nil, .text("UNDELIVERED"), .text(""), .number(0)], 4_000_036
            ),
            ("v2", "sampleContentProvided", [.bool(true)], [nil, .text("no"), .number(1)], 4_000_041),
            (
                "v2", "refundPreference", [nil, .text("DECLINE"), .text("GRANT_FULL")],
                [.text("GRANT"), .text(""), .number(1), .bool(true)], 4_000_044
            ),
            (
                "v2", "consumptionPercentage", [nil, .number(0), .number(1), .number(100_000)],
                [.number(-1), .number(100_001), .text("50"), .bool(true), .list([])], 4_000_207
            ),
        ]

    @Test(arguments: others) func `Other members are required or not, and have their values`(
        version: String,
        member: String,
        right: [AnswerValue?],
        wrong: [AnswerValue?],
        code: Int
    ) throws {
        let coins = try shop.buy("coins")
        let base = version == "v1" ? Self.first : Self.second
        for value in right {
            let answer = try send(version, report(base, [member: value]), about: coins)
            #expect(answer.value == nil, "\(member): \(String(describing: value)): \(answer)")
        }
        for value in wrong {
            let answer = try send(version, report(base, [member: value]), about: coins)
            #expect(answer.errorCode.number == code, "\(member): \(String(describing: value))")
        }
        #expect(try shop.store.consumptionReports.count == right.count)
    }

    @Test(arguments: ["v1", "v2"]) func `What is no object, or no JSON, is malformed`(version: String) throws {
        let coins = try shop.buy("coins")
        for text in ["[]", "{", "", "1"] {
            let data = Data(text.utf8)
            let answer = try shop.ask("PUT", "\(version)/transactions/consumption/\(coins)", data: data).json
            #expect(answer.errorCode.number == 4_000_000)
        }
    }

    @Test(arguments: products)
    func `The first version takes two kinds of products, the second all`(product: String, isOld: Bool) throws {
        let bought = try shop.buy(product)
        #expect(try send("v1", Self.first, about: bought).errorCode.number == (isOld ? nil : 4_000_047))
        #expect(try send("v2", Self.second, about: bought).errorCode.number == nil)
    }

    @Test(arguments: products.map(\.0)) func `A percentage is for what does not renew`(product: String) throws {
        let bought = try shop.buy(product)
        for percentage in [0, 50_000] {
            let answer =
                try send("v2", report(Self.second, ["consumptionPercentage": .number(percentage)]), about: bought)
            #expect(answer.errorCode.number == (product == "gold" ? 4_000_209 : nil))
            let sentence =
                "Invalid request. The consumption percentage field is not supported for auto-renewable subscription transactions."
            #expect(product != "gold" || answer.errorMessage.text == sentence)
        }
    }

    @Test func `What was not delivered was not consumed`() throws {
        let coins = try shop.buy("coins")
        let statuses = ["QUALITY_ISSUE", "WRONG_ITEM", "SERVER_OUTAGE", "OTHER"].map { "UNDELIVERED_\($0)" }
        for status in statuses {
            for (percentage, code) in [(0, nil), (1, 4_000_208), (100_000, 4_000_208), (100_001, 4_000_207)] {
                let told = report(
                    Self.second,
                    ["deliveryStatus": .text(status), "consumptionPercentage": .number(percentage)]
                )
                #expect(try send("v2", told, about: coins).errorCode.number == code)
            }
        }
    }

    @Test(arguments: products.map(\.0))
    func `A prorated refund needs a percentage between none and all, if the store lacks it`(product: String) throws {
        let bought = try shop.buy(product)
        let renews = product == "gold"
        let prorated = report(Self.second, ["refundPreference": .text("GRANT_PRORATED")])
        #expect(try send("v2", prorated, about: bought).errorCode.number == (renews ? nil : 4_000_207))
        for (percentage, code) in [(0, 4_000_207), (1, nil), (99_999, nil), (100_000, 4_000_207)] {
            let told = report(prorated, ["consumptionPercentage": .number(percentage)])
            #expect(try send("v2", told, about: bought).errorCode.number == (renews ? 4_000_209 : code))
        }
    }

    /// A server's preference, and the share that the store refunds then, in thousandths of a percent; nil for none.
    private static let preferences: [(version: String, members: [String: AnswerValue], refunded: Int?)] = [
        ("v1", [:], 100_000), ("v1", ["refundPreference": .number(1)], 100_000),
        ("v1", ["refundPreference": .number(2)], nil), ("v1", ["refundPreference": .number(3)], 100_000),
        ("v2", [:], 100_000), ("v2", ["refundPreference": .text("GRANT_FULL")], 100_000),
        ("v2", ["refundPreference": .text("DECLINE")], nil),
        (
            "v2", ["refundPreference": .text("GRANT_PRORATED"), "consumptionPercentage": .number(40_000)],
            60_000
        ),
    ]

    @Test(arguments: preferences) func `A report decides the request that waits for it, and no other`(
        version: String,
        members: [String: AnswerValue],
        refunded: Int?
    ) throws {
        shop.store.refundDecision = .followServer
        let (coins, others) = (try shop.buy("coins"), try shop.buy("coins"))
        let report = (version == "v1" ? Self.first : Self.second).merging(members) { $1 }
        #expect(try shop.store.requestRefund(of: coins) == .taken)
        #expect(shop.store.refundRequests == [coins])
        for transaction in [others, coins] {
            #expect(try send(version, report, about: transaction).errorCode.number == nil)
        }
        let payload = try shop.store.signedTransaction(coins).payload
        #expect(payload.revocationPercentage == refunded && (payload.revocationDate == nil) == (refunded == nil))
        #expect(payload.revocationType == refunded.map { $0 == 100_000 ? .fullRefund : .proratedRefund })
        #expect(try shop.store.signedTransaction(others).payload.revocationDate == nil)
        #expect(try shop.store.refundRequests.isEmpty && shop.store.requestRefund(of: coins) == .duplicate)
        #expect(try shop.store.consumptionReports.count == 2)
    }

    @Test(arguments: [(0, 100_000), (15.5, 50_000), (31, nil)] as [(Double, Int?)])
    func `A prorated refund of a subscription is of what remains of its period`(days: Double, refunded: Int?) throws {
        shop.store.refundDecision = .followServer
        let gold = try shop.store.account.buy("gold")
        try shop.store.account.setAutoRenew(false, inGroup: "metals")
        #expect(try shop.store.requestRefund(of: gold) == .taken)
        let payload = try shop.store.signedTransaction(gold).payload
        let length = try #require(payload.expiresDate).date.timeIntervalSince(payload.purchaseDate.date)
        shop.clock.advance(by: length * days / 31)
        let prorated = report(Self.second, ["refundPreference": .text("GRANT_PRORATED")])
        #expect(try send("v2", prorated, about: gold).errorCode.number == nil)
        #expect(try shop.store.signedTransaction(gold).payload.revocationPercentage == refunded)
    }

    @Test func `A period that began at its approval counts from there`() throws {
        shop.store.refundDecision = .followServer
        try shop.store.account.setAsksToBuy(true)
        let queue = SKPaymentQueue(backend: shop.store, delivery: .inline)
        let finisher = Finisher()
        queue.add(finisher)
        defer { queue.remove(finisher) }
        queue.add(SKPayment(productIdentifier: "gold"))
        let gold = try #require(shop.store.transactions.last?.id)
        shop.clock.advance(by: 4 * 86_400)
        try shop.store.decide(gold, as: .approve)
        #expect(try shop.store.requestRefund(of: gold) == .taken)
        let prorated = report(Self.second, ["refundPreference": .text("GRANT_PRORATED")])
        #expect(try send("v2", prorated, about: gold).errorCode.number == nil)
        #expect(try shop.store.signedTransaction(gold).payload.revocationPercentage == 100_000)
    }

    @Test func `The repetition of a purchase by a restore cannot be refunded, and a report on it is kept`() throws {
        shop.store.refundDecision = .followServer
        try shop.buy("sword")
        let queue = SKPaymentQueue(backend: shop.store, delivery: .inline)
        let finisher = Finisher()
        queue.add(finisher)
        defer { queue.remove(finisher) }
        queue.restoreCompletedTransactions()
        let restored = try #require(shop.store.transactions.last { $0.origin == .restoration }?.id)
        #expect(try shop.store.requestRefund(of: restored) == .ineligible)
        #expect(try send("v2", Self.second, about: restored).errorCode.number == nil)
        #expect(try shop.store.consumptionReports.count == 1)
    }

    @Test func `A report decides nothing where the operator does`() throws {
        shop.store.refundDecision = .ask
        let coins = try shop.buy("coins")
        try shop.store.requestRefund(of: coins)
        let told = report(Self.second, ["refundPreference": .text("GRANT_FULL")])
        #expect(try send("v2", told, about: coins).errorCode.number == nil)
        #expect(shop.store.refundRequests == [coins])
    }

    @Test func `Nobody reports on what the family shares`() throws {
        let member = try shop.store.addAccount("member")
        try shop.store.addFamily("family", organizer: shop.account).add(member)
        try shop.buy("gold")
        let shared = try #require(try member.signedTransactions.first?.payload.transactionId)
        #expect(try send("v1", Self.first, about: shared).errorCode.number == 4_000_185)
        #expect(try send("v2", Self.second, about: shared).errorCode.number == 4_000_185)
        #expect(try shop.store.consumptionReports.isEmpty)
    }

    @Test func `A report is kept as it was sent, in both versions`() throws {
        let coins = try shop.buy("coins")
        let reports = [("v1", Self.first), ("v2", Self.second)].map { version, members in
            (version, AnswerValue.object(report(members, ["more": .list([.number(1)])])).json)
        }
        for (version, data) in reports {
            let (status, json) = try shop.ask("PUT", "\(version)/transactions/consumption/\(coins)", data: data)
            #expect(status == 202 && json.value == nil)
        }
        #expect(try shop.store.consumptionReports.map(\.json) == reports.map(\.1))
    }
}
