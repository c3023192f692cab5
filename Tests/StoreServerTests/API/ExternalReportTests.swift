import Foundation
import StoreCore
import StoreServer
import Testing

/// Reports on external purchases: what is accepted, and each mistake by its number.
@Suite(.libcrypto) struct ExternalReportTests {
    private let shop: Shop

    init() throws {
        shop = try Shop(appAppleIdentifier: 1_234_567)
        shop.store.externalPurchases = ExternalPurchaseSettings(presentsNotice: true, usesCustomLinks: true)
    }

    private static let start = 1_735_689_600_000
    private static let request = "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f"

    /// Requests a token as the app does, and returns its identifier: that of the notice unless a type is given.
    private func token(_ type: String? = nil) throws -> String {
        let answer = try shop.store.device.external(ExternalRequest(type == nil ? .notice : .token, type: type))
        return try #require(answer.token.flatMap { ExternalPurchaseToken(value: $0) }).externalPurchaseId
    }

    private func ask(_ method: String, _ path: String, _ body: Data = Data(), base: String = "") throws -> (Int, JSON) {
        let headers = ["Authorization": "Bearer \(try shop.key.token(shop.claims))"]
        let request = HTTPRequest(method, "\(base)/externalPurchase/v1/reports\(path)", headers: headers, body: body)
        let response = shop.router.respond(to: request)
        return (response.status, response.body.isEmpty ? JSON(nil) : try JSON(data: response.body))
    }

    private static func buy(_ id: String, _ more: KeyValuePairs<String, AnswerValue?> = [:]) -> AnswerValue {
        var members: [String: AnswerValue] = [
            "lineItemId": .text(id), "creationDate": .number(start), "eventType": "BUY", "productType": "ONE_TIME_BUY",
            "productIdentifier": "coins", "quantity": .number(1), "amountTaxExclusive": .number(1000),
            "amountTaxInclusive": .number(1200), "netAmountTaxExclusive": .number(1000), "taxAmount": .number(200),
            "taxCountry": "DEU", "reportingCurrency": "EUR", "pricingCurrency": "EUR",
        ]
        for (name, value) in more { members[name] = value }
        return .object(members)
    }

    /// The members of a purchase that make it the beginning of a subscription.
    private static func subscription(_ id: String, _ more: KeyValuePairs<String, AnswerValue?> = [:]) -> AnswerValue {
        guard case .object(var members) = buy(id) else { return "" }
        members["productType"] = "SUBSCRIPTION"
        members["subscriptionEvent"] = "SUBSCRIPTION_START"
        members["subscriptionStartDate"] = .number(start)
        members["subscriptionEndDate"] = .number(start + 1)
        members["subscriptionDaysOfPaidService"] = .number(0)
        for (name, value) in more { members[name] = value }
        return .object(members)
    }

    private static func refund(
        _ id: String,
        of purchase: String,
        _ more: KeyValuePairs<String, AnswerValue?> = [:]
    ) -> AnswerValue {
        guard case .object(var members) = buy(id) else { return "" }
        for name in ["productType", "productIdentifier", "quantity"] { members[name] = nil }
        members["eventType"] = "REFUND"
        members["referenceLineItemId"] = .text(purchase)
        members["netAmountTaxExclusive"] = .number(0)
        for (name, value) in more { members[name] = value }
        return .object(members)
    }

    /// Sends a report, and returns the numbers of its mistakes; none if it is accepted.
    @discardableResult
    private func send(
        _ token: String,
        _ items: [AnswerValue]? = nil,
        request: String = UUID().uuidString,
        status: String? = nil
    ) throws -> [Int] {
        var members: [String: AnswerValue] = [
            "requestIdentifier": .text(request), "externalPurchaseId": .text(token),
            "status": .text(status ?? (items == nil ? "NO_LINE_ITEM" : "LINE_ITEM")),
        ]
        members["lineItems"] = items.map { .list($0) }
        let (status, json) = try ask("PUT", "", AnswerValue.object(members).json)
        if status == 200 {
            #expect(json.requestIdentifier.text == request.lowercased())
            return []
        }
        #expect(status == 400)
        for mistake in json.errors.list {
            #expect(mistake.errorMessage.text?.isEmpty == false && mistake.fieldName.text?.isEmpty == false)
        }
        return json.errors.list.compactMap(\.errorCode.number)
    }

