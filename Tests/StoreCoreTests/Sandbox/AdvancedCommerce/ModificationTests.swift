import Foundation
import StoreCore
import Testing

/// Requests that modify a subscription of Advanced Commerce, or reactivate it.
@Suite struct ModificationTests {
    private typealias Request = RequestShop

    private let shop: RequestShop
    /// The first transaction of a subscription with two items.
    private let first: String

    init() throws {
        shop = try RequestShop()
        first = try shop.buy(Request.create(Request.item("sports", 40_000), Request.item("cartoons", 11_000)))
    }

    private var skus: [String] { get throws { try shop.renewalInfo.items.map(\.SKU) } }

    // MARK: Modifications

    @Test func `An added item costs a share of its price, and the whole price from the renewal on`() throws {
        // Half of January.
        shop.market.clock.advance(by: 15.5 * 86_400)
        let second = try shop.buy(Request.modify(first, ["addItems": [Request.item("news", 4990)]]))
        #expect(try shop.charges == [51, amount("2.495")])
        let payload = try shop.payload(of: second)
        #expect(payload.originalTransactionId == first)
        #expect(try payload.expiresDate == shop.payload(of: first).expiresDate)
        #expect(try shop.payload(of: first).isUpgraded == true && payload.isUpgraded == nil)
        #expect(try shop.info(of: second).items.map(\.SKU) == ["sports", "cartoons", "news"])
        #expect(try shop.renewal.renewalPrice == 55_990 && shop.subscriptions.count == 1)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try shop.charges.last == amount("55.99"))
    }

    @Test func `An item that is added after another one costs a share of its price by the whole billing cycle`() throws
    {
        shop.market.clock.advance(by: 15.5 * 86_400)
        let second = try shop.buy(Request.modify(first, ["addItems": [Request.item("news", 4990)]]))
        // A quarter of January is left.
        shop.market.clock.advance(by: 7.75 * 86_400)
        let third = try shop.buy(Request.modify(second, ["addItems": [Request.item("films", 8000)]]))
        #expect(try shop.charges == [51, amount("2.495"), 2])
        try shop.perform(.requestRefund, of: third, Request.refund("films"))
        #expect(try shop.account.totalRefunded == 2)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try shop.charges.last == amount("63.99"))
        // Half of February.
        shop.market.advance(to: "2025-02-15T00:00:00Z")
        try shop.buy(Request.modify(first, ["addItems": [Request.item("weather", 1000)]]))
        #expect(try shop.charges.last == amount("0.5"))
    }

    @Test func `An added item costs the prorated price that the request names`() throws {
        var news = Request.item("news", 4990)
        news["proratedPrice"] = 990
        try shop.buy(Request.modify(first, ["addItems": [news]]))
        #expect(try shop.charges == [51, amount("0.99")])
    }

    @Test func `An item is removed at the renewal, for which nothing is sold`() throws {
        let same = try shop.buy(Request.modify(first, ["removeItems": [["SKU": "cartoons"]]]))
        #expect(try same == first && shop.charges == [51])
        #expect(try skus == ["sports"] && shop.info(of: first).items.count == 2)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try shop.charges == [51, 40])
    }

    @Test func `An item is changed at the renewal`() throws {
        let change = Request.change("sports", to: Request.item("some.sports", 20_000), "NEXT_BILL_CYCLE", "DOWNGRADE")
        let texts = ["effective": "NEXT_BILL_CYCLE", "displayName": "Small Pass", "description": "Some channels"]
        try shop.buy(Request.modify(first, ["changeItems": [change], "descriptors": texts]))
        #expect(try skus == ["some.sports", "cartoons"] && shop.renewal.renewalPrice == 31_000)
        #expect(try shop.renewalInfo.descriptors.displayName == "Small Pass")
        #expect(try shop.info(of: first).descriptors?.displayName == "Streaming Pass")
    }

