import Foundation
import StoreCore
import StoreCrypto
import StoreScenario
import Testing

@testable import StoreServer

/// The page's lists beside that of transactions.
@Suite(.libcrypto) struct ConsoleListTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    /// Returns the values of a member in all pages of a list, one row at a time.
    private func all(_ path: String, _ member: String) throws -> [String] {
        var (seen, after): ([String], String) = ([], "")
        while true {
            let page = try shop.ask("\(path)limit=1\(after)")
            seen += page.rows.list.compactMap { $0[member].text }
            guard let next = page.next.text else { return seen }
            try #require(seen.count < 100)
            after = "&after=\(next)"
        }
    }

    @Test func `Subscriptions say until when there is access, and what then`() throws {
        try shop.perform("buy gold", "advance 1mo", "buy silver", "add-account Anna", "add-device phone --account Anna")
        try shop.perform("buy weekly --account Anna")
        let list = try shop.ask("/subscriptions")
        let (weekly, gold) = (list.rows[0], list.rows[1])
        #expect(list.total.number == 2 && weekly.account.text == "Anna" && weekly.state.text == "running")
        #expect(weekly.sentence.text == "until 8 Feb, then renews for $0.49" && weekly.charge.text == "0")
        #expect(weekly.periods.list.map(\.kind.text) == ["trial"])
        #expect(gold.sentence.text == "until 1 Mar, then renews as silver for $4.99" && gold.renews.bool == true)
        #expect(gold.until.text == "2025-03-01T00:00:00Z" && gold.original.text == "1" && gold.transaction.text == "2")
        #expect(gold.charge.text == "9.99" && gold.currency.text == "USD" && gold.group.text == "metals")
        #expect(gold.periods.list.map(\.transaction.text) == ["1", "2"])
        #expect(gold.periods[1].from.text == "2025-02-01T00:00:00Z")
        #expect(gold.periods[1].until.text == "2025-03-01T00:00:00Z" && gold.periods[1].kind.text == "paid")
    }

    @Test func `A subscription that is not paid for says so, with its grace period`() throws {
        try shop.perform("buy gold", "grace-period on", "billing-fails on", "advance-to-end")
        let grace = try shop.ask("/subscriptions?state=grace").rows[0]
        #expect(grace.sentence.text == "the payment failed; access until 17 Feb")
        #expect(grace.periods.list.map(\.kind.text) == ["paid", "grace"])
        try shop.perform("advance 20d")
        let retry = try shop.ask("/subscriptions?state=retry").rows[0]
        #expect(retry.sentence.text == "the payment failed; no access, tried again until 2 Apr")
        try shop.perform("advance 60d")
        let ended = try shop.ask("/subscriptions?state=ended").rows[0]
        #expect(ended.sentence.text?.hasSuffix(": the payment failed") == true)
        #expect(try shop.ask("/subscriptions?state=running").total.number == 0)
    }

    @Test func `A refunded period is one, and no more than 24 periods come`() throws {
        try shop.perform("buy weekly", "advance 420d", "renew magazines", "renew magazines", "refund last")
        let periods = try shop.ask("/subscriptions").rows[0].periods.list
        #expect(periods.count == 24 && periods.last?.kind.text == "refunded")
        #expect(periods.dropLast().allSatisfy { $0.kind.text == "paid" })
    }

    @Test(arguments: [
        ("", ["weekly", "daily", "gold"]), ("search=DAI&", ["daily"]), ("search=metals&", ["gold"]),
        ("product=gold&", ["gold"]), ("account=Anna&", ["weekly"]), ("state=ended&", ["daily"]),
    ])
    func `Subscriptions are filtered, newest first, and come in pages`(query: String, products: [String]) throws {
        try shop.perform("buy gold", "buy daily", "add-account Anna", "add-device phone --account Anna")
        try shop.perform("buy weekly --account Anna", "expire papers --account account")
        #expect(try all("/subscriptions?\(query)", "product") == products)
        #expect(try shop.ask("/subscriptions?\(query)").total.number == products.count)
    }

    @Test func `A subscription that never was is in no list`() throws {
        try shop.perform("buy gold", "delete 1")
        #expect(try shop.ask("/subscriptions").total.number == 0)
        #expect(try shop.ask("/overview").counts.subscriptions.number == 0)
    }

    @Test func `Customers have their devices, families, switches and purchases`() throws {
        try shop.perform("add-account Anna", "add-device phone --account Anna", "add-device pad --account Anna")
        try shop.perform("add-family Smiths --account Anna", "join-family Smiths --account account", "ask-to-buy on")
        try shop.perform(
            "buy sword --account Anna",
            "buy gold --account Anna",
            "buy coins --account Anna",
            "refund last"
        )
        let rows = try shop.ask("/customers").rows
        let (account, anna) = (rows[0], rows[1])
        #expect(anna.devices.list.map(\.device.text) == ["phone", "pad"])
        #expect(anna.devices[0].payments.bool == true && anna.devices[0].isSignedIn.bool == true)
        #expect(anna.family.name.text == "Smiths" && anna.family.role.text == "organizer")
        #expect(account.family.role.text == "member" && account.family.members.list.count == 2)
        #expect(account.switches.asksToBuy.bool == true && anna.switches.asksToBuy.bool == false)
        #expect(anna.owned.list.map(\.text) == ["sword"] && anna.running[0].product.text == "gold")
        #expect(anna.spent[0]["amount"].text == "11.98" && anna.spent[0].currency.text == "USD")
        #expect(account.spent.list.isEmpty && account.running[0].product.text == "gold")
        #expect(try all("/customers?search=phone&", "account") == ["Anna"])
        #expect(try all("/customers?", "account") == ["account", "Anna"])
    }

    @Test func `Products have their prices, periods and offers in words`() throws {
        let shelf = try ConsoleShop()
        try shelf.shop.store.register(
            .autoRenewable(
                "tin",
                price: "2.99",
                period: .init(3, .month),
                group: "metals",
                level: 3,
                introductoryOffer: .freeTrial(.init(1, .week)),
                promotionalOffers: [
                    .payAsYouGo(price: "0.99", every: .init(1, .month), times: 3, identifier: "spring"),
                    .payUpFront(price: "1.99", for: .init(6, .month), identifier: "half"),
                ]
            )
        )
        let tin = try shelf.ask("/products?search=tin").rows[0]
        #expect(tin.price.text == "2.99" && tin.currency.text == "USD" && tin.period.text == "3 months")
        #expect(tin.kind.text == "autoRenewable" && tin.kindWords.text == "Subscription" && tin.group.text == "metals")
        #expect(tin.offers.list.map(\.kind.text) == ["introductory", "promotional", "promotional"])
        #expect(
            tin.offers.list.map(\.words.text) == [
                "free for 1 week", "$0.99 per month for 3 months", "$1.99 for 6 months",
            ]
        )
        #expect(tin.offers[1].identifier.text == "spring" && tin.notOnSale.value is NSNull)
        try shelf.shop.store.setAvailability(.withdrawn, of: "tin")
        #expect(try shelf.ask("/products?search=tin").rows[0].notOnSale.text?.isEmpty == false)
        #expect(try all("/products?", "product") == Shop.products.map(\.identifier))
        #expect(try all("/products?kind=consumable&", "product") == ["coins"])
        #expect(try shop.ask("/products?kind=autoRenewable&limit=2").total.number == 4)
    }

    @Test func `A year that is billed monthly can be bought either way, and says how far its commitment is`() throws {
        let year = SandboxProduct.autoRenewable("year", price: "99.99", period: .yearly, group: "years")
        try shop.shop.store.register(year.billedMonthly(price: "9.99"))
        let row = try shop.ask("/products?search=year").rows[0]
        #expect(row.terms.text == "Subscription, 1 year")
        #expect(row.plans.list.map { $0[0].text } == ["", "monthly"])
        #expect(row.plans.list.map { $0[1].text } == ["$99.99 at once", "$9.99 each month for 1 year"])
        #expect(try shop.ask("/products?search=weekly").rows[0].plans.list.isEmpty)
        try shop.perform("buy year --billing-plan monthly", "advance 2mo")
        func sentence() throws -> String? { try shop.ask("/subscriptions").rows[0].sentence.text }
        let committed = "until 1 Apr, then renews for $9.99; payment 3 of 12, committed until 1 Jan 2026"
        #expect(try sentence() == committed)
        try shop.perform("auto-renew off years")
        #expect(try sentence() == committed + " and not renewed then")
    }

    @Test func `A bundle lists what is in it, and a generic product has a request by which it can be bought`() throws {
        var pass = SandboxProduct.autoRenewable("pass", price: "0.29", period: .monthly, group: "generic")
        pass.isAdvancedCommerce = true
        var charge = SandboxProduct.consumable("charge", price: "0.29")
        charge.isAdvancedCommerce = true
        for product in [ConsoleShop.bundle, pass, charge] { try shop.shop.store.register(product) }
        let row = try shop.ask("/products?search=both").rows[0]
        #expect(row.terms.text == "Bundle, 1 month: gold, weekly" && row.request.value is NSNull)
        let terms = try ["pass", "charge"].map { try shop.ask("/products?search=\($0)").rows[0].terms.text }
        #expect(terms == ["Generic subscription, 1 month", "Generic consumable"])
        for product in ["pass", "charge"] {
            let request = try #require(try shop.ask("/products?search=\(product)").rows[0].request.text)
            try shop.perform("buy \(product) --request \(Word.source(of: request, isQuoted: true))")
        }
        #expect(try shop.ask("/transactions").rows.list.map(\.product.text) == ["charge", "pass"])
        #expect(try shop.ask("/transactions").rows.list.map(\.charge.text) == ["0.29", "0.29"])
        try shop.perform("storefront DEU")
        let request = try #require(try shop.ask("/products?search=charge").rows[0].request.text)
        try shop.perform("buy charge --request \(Word.source(of: request, isQuoted: true))")
        let last = try shop.ask("/transactions").rows[0]
        #expect(last.charge.text == "0.29" && last.currency.text == "EUR")
    }

    @Test func `Prices are those of the storefront, in its currency`() throws {
        try shop.perform("storefront DEU", "buy gold")
        #expect(try shop.ask("/products").rows[0].currency.text == "EUR")
        #expect(try shop.ask("/transactions").rows[0].currency.text == "EUR")
        #expect(try shop.ask("/subscriptions").rows[0].sentence.text?.contains("€9.99") == true)
    }

    @Test func `A charge stays in the currency in which it was made`() throws {
        let shop = try ConsoleShop(.sandbox(CertificateAuthority(now: ManualClock().now)))
        try shop.perform("buy gold", "buy coins", "buy sword --outcome ask", "storefront DEU", "buy coins", "approve 3")
        let rows = try shop.ask("/transactions").rows.list
        #expect(rows.map(\.currency.text) == ["EUR", "EUR", "USD", "USD"])
        for (number, row) in zip(["4", "3", "2", "1"], rows) {
            let payload = try JSON(
                data: Data(try #require(shop.ask("/transaction/\(number)").jws["payload"].text).utf8)
            )
            #expect(payload.currency.text == row.currency.text)
        }
        #expect(try shop.ask("/subscriptions").rows[0].currency.text == "USD")
        let spent = try shop.ask("/customers").rows[0].spent.list
        #expect(spent.map(\.currency.text) == ["EUR", "USD"] && spent.map { $0["amount"].text } == ["2.98", "10.98"])
    }

    @Test func `Notifications come newest first, with what the server answered`() throws {
        let clock = ManualClock()
        let shop = try ConsoleShop(transport: ScriptedTransport(clock, [.success, .noResponse]))
        try shop.perform("buy gold", "buy coins", "advance 1mo")
        let list = try shop.ask("/notifications")
        #expect(list.rows.list.map(\.type.text) == ["DID_RENEW", "ONE_TIME_CHARGE", "SUBSCRIBED"])
        #expect(list.rows[2].result.text == "delivered" && list.rows[1].result.text == "failed")
        #expect(list.rows[1].transaction.text == "2" && list.rows[1].product.text == "coins")
        #expect(list.rows[1].account.text == "account" && list.rows[1].attempts[0].result.text == "NO_RESPONSE")
        for (query, types) in [
            ("type=SUBSCRIBED", ["SUBSCRIBED"]), ("transaction=3", ["DID_RENEW"]),
            ("result=failed", ["ONE_TIME_CHARGE"]),
            ("result=delivered&transaction=1", ["SUBSCRIBED"]), ("result=unsent", []), ("transaction=9", []),
        ] {
            let found = try shop.ask("/notifications?\(query)")
            #expect(found.rows.list.map(\.type.text) == types && found.total.number == types.count, "\(query)")
        }
        #expect(try shop.ask("/overview").server.failed.number == 1)
        let identifier = try #require(list.rows[1].notification.text)
        let one = try shop.ask("/notification/\(identifier)")
        #expect(one["payload"].notificationType.text == "ONE_TIME_CHARGE" && one.result.text == "failed")
        #expect(one.posts.list.count == 1 && one.posts[0].url.text != nil && one.posts[0].result.text == "NO_RESPONSE")
        #expect(one.transactionInfo.productId.text == "coins" && one.signedPayload.text?.isEmpty == false)
        #expect(shop.respond("GET", "/notification/\(UUID().uuidString)").status == 404)
    }

    @Test func `A page of notifications goes on where the last one ended, while others are sent`() throws {
        let shop = try ConsoleShop(transport: ScriptedTransport(ManualClock()))
        try shop.perform("buy coins", "buy coins", "buy coins")
        let first = try shop.ask("/notifications?limit=2")
        try shop.perform("buy coins")
        let rest = try shop.ask("/notifications?limit=2&after=\(try #require(first.next.text))")
        #expect(first.rows.list.map(\.transaction.text) == ["3", "2"])
        #expect(rest.rows.list.map(\.transaction.text) == ["1"] && rest.next.value is NSNull)
        #expect(rest.total.number == 4)
    }

    @Test func `Requests come newest first, while others are answered`() throws {
        for number in 1...3 { shop.control.requests.add(HTTPRequest("GET", "/inApps/\(number)"), status: 200) }
        let first = try shop.ask("/requests?limit=2")
        #expect(first.rows.list.map(\.path.text) == ["/inApps/3", "/inApps/2"] && first.total.number == 3)
        shop.control.requests.add(HTTPRequest("GET", "/inApps/4"), status: 404)
        let rest = try shop.ask("/requests?after=\(try #require(first.next.text))")
        #expect(rest.rows.list.map(\.path.text) == ["/inApps/1"] && rest.next.value is NSNull)
        #expect(try shop.ask("/requests").rows[0].status.number == 404)
    }

    @Test func `The server's settings are those of the control interface`() throws {
        #expect(try shop.ask("PATCH", "/server", #"{"isAvailable": false}"#).status == 200)
        let server = try shop.ask("/server")
        #expect(server.isAvailable.bool == false && server.notificationURL.value is NSNull)
        #expect(try server.keys == shop.ask("GET", "/server").json.keys)
    }

    @Test func `The timeline comes newest first, is searched, and has the positions of the events`() throws {
        try shop.perform("buy coins", "buy gold", "buy coins --outcome cancel")
        let lines = try shop.ask("/timeline?limit=2")
        #expect(
            lines.rows[0].kind.text == "refusal" && lines.rows[0].refusal.text?.hasPrefix("paymentCancelled") == true
        )
        #expect(lines.rows[0].transaction.text == "3" && lines.rows[1].what.text == "ordered")
        let next = try #require(lines.next.number)
        #expect(next == lines.rows[1].position.number)
        try shop.perform("buy sword")
        let rest = try shop.ask("/timeline?before=\(next)")
        #expect(rest.rows[0].product.text == "gold" && rest.rows[0].kind.text == "sale")
        #expect(try shop.ask("/timeline?search=GOLD+sold").rows.list.map(\.transaction.text) == ["2"])
        #expect(try shop.ask("/timeline?search=%231").rows.list.map(\.transaction.text) == ["1"])
        let position = try #require(shop.ask("/timeline").rows[0].position.number)
        let heard = try #require(shop.listen()).hear("\"sword\"")
        #expect(heard.contains("\"position\":\(position)"))
    }

    @Test(arguments: ConsoleRoute.all.map(\.name) + ["transaction/1", "notification/1", "events", "commands"])
    func `Nothing is read without the token`(name: String) throws {
        #expect(shop.respond("GET", "/\(name)", headers: ["Host": "127.0.0.1:8080"]).status == 401)
    }
}
