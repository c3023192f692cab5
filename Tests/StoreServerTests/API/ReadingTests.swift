import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// The functions of the API that change nothing.
@Suite(.libcrypto) struct ReadingTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    @Test func `A transaction is answered as the store signs it, at its own environment's bases`() throws {
        let shop = try Shop.sandbox(try CertificateAuthority(now: ManualClock().now))
        let gold = try shop.buy("gold")
        for base in ["", "/sandbox"] {
            let (status, json) = try shop.ask("GET", "v1/transactions/\(gold)", base: base)
            #expect(status == 200 && json.keys == ["signedTransactionInfo"])
            let payload = json.signedTransactionInfo.payload
            #expect(payload.transactionId.text == gold && payload.productId.text == "gold")
            #expect(payload.environment.text == "Sandbox" && payload.bundleId.text == Shop.bundleIdentifier)
        }
        #expect(try shop.error("GET", "v1/transactions/\(gold)", base: "/production") == 4_040_010)
    }

    @Test func `Each function of another environment's API knows nothing`() throws {
        let shop = try Shop(hasNotificationURL: true)
        let gold = try shop.buy("gold")
        let base = "/production"
        for path in ["v2/history/\(gold)", "v1/subscriptions/\(gold)", "v2/refund/lookup/\(gold)"] {
            #expect(try shop.error("GET", path, base: base) == 4_040_010)
        }
        #expect(try shop.error("PUT", "v1/subscriptions/extend/\(gold)", base: base) == 4_040_005)
        #expect(try shop.ask("GET", "v1/lookup/MX1", base: base).json.status.number == 1)
        #expect(try shop.error("POST", "v1/notifications/test", base: base) == 4_040_003)
        #expect(try shop.error("GET", "v1/notifications/test/a", base: base) == 4_040_008)
        #expect(try shop.error("GET", "v1/subscriptions/extend/mass/gold/a", base: base) == 4_040_009)
    }

    @Test(arguments: ["v1", "v2"]) func `A history has pages of 20, each behind its revision`(version: String) throws {
        let bought = try (0..<45).map { _ in try shop.buy("coins") }
        var query = ""
        var pages: [[String?]] = []
        while true {
            let (status, json) = try shop.ask("GET", "\(version)/history/\(bought[7])\(query)")
            #expect(status == 200)
            #expect(json.keys == ["revision", "hasMore", "bundleId", "environment", "signedTransactions"])
            pages.append(json.signedTransactions.list.map(\.payload.transactionId.text))
            let revision = try #require(json.revision.text)
            query = "?revision=\(revision)"
            guard json.hasMore.bool == true else { break }
        }
        #expect(pages.map(\.count) == [20, 20, 5] && pages.joined().map { $0 } == bought)
        // From the last revision on: what changes.
        #expect(try shop.ask("GET", "\(version)/history/\(bought[0])\(query)").json.signedTransactions.list.isEmpty)
        try shop.store.refund(bought[3])
        let changed = try shop.ask("GET", "\(version)/history/\(bought[0])\(query)").json.signedTransactions.list
        #expect(changed.map(\.payload.transactionId.text) == [bought[3]])
    }

    @Test func `An account is asked about by any of its transactions, and by its app transaction`() throws {
        let gold = try shop.buy("gold")
        let other = try shop.store.addAccount("another")
        try shop.store.refund(try shop.buy("coins", other))
        let app = try #require(try shop.account.signedAppTransaction.payload.appTransactionId)
        let others = try #require(try other.signedAppTransaction.payload.appTransactionId)
        let paths = ["v1/history/", "v2/history/", "v1/subscriptions/", "v1/refund/lookup/", "v2/refund/lookup/"]
        for path in paths {
            #expect(try shop.ask("GET", path + app).json.keys == shop.ask("GET", path + gold).json.keys)
        }
        let bought = { (path: String) in
            try shop.ask("GET", path).json.signedTransactions.list.map(\.payload.productId.text)
        }
        #expect(try bought("v2/history/\(app)") == ["gold"] && bought("v2/history/\(others)") == ["coins"])
        #expect(try bought("v2/refund/lookup/\(app)") == [] && bought("v2/refund/lookup/\(others)") == ["coins"])
        #expect(try shop.ask("GET", "v1/subscriptions/\(app)").json.data.list.count == 1)
        // Of an account that has bought nothing there is nothing to tell.
        let idle = try shop.store.addAccount("idle").signedAppTransaction.payload.appTransactionId
        #expect(try shop.error("GET", "v2/history/\(try #require(idle))") == 4_040_010)
    }

    @Test func `An unknown identifier costs no reading of the ledger for each account`() throws {
        let ledger = BrokenLedger()
        let shop = try Shop(ledger: ledger)
        let paths = ["v1/transactions/", "v1/transactions/appTransactions/", "v2/history/"]
        let calls = { (number: Int) throws -> Int in
            let before = ledger.calls
            for path in paths { #expect(try shop.error("GET", "\(path)\(number)") == 4_040_010) }
            return ledger.calls - before
        }
        _ = try calls(90_001)
        let ofOne = try calls(90_002)
        for number in 0..<20 { _ = try shop.store.addAccount("account \(number)") }
        _ = try calls(90_003)
        #expect(try calls(90_004) == ofOne)
    }

    @Test func `A history's query filters, and takes several values`() throws {
        let family = try shop.store.addAccount("another")
        for product in ["coins", "sword", "season", "gold", "daily"] { try shop.buy(product) }
        try shop.buy("coins", family)
        let refunded = try shop.buy("coins")
        try shop.store.refund(refunded)
        let history = { (query: String) -> [String] in
            let (status, json) = try shop.ask("GET", "v2/history/1?\(query)")
            #expect(status == 200, "\(query): \(json)")
            return json.signedTransactions.list.compactMap(\.payload.productId.text)
        }
        #expect(try history("") == ["coins", "sword", "season", "gold", "daily", "coins"])
        #expect(try history("sort=ASCENDING") == ["coins", "sword", "season", "gold", "daily", "coins"])
        #expect(try history("sort=DESCENDING") == ["coins", "daily", "gold", "season", "sword", "coins"])
        #expect(try history("productId=gold&productId=sword") == ["sword", "gold"])
        #expect(try history("productType=CONSUMABLE&productType=NON_RENEWABLE") == ["coins", "season", "coins"])
        #expect(try history("productType=AUTO_RENEWABLE") == ["gold", "daily"])
        #expect(try history("productType=NON_CONSUMABLE") == ["sword"])
        #expect(try history("subscriptionGroupIdentifier=papers") == ["daily"])
        let both = "subscriptionGroupIdentifier=papers&subscriptionGroupIdentifier=metals"
        #expect(try history(both) == ["gold", "daily"] && history("inAppOwnershipType=FAMILY_SHARED") == [])
        #expect(try history("inAppOwnershipType=PURCHASED").count == 6)
        for word in ["false", "False"] { #expect(try history("revoked=\(word)").count == 5) }
        for word in ["true", "True"] { #expect(try history("revoked=\(word)") == ["coins"]) }
        #expect(try history("startDate=1735689720000&endDate=1735689840000") == ["season", "gold"])
        #expect(try history("excludeRevoked=true").count == 5 && history("excludeRevoked=false").count == 6)
        #expect(try history("excludeRevoked=true&revoked=true").isEmpty)
    }

    @Test func `The first version of a history leaves finished consumables out that are not refunded`() throws {
        let bought = try ["coins", "sword", "coins", "coins", "season"].map { try shop.buy($0) }
        for transaction in bought {
            #expect(try shop.ask("POST", "v1/transactions/\(transaction)/finish").status == 200)
        }
        let coins = try shop.buy("coins")
        let history = { (version: String, query: String) in
            let json = try shop.ask("GET", "\(version)/history/\(coins)\(query)").json
            return json.signedTransactions.list.compactMap(\.payload.transactionId.text)
        }
        #expect(try history("v1", "") == [bought[1], bought[4], coins])
        #expect(try history("v1", "?sort=DESCENDING") == [coins, bought[4], bought[1]])
        #expect(try history("v1", "?productType=CONSUMABLE") == [coins])
        #expect(try history("v2", "") == bought + [coins])
        try shop.store.refund(bought[2])
        #expect(try history("v1", "") == [bought[1], bought[4], coins, bought[2]])
        #expect(try history("v1", "?revoked=true") == [bought[2]])
        #expect(try history("v1", "?productId=coins&excludeRevoked=true") == [coins] && history("v2", "").count == 6)
    }

    @Test func `Pages of the first version's history lack nothing, in either order`() throws {
        var unfinished: [String] = []
        for number in 0..<60 {
            let bought = try shop.buy(number % 3 == 0 ? "season" : "coins")
            if number % 3 == 1 {
                _ = try shop.ask("POST", "v1/transactions/\(bought)/finish")
            } else {
                unfinished.append(bought)
            }
        }
        for (sort, wanted) in [("ASCENDING", unfinished), ("DESCENDING", unfinished.reversed())] {
            var (seen, query): ([String], String) = ([], "?sort=\(sort)")
            while true {
                let json = try shop.ask("GET", "v1/history/\(unfinished[0])\(query)").json
                seen += json.signedTransactions.list.compactMap(\.payload.transactionId.text)
                query = "?sort=\(sort)&revision=\(json.revision.text ?? "")"
                guard json.hasMore.bool == true else { break }
            }
            #expect(seen == wanted)
        }
    }

    @Test func `The states of all subscriptions are answered by groups, filtered by state`() throws {
        let gold = try shop.buy("gold")
        let daily = try shop.buy("daily")
        try shop.account.setAutoRenew(false, inGroup: "papers")
        shop.clock.advance(by: 40 * 86_400)
        let (status, json) = try shop.ask("GET", "v1/subscriptions/\(daily)")
        #expect(status == 200 && json.keys == ["environment", "bundleId", "data"])
        #expect(json.data.list.map(\.subscriptionGroupIdentifier.text) == ["metals", "papers"])
        let metals = json.data[0].lastTransactions[0]
        #expect(metals.keys == ["status", "originalTransactionId", "signedTransactionInfo", "signedRenewalInfo"])
        #expect(metals.status.number == 1 && metals.originalTransactionId.text == gold)
        #expect(metals.signedRenewalInfo.payload.autoRenewProductId.text == "gold")
        #expect(json.data[1].lastTransactions[0].status.number == 2)
        let expired = try shop.ask("GET", "v1/subscriptions/\(gold)?status=2&status=3").json.data.list
        #expect(expired.map(\.subscriptionGroupIdentifier.text) == ["papers"])
        #expect(try shop.ask("GET", "v1/subscriptions/\(gold)?status=5").json.data.list.isEmpty)
    }

    @Test func `An order is looked up by its identifier`() throws {
        let sword = try shop.buy("sword")
        let order = try #require(try shop.store.orderIdentifier(of: sword))
        let (status, json) = try shop.ask("GET", "v1/lookup/\(order)")
        #expect(status == 200 && json.status.number == 0)
        #expect(json.signedTransactions.list.map(\.payload.transactionId.text) == [sword])
        for order in ["MUNKNOWN", "1", "%20", "M"] {
            let json = try shop.ask("GET", "v1/lookup/\(order)").json
            #expect(json.status.number == 1 && json.signedTransactions.list.isEmpty)
        }
    }

    @Test func `Refunds are answered in pages, in the first version without`() throws {
        let bought = try (0..<25).map { _ in try shop.buy("coins") }
        for transaction in bought { try shop.store.refund(transaction) }
        let first = try shop.ask("GET", "v2/refund/lookup/\(bought[0])").json
        #expect(first.keys == ["signedTransactions", "revision", "hasMore"])
        #expect(first.signedTransactions.list.count == 20 && first.hasMore.bool == true)
        let revision = try #require(first.revision.text)
        let second = try shop.ask("GET", "v2/refund/lookup/\(bought[0])?revision=\(revision)").json
        #expect(second.signedTransactions.list.map(\.payload.transactionId.text) == bought[20...].map { $0 })
        #expect(second.hasMore.bool == false)
        let old = try shop.ask("GET", "v1/refund/lookup/\(bought[0])").json
        #expect(old.keys == ["signedTransactions"] && old.signedTransactions.list.count == 25)
    }

    @Test func `The purchase of the app is answered for a transaction, and for its own identifier`() throws {
        let sword = try shop.buy("sword")
        let json = try shop.ask("GET", "v1/transactions/appTransactions/\(sword)").json
        #expect(json.keys == ["signedAppTransactionInfo"])
        let payload = json.signedAppTransactionInfo.payload
        #expect(payload.bundleId.text == Shop.bundleIdentifier)
        let identifier = try #require(payload.appTransactionId.text)
        let again = try shop.ask("GET", "v1/transactions/appTransactions/\(identifier)").json
        #expect(again.signedAppTransactionInfo.payload.appTransactionId.text == identifier)
    }

    @Test func `The purchase of the app is answered as it was set`() throws {
        let sword = try shop.buy("sword")
        let date = Date(timeIntervalSince1970: 1_546_300_800)
        try shop.account.setAppPurchase(AppPurchase(version: "2.1", date: date, platform: .tvOS))
        let json = try shop.ask("GET", "v1/transactions/appTransactions/\(sword)").json
        let payload = json.signedAppTransactionInfo.payload
        #expect(payload.originalApplicationVersion.text == "2.1" && payload.originalPlatform.text == "tvOS")
        #expect(payload.originalPurchaseDate.number == 1_546_300_800_000)
    }

    @Test func `In production, answers name the app's Apple ID`() throws {
        let shop = try Shop.production(try CertificateAuthority(now: ManualClock().now))
        let gold = try shop.buy("gold")
        #expect(try shop.ask("GET", "v2/history/\(gold)").json.appAppleId.number == 1_234_567)
        let statuses = try shop.ask("GET", "v1/subscriptions/\(gold)", base: "/production").json
        #expect(statuses.appAppleId.number == 1_234_567 && statuses.environment.text == "Production")
        #expect(try shop.error("GET", "v1/transactions/\(gold)", base: "/sandbox") == 4_040_010)
    }

    @Test func `A path that does not exist is answered with 404, another method with 405`() throws {
        for path in ["v1", "v3/history/1", "v1/transactions", "v1/messaging/image", "v1/history/1/2", ""] {
            #expect(try shop.ask("GET", path).status == 404)
        }
        for path in ["v1/transactions/1", "v2/history/1", "v1/transactions/1/finish"] {
            #expect(try shop.ask("DELETE", path).status == 405)
        }
        #expect(shop.router.respond(to: HTTPRequest("GET", "/")).status == 404)
        #expect(shop.router.respond(to: HTTPRequest("POST", "/verifyReceipt/more")).status == 404)
        #expect(shop.router.respond(to: HTTPRequest("GET", "")).status == 404)
    }
}