    @Test(arguments: [[:], ["removeItems": [["SKU": "cartoons"]]]])
    func `Texts that are changed at once are those of the running period, also if nothing is sold`(
        others: [String: [[String: String]]]
    ) throws {
        let texts = ["effective": "IMMEDIATELY", "displayName": "Small Pass", "description": "Some channels"]
        let same = try shop.buy(
            Request.modify(first, (["descriptors": texts] as Request.Members).merging(others) { $1 })
        )
        #expect(try same == first && shop.charges == [51])
        #expect(try shop.info(of: first).descriptors?.displayName == "Small Pass")
        #expect(try shop.renewalInfo.descriptors.displayName == "Small Pass")
        #expect(try shop.info(of: first).items.count == 2)
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(
            try shop.info(of: #require(shop.account.transactions.last).id).descriptors?.description == "Some channels"
        )
    }

    @Test func `An upgrade that resets the billing cycle begins another period now`() throws {
        shop.market.advance(to: "2025-01-15T00:00:00Z")
        let items = ["sports", "cartoons"].map { Request.change($0, to: Request.item("\($0).year", 99_990)) }
        let period = ["effective": "IMMEDIATELY", "period": "P1Y"]
        let second = try shop.buy(
            Request.modify(first, retains: false, ["changeItems": items, "periodChange": period])
        )
        #expect(try shop.charges == [51, amount("199.98")])
        #expect(try shop.payload(of: second).expiresDate?.date == Market.date("2026-01-15T00:00:00Z"))
        #expect(try shop.info(of: second).period == "P1Y" && shop.payload(of: first).isUpgraded == true)
    }

    @Test func `An offer of an item that begins with another billing cycle applies to as many periods as it says`()
        throws
    {
        let free = Request.item("sports.best", 60_000, offer: Request.offer(0, "P1M", 1))
        let items = [Request.change("sports", to: free)]
        try shop.buy(Request.modify(first, retains: false, ["changeItems": items]))
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try shop.charges == [51, 11, 71])
    }

    @Test func `An offer goes on with its next period if the billing cycle is reset`() throws {
        let trial = Request.item("films", 9990, offer: Request.offer(0, "P1W", 1))
        let films = try shop.buy(Request.create(trial))
        let news = Request.item("news", 4990, offer: Request.offer(990, "P1M", 2))
        try shop.buy(Request.modify(films, retains: false, ["addItems": [news]]))
        shop.market.advance(to: "2025-03-02T00:00:00Z")
        let periods = try shop.account.transactions.filter { $0.original == films || $0.id == films }
        #expect(periods.map(\.chargedAmount) == [0, amount("10.98"), amount("10.98"), amount("14.98")])
    }

    @Test func `The rest of a period is one of those to which an added item's offer applies`() throws {
        let news = Request.item("news", 4990, offer: Request.offer(0, "P1M", 1))
        try shop.buy(Request.modify(first, ["addItems": [news]]))
        shop.market.advance(to: "2025-02-02T00:00:00Z")
        #expect(try shop.charges == [51, 0, amount("55.99")])
    }

    @Test func `A modification can name another user of the app`() throws {
        let token = UUID().uuidString.lowercased()
        let request = Request.modify(first, ["addItems": [Request.item("news", 4990)]])
        let second = try shop.buy(Request.informed(request, ["appAccountToken": token]))
        #expect(try shop.payload(of: second).appAccountToken == token && shop.renewal.appAccountToken == token)
    }

    @Test func `An announced increase of a price outlasts a modification`() throws {
        try shop.perform(
            .changePrice,
            of: first,
            ["currency": "USD", "items": [["SKU": "cartoons", "price": 12_000]]]
        )
        try shop.buy(Request.modify(first, ["addItems": [Request.item("news", 4990)]]))
        #expect(try shop.renewalInfo.items.map { $0.priceIncreaseInfo?.price } == [nil, 12_000, nil])
    }

    @Test func `A token of an older renewal is refused`() throws {
        func request(_ token: String) -> RequestShop.Members {
            Request.informed(
                Request.modify(first, ["removeItems": [["SKU": "cartoons"]]]),
                ["consistencyToken": token]
            )
        }
        let token = try shop.renewalInfo.consistencyToken
        #expect(shop.fault(of: request(token)) == nil)
        #expect(shop.fault(of: request(token)) == 4_000_082)
    }