    @Test func `An accepted report is in the store, and is returned as it was sent`() throws {
        let token = try token()
        #expect(try send(token, [Self.buy("1")], request: Self.request) == [])
        let report = try #require(shop.store.externalPurchaseReports.first)
        #expect(report.externalPurchaseId == token && report.status == "LINE_ITEM" && report.date == shop.clock.now)
        #expect(shop.store.externalPurchaseTokens.map(\.status) == ["LINE_ITEM"])
        let (status, json) = try ask("GET", "/\(Self.request.uppercased())")
        #expect(status == 200 && json.keys == ["report"] && json.report.lineItems[0].taxCountry.text == "DEU")
        #expect(json.report.externalPurchaseId.text == token)
        let again = try SandboxStore(ledger: shop.ledger)
        #expect(again.externalPurchaseReports == shop.store.externalPurchaseReports)
        #expect(again.externalPurchaseTokens == shop.store.externalPurchaseTokens)
    }

    @Test func `A report that nobody sent is an error by itself`() throws {
        let (status, json) = try ask("GET", "/\(Self.request)")
        #expect(status == 400 && json.errorCode.number == 3 && json.fieldName.text == "requestIdentifier")
        #expect(json.errorMessage.text == "The referenced value was not found.")
    }

    @Test func `The API needs a token, has its methods, and is below no other path`() throws {
        let request = HTTPRequest("GET", "/externalPurchase/v1/reports/\(Self.request)")
        #expect(shop.router.respond(to: request).status == 401)
        #expect(try ask("POST", "").0 == 405)
        #expect(try ask("GET", "/a/b").0 == 404)
        #expect(try shop.ask("GET", "externalPurchase/v1/reports/\(Self.request)").status == 404)
        #expect(try ask("PUT", "", Data("[".utf8)).0 == 400)
    }

    @Test func `The servers of the other environment know no token and no report`() throws {
        let token = try token()
        try send(token, request: Self.request)
        let report = AnswerValue.object([
            "requestIdentifier": .text(UUID().uuidString), "externalPurchaseId": .text(token), "status": "NO_LINE_ITEM",
        ])
        #expect(try ask("PUT", "", report.json, base: "/production").1.errors[0].errorCode.number == 3)
        #expect(try ask("GET", "/\(Self.request)", base: "/production").1.errorCode.number == 3)
        #expect(shop.store.externalPurchaseReports.count == 1)
    }

    @Test func `A refused report changes nothing, and may be sent again when it is corrected`() throws {
        let token = try token()
        #expect(try send(token, [Self.buy("1", ["quantity": .number(0)])], request: Self.request) == [16])
        #expect(shop.store.externalPurchaseReports.isEmpty && shop.store.externalPurchaseTokens[0].status == nil)
        #expect(try send(token, [Self.buy("1")], request: Self.request) == [])
        #expect(try send(token, [Self.buy("2")], request: Self.request) == [1])
    }

    @Test func `The status goes with the transactions, and does not go back`() throws {
        let (token, services) = (try token(), try token("SERVICES"))
        #expect(try send(token, status: "LINE_ITEM") == [9])
        #expect(try send(token, [Self.buy("1")], status: "NO_LINE_ITEM") == [10])
        #expect(try send(token, status: "ANY") == [7])
        #expect(try send(token, status: "DUPLICATE_TOKEN") == [37])
        #expect(try send(services, status: "DUPLICATE_TOKEN") == [])
        #expect(try send("SANDBOX_gone", status: "UNRECOGNIZED_TOKEN") == [3])
        #expect(try send(token, status: "UNRECOGNIZED_TOKEN") == [])
        #expect(try send(token, [Self.buy("1")]) == [])
        #expect(try send(token, status: "NO_LINE_ITEM") == [8])
        let empty = try ask("PUT", "", Data("{\"status\":7}".utf8)).1
        #expect(empty.errors.list.map(\.errorCode.number) == [4, 4, 4])
        #expect(empty.errors.list.map(\.fieldName.text) == ["requestIdentifier", "externalPurchaseId", "status"])
    }

    @Test func `After a report with transactions, no report of a duplicate lets the status go back`() throws {
        let services = try token("SERVICES")
        #expect(try send(services, [Self.buy("1")]) == [])
        #expect(try send(services, status: "DUPLICATE_TOKEN") == [])
        #expect(try send(services, status: "NO_LINE_ITEM") == [8])
        #expect(try send(services, status: "UNRECOGNIZED_TOKEN") == [8])
    }

