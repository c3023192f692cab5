import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The page's list of transactions: what it has, filtered, sorted and in pages.
@Suite(.libcrypto) struct ConsoleTransactionListTests {
    private let shop: ConsoleShop

    /// Opens a shop with Anna, who has a phone, and buys.
    init() throws {
        shop = try ConsoleShop()
        try shop.perform(
            "add-account Anna",
            "add-device phone --account Anna",
            "buy gold",
            "buy coins --account Anna --quantity 3",
            "buy sword --account Anna --outcome ask",
            "buy sword --account Anna --outcome cancel",
            "buy sword --account Anna --outcome interrupt",
            "advance 1d",
            "buy coins",
            "refund 2"
        )
    }

    private func numbers(_ query: String) throws -> [String] {
        try shop.ask("/transactions?\(query)").rows.list.compactMap(\.transaction.text)
    }

    @Test func `A row says what was bought by whom, for how much, and in plain words what became of it`() throws {
        let rows = try shop.ask("/transactions").rows
        let coins = rows[4]
        #expect(coins.transaction.text == "2" && coins.product.text == "coins" && coins.title.text == "coins")
        #expect(coins.kind.text == "consumable" && coins.kindWords.text == "Consumable" && coins.quantity.number == 3)
        #expect(coins.account.text == "Anna" && coins.device.text == "phone" && coins.finished.bool == false)
        #expect(coins.charge.text == "2.97" && coins.currency.text == "USD")
        #expect(coins.state.text == "refunded" && coins.sentence.text == "refunded on 2 Jan")
        #expect(rows[3].state.text == "waits" && rows[3].sentence.text == "waits for a parent")
        #expect(rows[3].charge.value is NSNull && rows[3].currency.value is NSNull)
        #expect(rows[2].state.text == "failed" && rows[2].sentence.text == "canceled by the customer")
        #expect(rows[1].state.text == "interrupted" && rows[1].reason.text?.contains("interrupted") == true)
        #expect(rows[0].state.text == "sold" && rows[0].sentence.text == "sold, not finished yet")
        #expect(rows[5].kindWords.text == "Subscription" && rows[5].date.text == "2025-01-01T00:00:00Z")
    }

    /// Queries, each with the rows that it admits; nil for all.
    private static let filters: [(query: String, numbers: [String]?)] = [
        ("product=sword", ["5", "4", "3"]), ("account=account", ["6", "1"]), ("device=phone", ["5", "4", "3", "2"]),
        ("state=sold", ["6", "1"]), ("state=waits", ["3"]), ("state=failed", ["4"]), ("state=interrupted", ["5"]),
        ("state=refunded", ["2"]), ("state=restored", []), ("state=in%20progress", []),
        ("from=2025-01-02", ["6"]), ("to=2025-01-01", ["5", "4", "3", "2", "1"]),
        ("from=2025-01-01T00:00&to=2025-01-01T00:00:00Z", ["5", "4", "3", "2", "1"]), ("to=2024-12-31", []),
        ("search=anna", ["5", "4", "3", "2"]), ("search=ANNA+coi", ["2"]), ("search=%236", ["6"]), ("search=4", ["4"]),
        ("search=nothing", []), ("product=sword&state=waits&account=Anna", ["3"]), ("product=&state=&search=", nil),
    ]

    @Test(arguments: filters)
    func `A filter admits its rows, and the total counts them`(query: String, numbers: [String]?) throws {
        let numbers = numbers ?? ["6", "5", "4", "3", "2", "1"]
        let answer = try shop.ask("/transactions?\(query)")
        #expect(answer.rows.list.compactMap(\.transaction.text) == numbers)
        #expect(answer.total.number == numbers.count && answer.next.value is NSNull)
        #expect(try shop.ask("/transactions?limit=1&\(query)").total.number == numbers.count)
    }

    @Test(arguments: [
        ("date", ["1", "2", "3", "4", "5", "6"]), ("product", ["6", "2", "1", "5", "4", "3"]),
        ("account", ["5", "4", "3", "2", "6", "1"]), ("state", ["4", "5", "2", "6", "1", "3"]),
        ("charge", ["5", "4", "3", "6", "2", "1"]),
    ])
    func `A list is sorted by each column both ways, and each page goes on after the last`(
        sort: String,
        numbers: [String]
    ) throws {
        #expect(try self.numbers("sort=\(sort)&order=up") == numbers)
        let down = try self.numbers("sort=\(sort)&order=down")
        #expect(try down == self.numbers("sort=\(sort)") && down.sorted() == numbers.sorted())
        #expect(down.first != numbers.first)
        for (order, all) in [("up", numbers), ("down", down)] {
            var (seen, after): ([String], String) = ([], "")
            while seen.count < all.count {
                let page = try shop.ask("/transactions?limit=2&sort=\(sort)&order=\(order)\(after)")
                try #require(!page.rows.list.isEmpty)
                seen += page.rows.list.compactMap(\.transaction.text)
                let next = page.next.text?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                #expect((next == nil) == (seen.count == all.count))
                after = "&after=\(next ?? "")"
            }
            #expect(seen == all)
        }
    }

    @Test(arguments: ["date", "product"])
    func `A page goes on where the last one ended, while rows are added and deleted`(sort: String) throws {
        let first = try shop.ask("/transactions?limit=3&sort=\(sort)")
        let seen = first.rows.list.compactMap(\.transaction.text)
        let next = try #require(first.next.text?.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        try shop.perform("buy season", "delete \(seen[2])")
        let rest = try numbers("sort=\(sort)&after=\(next)")
        let added = sort == "date" ? [] : rest.filter { $0 == "7" }
        #expect((seen + rest.filter { $0 != "7" }).sorted() == ["1", "2", "3", "4", "5", "6"] && added.count < 2)
    }

    @Test(arguments: [
        ("/transactions?colour=red", "colour"), ("/transactions?state=gone", "state"),
        ("/transactions?sort=size", "sort"), ("/transactions?order=left", "order"), ("/transactions?limit=0", "limit"),
        ("/transactions?limit=51", "limit"), ("/transactions?after=x", "after"),
        ("/transactions?after=5~coins", "after"),
        ("/transactions?sort=charge&after=5~much", "after"), ("/transactions?from=yesterday", "from"),
        ("/transactions?to=2025-13-01", "to"), ("/transactions?from=2026-02-31", "from"),
        ("/transactions?from=2026-02-01T00:00:00Zfoo", "from"), ("/due?until=2026-02-01T00:00:00.5Z", "until"),
        ("/subscriptions?after=-1", "after"), ("/customers?limit=x", "limit"),
        ("/products?kind=car", "kind"), ("/notifications?result=lost", "result"), ("/notifications?after=1", "after"),
        ("/requests?after=a", "after"), ("/timeline?before=0", "before"), ("/due?until=soon", "until"),
        ("/due", "until"), ("/overview?limit=3", "limit"),
    ])
    func `A query that makes no sense is answered with a sentence that names what is wrong`(
        path: String,
        name: String
    ) throws {
        let response = shop.respond("GET", path)
        #expect(response.status == 400)
        #expect(try JSON(data: response.body).error.text?.contains(name) == true)
    }
}