    /// A modification, as JSON without the common members, and the error's number.
    @Test(
        arguments: [
            ("{}", 4_000_063),
            (#"{"addItems": []}"#, 4_000_139),
            (#"{"retainBillingCycle": null, "removeItems": [{"SKU": "sports"}]}"#, 4_000_110),
            (#"{"removeItems": [{"SKU": "news"}]}"#, 4_000_145),
            (#"{"removeItems": [{"SKU": "sports"}, {"SKU": "cartoons"}]}"#, 4_000_168),
            (#"{"removeItems": [{"SKU": "sports"}, {"SKU": "sports"}]}"#, 4_000_143),
            (#"{"retainBillingCycle": false, "removeItems": [{"SKU": "sports"}]}"#, 4_000_144),
            (#"{"addItems": [ITEM("sports")]}"#, 4_000_114),
            (#"{"addItems": [ITEM("news", "proratedPrice": -1)]}"#, 4_000_091),
            (#"{"addItems": [ITEM("news", "proratedPrice": 9999)]}"#, 4_000_151),
            (#"{"changeItems": [ITEM("news")]}"#, 4_000_169),
            (#"{"changeItems": [{"currentSKU": "sports"}]}"#, 4_000_112),
            (#"{"changeItems": [ITEM("news", "currentSKU": "sports")]}"#, 4_000_111),
            (#"{"changeItems": [ITEM("news", "currentSKU": "sports", "effective": "IMMEDIATELY")]}"#, 4_000_095),
            (#"{"changeItems": [CHANGE("sports", "news", "IMMEDIATELY", "reason": "FUN")]}"#, 4_000_125),
            (#"{"changeItems": [CHANGE("weather", "news", "IMMEDIATELY")]}"#, 4_000_146),
            (#"{"changeItems": [CHANGE("sports", "sports", "IMMEDIATELY")]}"#, 4_000_178),
            (#"{"changeItems": [CHANGE("sports", "news", "NEXT_BILL_CYCLE", "proratedPrice": 1)]}"#, 4_000_222),
            (
                #"{"retainBillingCycle": false, "changeItems": [CHANGE("sports", "news", "NEXT_BILL_CYCLE")]}"#,
                4_000_148
            ),
            (#"{"periodChange": {"effective": "IMMEDIATELY", "period": "P1Y"}}"#, 4_000_141),
            (#"{"periodChange": {"effective": "NEXT_BILL_CYCLE", "period": "P1Y"}}"#, 4_000_140),
            (
                #"{"periodChange": {"effective": "NEXT_BILL_CYCLE", "period": "P1Y"}, "addItems": [ITEM("news")]}"#,
                4_000_142
            ),
            (
                #"""
                {"retainBillingCycle": false, "periodChange": {"effective": "IMMEDIATELY", "period": "P1Y"},
                "changeItems": [CHANGE("sports", "news", "NEXT_BILL_CYCLE")]}
                """#,
                4_000_149
            ),
            (#"{"transactionId": null, "removeItems": [{"SKU": "sports"}]}"#, 4_000_085),
            (#"{"transactionId": "x", "removeItems": [{"SKU": "sports"}]}"#, 4_000_006),
            (#"{"transactionId": "99", "removeItems": [{"SKU": "sports"}]}"#, 4_040_010),
        ] as [(String, Int)]
    )
    func `A modification that does not fit is refused with the number of the error`(text: String, code: Int) throws {
        let item = #"{"SKU": "$1", "displayName": "New", "description": "Something new", "price": 4990$2}"#
        let json = text.replacing(#/CHANGE\("([^"]*)", "([^"]*)", "([^"]*)"(.*?)\)/#) { match in
            let reason = match.4.contains("reason") ? "" : #", "reason": "UPGRADE""#
            return #"ITEM("\#(match.2)", "currentSKU": "\#(match.1)", "effective": "\#(match.3)"\#(reason)\#(match.4))"#
        }.replacing(#/ITEM\("([^"]*)"(.*?)\)/#) { match in
            item.replacing("$1", with: match.1).replacing("$2", with: match.2)
        }
        let members = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? RequestShop.Members)
        #expect(shop.fault(of: Request.modify(first, members)) == code)
        #expect(try shop.charges == [51] && shop.renewal.renewalPrice == 51_000)
    }

    @Test func `An item with an offer does not change within a billing cycle`() throws {
        let news = Request.item("news", 4990, offer: Request.offer(990, "P1M", 2))
        let other = try shop.buy(Request.create(news))
        let change = Request.change("news", to: Request.item("more.news", 9990))
        #expect(shop.fault(of: Request.modify(other, ["changeItems": [change]])) == 4_000_177)
    }

    @Test func `A subscription is modified by its account, while it is active`() throws {
        let bob = try shop.store.addAccount("bob")
        let request = Request.modify(first, ["removeItems": [["SKU": "sports"]]])
        #expect(failure { _ = try shop.buy(request, bob) }?.underlying?.code == 4_030_013)
        let book = try shop.buy(Request.charge())
        #expect(shop.fault(of: Request.modify(book, ["removeItems": [["SKU": "book"]]])) == 4_040_010)
        try shop.account.expireSubscription(inGroup: "requests")
        #expect(shop.fault(of: request) == 4_030_015)
    }

    // MARK: Reactivation

    @Test func `A subscription that was turned off renews again, with some of its items`() throws {
        #expect(shop.fault(of: Request.reactivate(first)) == 4_030_011)
        try shop.account.setAutoRenew(false, inGroup: "requests")
        #expect(shop.fault(of: Request.reactivate(first, ["news"])) == 4_000_220)
        #expect(try shop.buy(Request.reactivate(first, ["cartoons"])) == first)
        #expect(try shop.renewal.autoRenewStatus == .on && shop.renewal.renewalPrice == 11_000)
        #expect(try shop.charges == [51])
    }

    @Test func `A subscription does not begin again while another one has its items`() throws {
        try shop.account.expireSubscription(inGroup: "requests")
        try shop.buy(Request.create(Request.item("sports", 40_000)))
        #expect(shop.fault(of: Request.reactivate(first)) == 4_030_009)
        #expect(shop.fault(of: Request.reactivate(first, ["cartoons"])) == nil)
    }

    @Test func `A subscription that ended begins again, at the price of its items`() throws {
        try shop.account.expireSubscription(inGroup: "requests")
        let second = try shop.buy(Request.reactivate(first))
        #expect(try shop.charges == [51, 51] && shop.payload(of: second).originalTransactionId == first)
        #expect(try shop.subscriptions.first?.state == .subscribed)
    }

    // MARK: Notifications

    @Test func `Servers are notified of what requests change`() throws {
        let view = ServerView(shop.store)
        try view.beginNotifications()
        func told(_ act: () throws -> Void) throws -> [String] {
            let last = try view.notifications(after: nil, limit: .max).last?.position
            try act()
            return try view.notifications(after: last, limit: .max).map(\.words)
        }
        #expect(try told { try shop.buy(Request.charge()) } == ["ONE_TIME_CHARGE #2"])
        #expect(try told { try shop.buy(Request.create(Request.item("a", 990))) } == ["SUBSCRIBED INITIAL_BUY #3"])
        #expect(
            try told { try shop.buy(Request.modify(first, ["removeItems": [["SKU": "sports"]]])) }
                == ["DID_CHANGE_RENEWAL_PREF DOWNGRADE #1"]
        )
        #expect(
            try told { try shop.buy(Request.modify(first, ["addItems": [Request.item("news", 990)]])) }
                == ["DID_CHANGE_RENEWAL_PREF UPGRADE #5"]
        )
        let notification = try #require(try view.notifications(after: nil, limit: .max).last)
        #expect(notification.transaction?.advancedCommerceInfo?.items.count == 3)
        #expect(notification.renewal?.advancedCommerceInfo?.items.map(\.SKU) == ["cartoons", "news"])
    }
}