    private static let required = [
        "lineItemId", "creationDate", "eventType", "productType", "productIdentifier", "quantity", "amountTaxExclusive",
        "amountTaxInclusive", "netAmountTaxExclusive", "taxAmount", "taxCountry", "reportingCurrency",
        "pricingCurrency",
    ]

    @Test(arguments: required) func `Each member of a purchase is required`(member: String) throws {
        #expect(try send(token(), [Self.buy("1", [member: nil])]) == [4])
        #expect(try send(token(), [Self.buy("1", [member: .bool(true)])]) == [4])
    }

    @Test func `A member has its values`() throws {
        let token = try token()
        let cases: [(KeyValuePairs<String, AnswerValue?>, [Int])] = [
            (["eventType": "SALE"], [7]), (["productType": "COIN"], [7]), (["taxCountry": "Germany"], [7]),
            (["reportingCurrency": "euro"], [7]), (["quantity": .number(0)], [16]),
            (["exchangeRate": .number(0)], [16]), (["taxAmount": .number(199)], [11]),
            (["amountTaxExclusive": .number(-1), "amountTaxInclusive": .number(199)], [15, 12]),
            (["lineItemId": .text(String(repeating: "1", count: 129))], [19]),
            (["subscriptionEvent": "RENEWAL"], [5]), (["erroneouslySubmitted": .bool(true)], [20]),
            (["creationDate": .number(Self.start + 1)], [6]), (["netAmountTaxExclusive": .number(900)], [12]),
            (["restatement": .bool(true)], [3]), (["referenceLineItemId": "1"], [13]),
        ]
        for (changes, codes) in cases {
            #expect(try send(token, [Self.buy("1", changes)]) == codes, "\(changes)")
        }
        #expect(shop.store.externalPurchaseReports.isEmpty)
    }

    @Test func `A subscription has its members, and refers to its beginning`() throws {
        let token = try token()
        let cases: [(KeyValuePairs<String, AnswerValue?>, [Int])] = [
            (["subscriptionEvent": nil], [4]), (["subscriptionEvent": "BEGUN"], [7]),
            (["subscriptionEndDate": .number(Self.start - 1)], [17]),
            (["subscriptionDaysOfPaidService": .number(1)], [34]), (["subscriptionEvent": "RENEWAL"], [4]),
            (["subscriptionEvent": "RENEWAL", "referenceLineItemId": "none"], [3]),
            (
                [
                    "subscriptionEvent": "SUBSCRIPTION_PAYMENT", "referenceLineItemId": "0", "taxAmount": .number(0),
                    "amountTaxExclusive": .number(0), "amountTaxInclusive": .number(0),
                    "netAmountTaxExclusive": .number(0),
                ], [35]
            ),
        ]
        #expect(try send(token, [Self.subscription("0"), Self.buy("coins")]) == [])
        for (changes, codes) in cases {
            #expect(try send(token, [Self.subscription("1", changes)]) == codes, "\(changes)")
        }
        let renewal: KeyValuePairs<String, AnswerValue?> = [
            "subscriptionEvent": "RENEWAL", "referenceLineItemId": "coins",
            "subscriptionDaysOfPaidService": .number(30),
        ]
        #expect(try send(token, [Self.subscription("1", renewal)]) == [14])
    }

    @Test func `A refund refers to a purchase, with which it agrees`() throws {
        shop.clock.advance(by: 60)
        let token = try token()
        #expect(try send(token, [Self.buy("1", ["creationDate": .number(Self.start + 2)])]) == [])
        let later: AnswerValue = .number(Self.start + 3)
        let cases: [(KeyValuePairs<String, AnswerValue?>, [Int])] = [
            (["referenceLineItemId": nil], [4]), (["referenceLineItemId": "none"], [3]),
            (["quantity": "1"], [5]),
            (["taxCountry": "FRA"], [23]), (["reportingCurrency": "USD"], [2]), (["pricingCurrency": "USD"], [32]),
            (["exchangeRate": .number(2)], [33]), (["creationDate": .number(Self.start)], [31]),
            (["netAmountTaxExclusive": .number(1000)], [12]),
        ]
        for (changes, codes) in cases {
            guard case .object(var members) = Self.refund("2", of: "1", ["creationDate": later]) else { return }
            for (name, value) in changes { members[name] = value }
            #expect(try send(token, [.object(members)]) == codes, "\(changes)")
        }
        #expect(try send(token, [Self.refund("2", of: "1", ["creationDate": later])]) == [])
        #expect(try send(token, [Self.refund("3", of: "2", ["creationDate": later])]) == [21])
    }

