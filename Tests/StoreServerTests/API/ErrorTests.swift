import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// Each error of the API that a request can cause, by its number.
@Suite(.libcrypto) struct ErrorTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let code: Int
        let method: String
        let path: String
        var body: [String: AnswerValue]?

        init(_ code: Int, _ method: String, _ path: String, _ body: [String: AnswerValue]? = nil) {
            (self.code, self.method, self.path, self.body) = (code, method, path, body)
        }

        init(_ code: Int, notified more: [String: AnswerValue]) {
            self.init(code, "POST", "v1/notifications/history", ErrorTests.history(more))
        }

        init(_ code: Int, extendingAll more: [String: AnswerValue]) {
            self.init(code, "POST", "v1/subscriptions/extend/mass", ErrorTests.extended(more))
        }

        var testDescription: String { "\(code) \(method) \(path)" }
    }

    /// Transactions: 1 gold of the account, 2 coins, 3 sword, 4 gold's renewal, 5 gold shared with a member of the family.
    private static let cases: [Case] = [
        Case(4_000_000, "PUT", "v1/subscriptions/extend/1"),
        Case(4_000_000, "POST", "v1/subscriptions/extend/mass"),
        Case(4_000_000, "PUT", "v1/transactions/1/appAccountToken"),
        Case(4_000_000, "PUT", "v1/transactions/consumption/1"),
        Case(4_000_000, "POST", "v1/notifications/history"),
        Case(4_000_005, "GET", "v2/history/1?revision=none"),
        Case(4_000_005, "GET", "v1/history/1?revision="),
        Case(4_000_005, "GET", "v2/refund/lookup/1?revision=none"),
        Case(4_000_006, "GET", "v1/transactions/gold"),
        Case(4_000_006, "GET", "v1/transactions/-1"),
        Case(4_000_006, "GET", "v2/history/123456789012345678901"),
        Case(4_000_006, "GET", "v1/subscriptions/%31%00"),
        Case(4_000_006, "GET", "v2/refund/lookup/1.0"),
        Case(4_000_006, "GET", "v1/transactions/appTransactions/x"),
        Case(4_000_006, "POST", "v1/transactions/x/finish"),
        Case(4_000_006, "PUT", "v2/transactions/consumption/x", ["customerConsented": .bool(true)]),
        Case(4_000_008, "PUT", "v1/subscriptions/extend/x", extended()),
        Case(4_000_008, "PUT", "v1/subscriptions/extend/4", extended()),
        Case(4_000_008, "PUT", "v1/subscriptions/extend/3", extended()),
        Case(4_000_008, "PUT", "v1/transactions/x/appAccountToken", ["appAccountToken": .text(token)]),
        Case(4_000_009, "PUT", "v1/subscriptions/extend/1", extended(days: .number(0))),
        Case(4_000_009, "PUT", "v1/subscriptions/extend/1", extended(days: .number(91))),
        Case(4_000_009, "PUT", "v1/subscriptions/extend/1", extended(days: .text("10"))),
        Case(4_000_009, "POST", "v1/subscriptions/extend/mass", extended(days: nil)),
        Case(4_000_010, "PUT", "v1/subscriptions/extend/1", extended(reason: .number(4))),
        Case(4_000_010, "PUT", "v1/subscriptions/extend/1", extended(reason: .number(-1))),
        Case(4_000_010, "PUT", "v1/subscriptions/extend/1", extended(reason: nil)),
        Case(4_000_011, "PUT", "v1/subscriptions/extend/1", extended(request: .text(""))),
        Case(4_000_011, "PUT", "v1/subscriptions/extend/1", extended(request: nil)),
        Case(4_000_011, "PUT", "v1/subscriptions/extend/1", extended(request: .text(long))),
        Case(4_000_012, "POST", "v1/notifications/history", history(start: .number(1_600_000_000_000))),
        Case(4_000_013, "POST", "v1/notifications/history", history(end: .number(1_735_689_600_000))),
        Case(4_000_013, "POST", "v1/notifications/history", history(end: .number(1_737_000_000_000))),
        Case(4_000_013, "GET", "v2/history/1?startDate=2&endDate=1"),
        Case(4_000_013, "GET", "v2/history/1?startDate=2&endDate=2"),
        Case(4_000_014, "POST", "v1/notifications/history?paginationToken=x", history()),
        Case(4_000_014, "POST", "v1/notifications/history?paginationToken=", history()),
        Case(4_000_015, "POST", "v1/notifications/history", history(start: nil)),
        Case(4_000_015, "POST", "v1/notifications/history", history(start: .text("1"))),
        Case(4_000_015, "GET", "v2/history/1?startDate=today"),
        Case(4_000_015, "GET", "v2/history/1?startDate=-1"),
        Case(4_000_016, "POST", "v1/notifications/history", history(end: nil)),
        Case(4_000_016, "GET", "v2/history/1?endDate="),
        Case(4_000_018, "POST", "v1/notifications/history", history(["notificationType": .text("ANOTHER")])),
        Case(4_000_018, "POST", "v1/notifications/history", history(["notificationType": .number(1)])),
        Case(4_000_018, notified: ["notificationType": .text("DID_RENEW"), "notificationSubtype": .text("ANOTHER")]),
        Case(4_000_018, notified: ["notificationType": .text("DID_RENEW"), "notificationSubtype": .text("VOLUNTARY")]),
        Case(4_000_018, "POST", "v1/notifications/history", history(["notificationSubtype": .text("VOLUNTARY")])),
        Case(4_000_018, notified: ["notificationType": .text("EXPIRED"), "notificationSubtype": .number(1)]),
        Case(4_000_019, notified: ["notificationType": .text("TEST"), "transactionId": .text("1")]),
        Case(4_000_006, "POST", "v1/notifications/history", history(["transactionId": .text("x")])),
        Case(4_000_006, "POST", "v1/notifications/history", history(["transactionId": .number(1)])),
        Case(4_040_010, "POST", "v1/notifications/history", history(["transactionId": .text("99")])),
        Case(4_000_020, "GET", "v1/notifications/test/a%20token"),
        Case(4_000_020, "GET", "v1/notifications/test/\(long)"),
        Case(4_000_021, "GET", "v2/history/1?sort=UP"),
        Case(4_000_022, "GET", "v2/history/1?productType=CONSUMABLE&productType=OTHER"),
        Case(4_000_023, "GET", "v2/history/1?productId="),
        Case(4_000_023, "POST", "v1/subscriptions/extend/mass", extended()),
        Case(4_000_023, "POST", "v1/subscriptions/extend/mass", extended(["productId": .text("unknown")])),
        Case(4_000_023, "POST", "v1/subscriptions/extend/mass", extended(["productId": .text("coins")])),
        Case(4_000_024, "GET", "v2/history/1?subscriptionGroupIdentifier="),
        Case(4_000_025, "GET", "v1/history/1?excludeRevoked=yes"),
        Case(4_000_025, "GET", "v1/history/1?excludeRevoked="),
        Case(4_000_026, "GET", "v2/history/1?inAppOwnershipType=LENT"),
        Case(4_000_027, extendingAll: ["productId": .text("gold"), "storefrontCountryCodes": .list([])]),
        Case(4_000_028, extendingAll: ["productId": .text("gold"), "storefrontCountryCodes": .list([.text("US")])]),
        Case(4_000_028, extendingAll: ["productId": .text("gold"), "storefrontCountryCodes": .text("USA")]),
        Case(4_000_030, "GET", "v2/history/1?revoked=yes"),
        Case(4_000_031, "GET", "v1/subscriptions/1?status=0"),
        Case(4_000_031, "GET", "v1/subscriptions/1?status=1&status=6"),
        Case(4_000_031, "GET", "v1/subscriptions/1?status=active"),
        Case(4_000_047, "PUT", "v1/transactions/consumption/3", ConsumptionTests.first),
        Case(4_000_183, "PUT", "v1/transactions/1/appAccountToken", ["appAccountToken": .text("user")]),
        Case(4_000_183, "PUT", "v1/transactions/1/appAccountToken", ["appAccountToken": .number(1)]),
        Case(4_000_183, "PUT", "v1/transactions/1/appAccountToken", [:]),
        Case(4_000_187, "PUT", "v1/transactions/4/appAccountToken", ["appAccountToken": .text(token)]),
        Case(4_040_005, "PUT", "v1/subscriptions/extend/99", extended()),
        Case(4_040_005, "PUT", "v1/transactions/99/appAccountToken", ["appAccountToken": .text(token)]),
        Case(4_040_007, "POST", "v1/notifications/test"),
        Case(4_040_008, "GET", "v1/notifications/test/unknown"),
        Case(4_040_009, "GET", "v1/subscriptions/extend/mass/gold/unknown"),
        Case(4_040_009, "GET", "v1/subscriptions/extend/mass/unknown/unknown"),
        Case(4_040_010, "GET", "v1/transactions/99"),
        Case(4_040_010, "GET", "v1/transactions/01"),
        Case(4_040_010, "GET", "v1/history/99"),
        Case(4_040_010, "GET", "v1/subscriptions/99"),
        Case(4_040_010, "GET", "v2/refund/lookup/99"),
        Case(4_040_010, "GET", "v1/refund/lookup/99"),
        Case(4_040_010, "GET", "v1/transactions/appTransactions/99"),
        Case(4_040_010, "POST", "v1/transactions/99/finish"),
        Case(4_040_010, "PUT", "v1/transactions/consumption/99", ConsumptionTests.first),
        Case(4_040_010, "PUT", "v2/transactions/consumption/99", ConsumptionTests.second),
    ]

    private static let long = String(repeating: "a", count: 129)
    private static let token = "00000000-0000-4000-8000-000000000000"

    private static func extended(
        _ more: [String: AnswerValue] = [:],
        days: AnswerValue? = .number(10),
        reason: AnswerValue? = .number(1),
        request: AnswerValue? = .text("request")
    ) -> [String: AnswerValue] {
        let rest = ["extendByDays": days, "extendReasonCode": reason, "requestIdentifier": request]
        return more.merging(rest.compactMapValues(\.self)) { $1 }
    }

    private static func history(
        _ more: [String: AnswerValue] = [:],
        start: AnswerValue? = .number(1_737_000_000_000),
        end: AnswerValue? = .number(1_800_000_000_000)
    ) -> [String: AnswerValue] { more.merging(["startDate": start, "endDate": end].compactMapValues(\.self)) { $1 } }

    private static func shop() throws -> Shop {
        let shop = try Shop()
        for product in ["gold", "coins", "sword"] { try shop.buy(product) }
        shop.clock.advance(by: 35 * 86_400)
        return shop
    }

    @Test(arguments: cases)
    func `A request that makes no sense, or asks for what is not there, has its error`(_ refused: Case) throws {
        let shop = try Self.shop()
        let body = refused.body.map { AnswerValue.object($0) }
        #expect(try shop.error(refused.method, refused.path, body) == refused.code)
    }

    @Test func `A subscription that is not active, or was extended twice in a year, is not extended`() throws {
        let shop = try Shop()
        let gold = try shop.buy("gold")
        let path = "v1/subscriptions/extend/\(gold)"
        for number in 1...2 {
            #expect(try shop.ask("PUT", path, .object(Self.extended(request: .text("\(number)")))).status == 200)
        }
        #expect(try shop.error("PUT", path, .object(Self.extended(request: .text("3")))) == 4_030_005)
        let daily = try shop.buy("daily")
        try shop.account.setAutoRenew(false, inGroup: "papers")
        shop.clock.advance(by: 40 * 86_400)
        #expect(try shop.error("PUT", "v1/subscriptions/extend/\(daily)", .object(Self.extended())) == 4_030_004)
    }

    @Test func `A period that is free under an offer is not extended`() throws {
        let shop = try Shop()
        let tried = try shop.buy("weekly")
        let path = "v1/subscriptions/extend/\(tried)"
        let body = AnswerValue.object(Self.extended())
        let (status, json) = try shop.ask("PUT", path, body)
        #expect(status == 403 && json.errorCode.number == 4_030_004)
        #expect(json.errorMessage.text == "Forbidden - subscription state ineligible for extension.")
        // The week is over, and the next is paid for.
        shop.clock.advance(by: 8 * 86_400)
        #expect(try shop.ask("PUT", path, body).status == 200)
    }

    @Test func `Too many requests are told when the next one may come, in milliseconds since 1970`() throws {
        let shop = try Shop()
        shop.settings.failRequests(4_290_000, times: 1)
        shop.settings.failRequests(4_000_006, times: 1)
        let headers = ["Authorization": "Bearer \(try shop.key.token(shop.claims))"]
        let answers = (0..<2).map { _ in
            shop.router.respond(to: HTTPRequest("GET", "/inApps/v1/transactions/1", headers: headers))
        }
        #expect(answers.map(\.status) == [429, 400])
        #expect(answers[0].headers["Retry-After"] == "1735689601000" && answers[1].headers["Retry-After"] == nil)
    }

    @Test(arguments: [("Sandbox", 30), ("Production", 180)])
    func `Notifications' history goes back as far as its environment allows`(environment: String, days: Int) throws {
        let authority = try CertificateAuthority(now: ManualClock().now)
        let shop = environment == "Sandbox" ? try Shop.sandbox(authority) : try Shop.production(authority)
        shop.clock.advance(by: 365 * 86_400)
        let now = Int(shop.clock.now.timeIntervalSince1970 * 1000)
        let code = { (start: Int) in
            let body = Self.history(start: .number(start), end: .number(now + 1))
            return try shop.error("POST", "v1/notifications/history", .object(body))
        }
        #expect(try code(now - days * 86_400_000) == nil)
        #expect(try code(now - days * 86_400_000 - 1) == 4_000_012)
    }

    @Test func `What the family shares is not extended, and has no token`() throws {
        let shop = try Shop()
        let member = try shop.store.addAccount("member")
        let family = try shop.store.addFamily("family", organizer: shop.account)
        try family.add(member)
        try shop.buy("gold")
        let shared = try #require(try member.signedTransactions.first?.payload)
        #expect(shared.inAppOwnershipType == .familyShared)
        let path = "v1/subscriptions/extend/\(shared.originalTransactionId)"
        #expect(try shop.error("PUT", path, .object(Self.extended())) == 4_030_007)
        let body: [String: AnswerValue] = ["appAccountToken": .text(Self.token)]
        let token = "v1/transactions/\(shared.originalTransactionId)/appAccountToken"
        #expect(try shop.error("PUT", token, .object(body)) == 4_000_185)
    }

    @Test func `An app transaction's identifier is refused where a transaction's is needed`() throws {
        let shop = try Self.shop()
        let identifier = try #require(try shop.account.signedAppTransaction.payload.appTransactionId)
        #expect(try shop.error("GET", "v1/transactions/\(identifier)") == 4_000_048)
        #expect(try shop.error("POST", "v1/transactions/\(identifier)/finish") == 4_000_048)
        let body = AnswerValue.object(ConsumptionTests.first)
        #expect(try shop.error("PUT", "v1/transactions/consumption/\(identifier)", body) == 4_000_048)
    }

    @Test func `Every error can be ordered, with its number's first digits as the status`() throws {
        let shop = try Self.shop()
        #expect(Set(APIError.all.map(\.code)).count == APIError.all.count)
        #expect(APIError.all.map(\.code) == APIError.all.map(\.code).sorted())
        for error in APIError.all {
            shop.settings.failRequests(error.code, times: 1)
            #expect(try shop.error("GET", "v1/transactions/1") == error.code)
        }
        shop.settings.failRequests(4_290_000, times: 2)
        shop.settings.failRequests(1, times: 1)
        let codes = try (0..<4).map { _ in try shop.error("GET", "v1/transactions/1") }
        #expect(codes == [4_290_000, 4_290_000, nil, nil])
    }

    @Test func `A signer that fails is an internal error`() throws {
        let shop = try Shop(signer: { _ in FailingSigner() })
        let gold = try shop.buy("gold")
        #expect(try shop.error("GET", "v1/transactions/\(gold)") == 5_000_000)
        #expect(try shop.error("GET", "v2/history/\(gold)") == 5_000_000)
    }
}