    @Test func `A transaction is corrected or taken back by its identifier`() throws {
        let token = try token()
        let again: KeyValuePairs<String, AnswerValue?> = ["restatement": .bool(true)]
        let mistaken: KeyValuePairs<String, AnswerValue?> = [
            "restatement": .bool(true), "erroneouslySubmitted": .bool(true),
        ]
        #expect(try send(token, [Self.buy("1")]) == [])
        #expect(try send(token, [Self.buy("1")]) == [1])
        #expect(try send(token, [Self.buy("2"), Self.buy("2")]) == [1])
        #expect(try send(token, [Self.buy("1", again)]) == [])
        let moved: KeyValuePairs<String, AnswerValue?> = [
            "restatement": .bool(true), "creationDate": .number(Self.start - 1),
        ]
        #expect(try send(token, [Self.buy("1", moved)]) == [38])
        #expect(try send(token, [Self.buy("1", mistaken)]) == [])
        #expect(try send(token, [Self.buy("1", mistaken)]) == [30])
        #expect(try send(token, [Self.refund("3", of: "1")]) == [25])
        shop.clock.advance(by: 366 * 86_400)
        #expect(try send(token, [Self.buy("1", again)]) == [39])
    }

    @Test func `A purchase of any date is taken, and one of long ago is not corrected`() throws {
        let token = try token()
        let longAgo = AnswerValue.number(Int.min)
        #expect(try send(token, [Self.buy("1", ["creationDate": longAgo])]) == [])
        #expect(try send(token, [Self.buy("1", ["creationDate": longAgo, "restatement": .bool(true)])]) == [39])
        #expect(try send(token, [Self.refund("2", of: "1")]) == [40])
    }

    @Test func `A purchase is refunded for a year`() throws {
        let token = try token()
        #expect(try send(token, [Self.buy("1"), Self.buy("2")]) == [])
        shop.clock.advance(by: 365 * 86_400)
        #expect(try send(token, [Self.refund("3", of: "1")]) == [])
        shop.clock.advance(by: 1)
        #expect(try send(token, [Self.refund("4", of: "2")]) == [40])
    }

    @Test func `The net amount is that of the purchase less all refunds that were no mistakes`() throws {
        func part(_ id: String, _ amount: Int, leaving net: Int) -> AnswerValue {
            Self.refund(
                id,
                of: "1",
                [
                    "amountTaxExclusive": .number(amount), "amountTaxInclusive": .number(amount + 200),
                    "netAmountTaxExclusive": .number(net),
                ]
            )
        }
        let token = try token()
        #expect(try send(token, [Self.buy("1")]) == [])
        #expect(try send(token, [part("2", 400, leaving: 600)]) == [])
        #expect(try send(token, [part("3", 500, leaving: 500)]) == [12])
        #expect(try send(token, [part("3", 500, leaving: 100)]) == [])
        #expect(try send(token, [Self.buy("1", ["restatement": .bool(true)])]) == [12])
        guard case .object(var mistake) = part("2", 400, leaving: 600) else { return }
        mistake["restatement"] = .bool(true)
        mistake["erroneouslySubmitted"] = .bool(true)
        #expect(try send(token, [.object(mistake)]) == [])
        #expect(try send(token, [part("4", 100, leaving: 400)]) == [])
    }

    @Test func `A token whose lifetime is negative has what was bought at its creation`() throws {
        shop.store.externalPurchases.tokenLifetime = -5
        let services = try token("SERVICES")
        shop.clock.advance(by: 60)
        #expect(try send(services, [Self.buy("1", ["creationDate": .number(Self.start + 1)])]) == [36])
        #expect(try send(services, [Self.buy("1")]) == [])
    }

    @Test func `What is bought with a custom link's token is bought while it is active`() throws {
        let services = try token("SERVICES")
        shop.clock.advance(by: 2 * 3600)
        let late = AnswerValue.number(Self.start + 3_600_001)
        #expect(try send(services, [Self.buy("1", ["creationDate": late])]) == [36])
        #expect(try send(services, [Self.buy("1")]) == [])
    }
}

/// The notifications on tokens for external purchases, as a server decodes them.
@Suite(.libcrypto) struct ExternalNotificationTests {
    private let shop: Shop
    private let notifications: ServerNotifications

    init() throws {
        shop = try Shop(appAppleIdentifier: 1_234_567)
        shop.store.externalPurchases = ExternalPurchaseSettings(presentsNotice: true, usesCustomLinks: true)
        notifications = try ServerNotifications(shop.store)
    }

    private func token(_ type: String? = nil) throws -> String {
        let answer = try shop.store.device.external(ExternalRequest(type == nil ? .notice : .token, type: type))
        return try #require(answer.token.flatMap { ExternalPurchaseToken(value: $0) }).externalPurchaseId
    }

    private func report(_ token: String, _ status: String) throws {
        let report = AnswerValue.object([
            "requestIdentifier": .text(UUID().uuidString), "externalPurchaseId": .text(token), "status": .text(status),
        ])
        let headers = ["Authorization": "Bearer \(try shop.key.token(shop.claims))"]
        let request = HTTPRequest("PUT", "/externalPurchase/v1/reports", headers: headers, body: report.json)
        #expect(shop.router.respond(to: request).status == 200)
    }

    private var received: [String] { get throws { try notifications.received().map(\.description) } }

    @Test func `A custom link's token is told when it is made, and when it expires without a report`() throws {
        let services = try token("SERVICES")
        #expect(try received == ["EXTERNAL_PURCHASE_TOKEN CREATED"])
        let payload = JSON(try notifications.received()[0].signedPayload).payload
        #expect(payload.data.value == nil)
        let token = payload.externalPurchaseToken
        #expect(token.externalPurchaseId.text == services && token.tokenType.text == "SERVICES")
        #expect(token.appAppleId.number == 1_234_567 && token.bundleId.text == Shop.bundleIdentifier)
        #expect(token.tokenCreationDate.number == 1_735_689_600_000)
        #expect(token.tokenExpirationDate.number == 1_735_693_200_000)
        shop.clock.advance(by: 3599)
        #expect(try received.count == 1)
        shop.clock.advance(by: 1)
        #expect(try received.last == "EXTERNAL_PURCHASE_TOKEN UNREPORTED")
        let last = try #require(try notifications.received().last)
        #expect(last.externalPurchaseToken?.externalPurchaseId == services && last.date == shop.clock.now)
        shop.clock.advance(by: 100 * 86_400)
        #expect(try received.count == 2)
    }

    @Test func `The token of a notice is told after ten days, unless it was reported`() throws {
        _ = try token()
        let reported = try token()
        try report(reported, "NO_LINE_ITEM")
        shop.clock.advance(by: 10 * 86_400 - 1)
        #expect(try received == [])
        shop.clock.advance(by: 86_400)
        #expect(try received == ["EXTERNAL_PURCHASE_TOKEN UNREPORTED"])
        let token = try #require(try notifications.received()[0].externalPurchaseToken)
        #expect(token.tokenType == nil && token.expirationDate == nil && token.externalPurchaseId != reported)
    }

    @Test func `An active token is told of monthly, unless it is a duplicate`() throws {
        shop.store.externalPurchases.tokenLifetime = 100 * 86_400
        _ = try token("SERVICES")
        try report(try token("ACQUISITION"), "DUPLICATE_TOKEN")
        shop.clock.advance(by: 365 * 86_400)
        let reminder = "EXTERNAL_PURCHASE_TOKEN ACTIVE_TOKEN_REMINDER"
        #expect(try received.dropFirst(2) == [reminder, reminder, reminder, "EXTERNAL_PURCHASE_TOKEN UNREPORTED"])
        let days = try notifications.received().dropFirst(2).map { $0.date.timeIntervalSince1970 / 86_400 - 20_089 }
        #expect(days == [30, 60, 90, 100])
    }

    @Test func `Renewals and tokens are told in the order of their dates`() throws {
        _ = try token()
        try shop.buy("weekly")
        shop.clock.advance(by: 15 * 86_400)
        #expect(
            try received == [
                "SUBSCRIBED INITIAL_BUY", "DID_RENEW", "EXTERNAL_PURCHASE_TOKEN UNREPORTED", "DID_RENEW",
            ]
        )
    }

    @Test func `A quirk that delays renewals delays no notification on a token`() throws {
        shop.store.quirks = [.expiresForAMoment(20 * 86_400)]
        _ = try token()
        try shop.buy("weekly")
        shop.clock.advance(by: 11 * 86_400)
        #expect(try received.contains("EXTERNAL_PURCHASE_TOKEN UNREPORTED"))
    }
}
