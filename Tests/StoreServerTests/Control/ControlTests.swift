import Foundation
import StoreCore
import StoreScenario
import StoreServer
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a client in any language does and reads by the control interface.
@Suite(.libcrypto) struct ControlTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    // MARK: Commands

    @Test func `A command takes its words by name`() throws {
        let (status, json) = try shop.ask("POST", "/commands/buy", #"{"product": "coins", "quantity": 2}"#)
        #expect(status == 200 && json.command.text == "buy" && json.transaction.quantity.number == 2)
        #expect(json.transaction.state.text == "purchased")
        #expect(try shop.ask("POST", "/commands/refund", #"{"transaction": "1", "quantity": 2}"#).status == 400)
        #expect(try shop.ask("POST", "/commands/refund", #"{"transaction": null}"#).status == 200)
        #expect(try shop.shop.store.transactions[0].refundedAmount != nil)
    }

    @Test func `A line is a command as well`() throws {
        let (status, json) = try shop.act("buy coins --quantity 3")
        #expect(status == 200 && json.transaction.quantity.number == 3)
        #expect(try shop.ask("POST", "/commands", #"{"line": "buy coins\nbuy coins"}"#).status == 400)
        #expect(try shop.ask("POST", "/commands", #"{"line": "buy coins", "quantity": 2}"#).status == 400)
        #expect(try shop.ask("POST", "/commands", "{}").status == 400)
        #expect(try shop.shop.store.transactions.count == 1)
    }

    @Test func `On and off are truth values as well, and an option without a word is one`() throws {
        #expect(try shop.ask("POST", "/commands/ask-to-buy", #"{"state": true}"#).status == 200)
        #expect(shop.shop.account.asksToBuy)
        #expect(try shop.ask("POST", "/commands/ask-to-buy", #"{"state": "off"}"#).status == 200)
        #expect(!shop.shop.account.asksToBuy)
        let html = try shop.ask("POST", "/commands/timeline", #"{"html": true}"#).json.html.text
        #expect(html?.hasPrefix("<!DOCTYPE html>") == true)
        #expect(try !shop.ask("POST", "/commands/timeline", #"{"html": false}"#).json.list.isEmpty)
        #expect(try shop.ask("POST", "/commands/timeline", #"{"html": "perhaps"}"#).status == 400)
    }

    @Test func `Every command can be given by its names, which no two of its words share`() throws {
        for command in ScenarioCommand.all {
            let (status, json) = try shop.ask("POST", "/commands/\(command.name)", #"{"no such word": "x"}"#)
            #expect(status == 400 && json.error.code.text == "invalid" && json.error.word.text == "no such word")
        }
    }

    @Test func `A refusal has a code, a sentence and a suggestion`() throws {
        let (status, json) = try shop.ask("POST", "/commands/buy", #"{"product": "coin"}"#)
        #expect(status == 422 && json.error.code.text == "refused")
        #expect(json.error.word.text == "coin" && json.error.suggestion.text == "coins")
        #expect(json.error.message.text == "\"coin\" is not a product of this store; did you mean \"coins\"?")
        let wrong = try shop.ask("POST", "/commands/buy", #"{"produkt": "coins"}"#)
        #expect(wrong.status == 400 && wrong.json.error.suggestion.text == "product")
        #expect(try shop.ask("POST", "/commands/buy", "{}").json.error.message.text == "buy needs product, a product")
        let cut = try shop.ask("POST", "/commands/buy", #"{"product": "co"#).json.error.message.text
        #expect(cut?.hasSuffix("found the end in the middle of the text that begins at line 1, column 13") == true)
        for body in ["[]", "coins", #"{"product": ["coins"]}"#, #"{"product": {}}"#, "\u{0}"] {
            #expect(try shop.ask("POST", "/commands/buy", body).status == 400)
        }
        #expect(try shop.shop.store.transactions.isEmpty)
    }

    @Test func `What is not there is said, with the methods of what is`() throws {
        let unknown = try shop.ask("POST", "/commands/bui", #"{"product": "coins"}"#)
        #expect(unknown.status == 404 && unknown.json.error.suggestion.text == "buy")
        #expect(try shop.ask("GET", "/transactions?acount=child").json.error.suggestion.text == "account")
        #expect(try shop.act("try refund 99").status == 400)
        for (method, path, status) in [
            ("GET", "/nowhere", 404), ("GET", "/commands/buy", 405), ("DELETE", "/transactions", 405),
            ("GET", "/transactions/1", 404), ("GET", "/notifications/1", 404), ("GET", "/transactions/1/2", 404),
        ] {
            let (found, json) = try shop.ask(method, path)
            #expect(found == status && json.error.message.text?.isEmpty == false)
        }
        let request = HTTPRequest("GET", "/control/v2/commands", headers: shop.headers)
        #expect(shop.control.respond(to: request, request.path.dropFirst()).status == 404)
        let wrong = HTTPRequest("PUT", "/control/v1/commands", headers: shop.headers)
        #expect(shop.control.respond(to: wrong, wrong.path.dropFirst()).headers["Allow"] == "GET, POST")
    }

    @Test func `A client that accepts only text receives what the command line prints`() throws {
        let headers = shop.headers.merging(["Accept": "text/plain"]) { $1 }
        let request = HTTPRequest("POST", "/control/v1/commands/products", headers: headers)
        let response = shop.control.respond(to: request, request.path.dropFirst())
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        let text = try ScenarioPerformer(store: shop.shop.store).perform("products").text
        #expect(String(decoding: response.body, as: UTF8.self) == text + "\n")
    }

    @Test func `A long text is whole`() throws {
        for _ in 0..<1200 { try shop.shop.account.buy("coins") }
        let headers = shop.headers.merging(["Accept": "text/plain"]) { $1 }
        let body = Data(#"{"html": true}"#.utf8)
        let request = HTTPRequest("POST", "/control/v1/commands/timeline", headers: headers, body: body)
        let text = String(decoding: shop.control.respond(to: request, request.path.dropFirst()).body, as: UTF8.self)
        #expect(text.utf8.count > 1 << 17)
        #expect(text == (try shop.shop.store.timeline.html) + "\n")
    }

    @Test func `A text says where its table begins, and a refused line where its wrong word is`() throws {
        let headers = shop.headers.merging(["Accept": "text/plain"]) { $1 }
        func header(_ line: String) -> String? {
            let body = Data(#"{"line": "\#(line)"}"#.utf8)
            let request = HTTPRequest("POST", "/control/v1/commands", headers: headers, body: body)
            return shop.control.respond(to: request, request.path.dropFirst()).headers["Table-Header-Line"]
        }
        #expect(header("products") == "0")
        #expect(header("buy gold") == nil)
        #expect(header("advance 1mo") == "1")
        #expect(try shop.act("  buy coin").json.error.column.number == 7)
        #expect(try shop.ask("POST", "/commands/buy", #"{"product": "coin"}"#).json.error.column.number == nil)
    }

    @Test func `What a command sets is kept, and one that cannot be kept says so`() throws {
        let kept = Locked<[[String]]>([])
        let isBroken = Locked(false)
        let shop = try Shop()
        let performer = ScenarioPerformer(store: shop.store)
        let console = try ConsoleShop(
            shop,
            performer: ControlPerformer(performer) {
                if isBroken.withLock({ $0 }) { throw StoreFailure.storeKit(.unknown, "the disk is full") }
                kept.withLock { $0.append(performer.settings) }
            }
        )
        #expect(try console.act("authorizer later").status == 200)
        #expect(kept.withLock { $0 } == [["authorizer later"]])
        #expect(try console.act("frobnicate").status == 400)
        #expect(kept.withLock { $0 }.count == 1)
        isBroken.withLock { $0 = true }
        let (status, json) = try console.act("authorizer approve")
        #expect(status == 500 && json.error.message.text?.contains("the disk is full") == true)
    }

    // MARK: Once

    @Test func `A command with a key is performed once, and tried again if it was refused`() throws {
        func buy(_ product: String, _ key: String) throws -> (status: Int, json: JSON) {
            try shop.ask("POST", "/commands/buy", headers: ["Idempotency-Key": key], #"{"product": "\#(product)"}"#)
        }
        let first = try buy("coins", "a")
        let second = try buy("coins", "a")
        #expect(first.status == 200 && second.status == 200)
        #expect(second.json.transaction.transaction.text == first.json.transaction.transaction.text)
        #expect(try buy("coins", "b").json.transaction.transaction.text == "2")
        #expect(try buy("sword", "a").status == 409)
        shop.shop.store.isReachable = false
        #expect(try buy("sword", "c").status == 422)
        shop.shop.store.isReachable = true
        #expect(try buy("sword", "c").status == 200)
        #expect(try buy("coins", "").status == 400)
        #expect(try buy("coins", String(repeating: "k", count: 256)).status == 400)
        #expect(try shop.shop.store.transactions.count == 3)
    }

    @Test func `The last thousand keys are remembered`() throws {
        func status(_ key: Int) throws -> Int {
            try shop.ask("POST", "/commands/buy", headers: ["Idempotency-Key": "\(key)"], #"{"product": "coins"}"#)
                .status
        }
        for key in 0...1000 { #expect(try status(key) == 200) }
        let count = try shop.shop.store.transactions.count
        #expect(try status(1) == 200)
        #expect(try shop.shop.store.transactions.count == count)
        #expect(try status(0) == 200)
        #expect(try shop.shop.store.transactions.count == count + 1)
    }

    @Test func `A command whose settings could not be saved is not performed again, and its settings are saved`() throws
    {
        let isBroken = Locked(true)
        let shop = try Shop()
        let performer = ControlPerformer(ScenarioPerformer(store: shop.store)) {
            if isBroken.withLock({ $0 }) { throw StoreFailure.storeKit(.unknown, "the disk is full") }
        }
        let console = try ConsoleShop(shop, performer: performer)
        func buy() throws -> (status: Int, json: JSON) {
            try console.ask("POST", "/commands/buy", headers: ["Idempotency-Key": "a"], #"{"product": "coins"}"#)
        }
        #expect(try buy().status == 500)
        #expect(try buy().status == 500)
        isBroken.withLock { $0 = false }
        #expect(try buy().json.transaction.transaction.text == "1")
        #expect(try shop.store.transactions.count == 1)
    }

    // MARK: Reading

    @Test func `Transactions come in pages, newest first, and by filters`() throws {
        let child = try shop.shop.store.addAccount("child")
        for _ in 0..<3 { try shop.shop.buy("coins") }
        try shop.shop.buy("sword", child)
        try shop.shop.buy("gold")
        shop.shop.clock.advance(by: 62 * 86_400)
        var seen: [String] = []
        var next: String? = ""
        while let place = next {
            let page = try shop.ask("GET", "/transactions?limit=2" + (place.isEmpty ? "" : "&before=\(place)")).json
            seen += page.rows.list.compactMap(\.transaction.text)
            next = page.next.text
        }
        #expect(seen == ["7", "6", "5", "4", "3", "2", "1"])
        func found(_ query: String) throws -> [String?] {
            try shop.ask("GET", "/transactions?\(query)").json.rows.list.map(\.transaction.text)
        }
        #expect(try found("account=child") == ["4"])
        #expect(try found("product=coins&limit=2") == ["3", "2"])
        #expect(try found("product=coins&limit=2&before=2") == ["1"])
        #expect(try found("original=5") == ["7", "6", "5"])
        #expect(try found("state=failed") == [])
        // A page that ends with the last row is the last.
        #expect(try shop.ask("GET", "/transactions?limit=7").json.next.text == nil)
        // What the page before ended with may be deleted meanwhile.
        #expect(try shop.act("delete 3").status == 200)
        #expect(try found("before=3") == ["2", "1"])
        #expect(try shop.ask("GET", "/transactions?before=x").status == 400)
        for query in ["limit=0", "limit=201", "limit=x", "acount=child"] {
            #expect(try shop.ask("GET", "/transactions?\(query)").status == 400)
        }
    }

    @Test func `A state that no transaction has is refused, with one that is similar`() throws {
        let (status, json) = try shop.ask("GET", "/transactions?state=purchase")
        #expect(status == 400 && json.error.suggestion.text == "purchased")
    }

    @Test func `Subscriptions, accounts, devices and products are listed in pages, each row once`() throws {
        let store = shop.shop.store
        for name in ["ann", "bob", "cid"] {
            let account = try store.addAccount(name)
            _ = try store.addDevice("\(name)'s phone", signedInTo: account)
            try account.buy("gold")
            try account.buy("daily")
        }
        func all(_ path: String, _ key: String, limit: Int) throws -> [String?] {
            var (seen, next): ([String?], String?) = ([], "")
            while let place = next {
                let after = place.isEmpty ? "" : "&after=\(place)"
                let (status, page) = try shop.ask("GET", "/\(path)limit=\(limit)\(after)")
                try #require(status == 200 && page.rows.list.count <= limit)
                seen += page.rows.list.map { $0[key].text }
                next = page.next.text
            }
            return seen
        }
        for limit in [1, 2, 4, 200] {
            #expect(try all("accounts?", "account", limit: limit) == ["account", "ann", "bob", "cid"])
            #expect(try all("devices?", "device", limit: limit).count == 4)
            #expect(try all("products?", "product", limit: limit) == Shop.products.map(\.identifier))
            let subscriptions = try all("subscriptions?", "account", limit: limit)
            #expect(subscriptions == ["ann", "ann", "bob", "bob", "cid", "cid"])
            #expect(try all("subscriptions?product=gold&", "account", limit: limit) == ["ann", "bob", "cid"])
        }
        for path in ["accounts", "devices", "products", "subscriptions"] {
            #expect(try shop.ask("GET", "/\(path)?after=x").status == 400)
        }
    }

    @Test func `A ledger that fails is no refusal`() throws {
        let ledger = BrokenLedger()
        let shop = try ConsoleShop(try Shop(ledger: ledger))
        #expect(try shop.act("buy coins").status == 200)
        ledger.isBroken = true
        for line in ["refund 1", "add-account x"] {
            let (status, json) = try shop.act(line)
            #expect(status == 500 && json.error.code.text == "failed", "\(line): \(json)")
            let performer = ScenarioPerformer(store: shop.shop.store)
            let error = #expect(throws: ScenarioError.self) { try performer.perform("try \(line)") }
            #expect(error?.kind == .failed)
        }
        ledger.isBroken = false
        #expect(try shop.act("refund 9").status == 422)
    }

    @Test func `A transaction has its signed form`() throws {
        try shop.shop.buy("coins")
        shop.shop.store.purchaseFailure = .storeKit(.paymentCancelled, "a test wants it")
        #expect(try shop.act("buy sword").status == 200)
        let sold = try shop.ask("GET", "/transactions/1").json
        #expect(sold.product.text == "coins" && sold["payload"].productId.text == "coins")
        #expect(sold.jws.payload.transactionId.text == "1")
        let failed = try shop.ask("GET", "/transactions/2").json
        #expect(failed.state.text == "failed" && failed.jws.text == nil)
    }

    @Test func `Customers and products are listed`() throws {
        let child = try shop.shop.store.addAccount("child")
        try shop.shop.buy("gold")
        try shop.shop.buy("daily", child)
        #expect(try shop.ask("GET", "/accounts").json.rows.list.map(\.account.text) == ["account", "child"])
        #expect(try shop.ask("GET", "/devices").json.rows.list.map(\.device.text) == ["device"])
        #expect(try shop.ask("GET", "/products").json.rows.list.count == Shop.products.count)
        func subscribed(_ query: String) throws -> [String?] {
            try shop.ask("GET", "/subscriptions?\(query)").json.rows.list.map(\.product.text)
        }
        #expect(try subscribed("") == ["gold", "daily"])
        #expect(try subscribed("account=child") == ["daily"])
        #expect(try subscribed("product=gold") == ["gold"])
        let status = try shop.ask("GET", "").json
        #expect(status.bundleIdentifier.text == Shop.bundleIdentifier && status.settings.now.text?.count == 20)
    }

    @Test func `Names are listed by kind, and an unknown kind is refused with a similar one`() throws {
        func names(_ kind: String) throws -> [String?] {
            try shop.ask("GET", "/names/\(kind)").json.rows.list.map(\.name.text)
        }
        #expect(try names("product") == Shop.products.map(\.identifier))
        #expect(try names("device") == ["device"] && names("undecided") == [])
        for kind in ScenarioValueKind.named.compactMap(\.noun) {
            #expect(try shop.ask("GET", "/names/\(kind)").json.next.text == nil)
        }
        for _ in 0..<501 { try shop.shop.account.buy("coins") }
        #expect(try names("transaction") == (2...501).map { "\($0)" })
        let (status, json) = try shop.ask("GET", "/names/acount")
        #expect(status == 404 && json.error.code.text == "absent")
        #expect(json.error.word.text == "acount" && json.error.suggestion.text == "account")
    }

    @Test func `What waits is listed until it is decided`() throws {
        shop.shop.store.refundDecision = .ask
        try shop.shop.buy("coins")
        #expect(try shop.act("request-refund 1").status == 200)
        #expect(try shop.act("ask-to-buy on").status == 200 && shop.act("buy sword").status == 200)
        let waiting = try shop.ask("GET", "/waiting").json
        #expect(waiting.undecided.list.map(\.product.text) == ["sword"])
        #expect(waiting.refundRequests.list.map(\.transaction.text) == ["1"])
        #expect(try shop.act("approve").status == 200 && shop.act("decline-refund").status == 200)
        let later = try shop.ask("GET", "/waiting").json
        #expect(later.undecided.list.isEmpty && later.refundRequests.list.isEmpty && later.interrupted.list.isEmpty)
    }

    @Test func `Notifications come with payloads and attempts, in pages and by filters`() throws {
        let view = ServerView(shop.shop.store)
        try view.beginNotifications()
        try shop.shop.buy("gold")
        shop.shop.clock.advance(by: 62 * 86_400)
        let rows = try shop.ask("GET", "/notifications").json.rows
        #expect(rows.list.map(\.type.text) == ["SUBSCRIBED", "DID_RENEW", "DID_RENEW"])
        let first = rows[0]
        #expect(first.subtype.text == "INITIAL_BUY" && first["payload"].notificationType.text == "SUBSCRIBED")
        #expect(first.transactionInfo.productId.text == "gold" && first.renewalInfo.autoRenewStatus.number == 1)
        #expect(first.signedPayload.payload.notificationUUID.text == first.notification.text)
        #expect(first.attempts.list.isEmpty)
        let position = try #require(try view.notifications(after: nil, limit: 1).first).position
        try view.recordAttempt("TIMED_OUT", at: position)
        let identifier = try #require(first.notification.text)
        let tried = try shop.ask("GET", "/notifications/\(identifier)").json
        #expect(tried.attempts.list.map(\.result.text) == ["TIMED_OUT"])
        func found(_ query: String) throws -> [String?] {
            try shop.ask("GET", "/notifications?\(query)").json.rows.list.map(\.transaction.text)
        }
        #expect(try found("type=DID_RENEW") == ["2", "3"])
        #expect(try found("transaction=2") == ["2"] && found("original=1") == ["1", "2", "3"])
        let page = try shop.ask("GET", "/notifications?limit=2").json
        #expect(try found("after=\(try #require(page.next.text))") == ["3"])
        #expect(try shop.ask("GET", "/notifications?after=x").status == 400)
    }

    @Test func `The requests that the servers answered are listed, without what they contained`() throws {
        let router = ServerRouter(shop.shop.store, key: shop.shop.key, control: shop.control)
        let secret = Data(#"{"receipt-data": "a secret"}"#.utf8)
        #expect(router.respond(to: HTTPRequest("POST", "/verifyReceipt?token=x", body: secret)).status == 200)
        #expect(router.respond(to: HTTPRequest("GET", "/inApps/v1/history/1")).status == 401)
        #expect(router.respond(to: HTTPRequest("GET", "/control/v1/requests")).status == 403)
        #expect(router.respond(to: HTTPRequest("GET", "/nowhere")).status == 404)
        let headers = shop.headers
        let response = router.respond(to: HTTPRequest("GET", "/control/v1/requests", headers: headers))
        let rows = try JSON(data: response.body).rows.list
        #expect(rows.map(\.path.text) == ["/verifyReceipt", "/inApps/v1/history/1"])
        #expect(rows.map(\.status.number) == [200, 401] && rows.map(\.request.number) == [1, 2])
        #expect(rows.map(\.keys).allSatisfy { $0 == ["request", "date", "method", "path", "status"] })
        #expect(try shop.ask("GET", "/requests?after=1").json.rows.list.map(\.request.number) == [2])
        for _ in 0..<1000 { _ = router.respond(to: HTTPRequest("GET", "/inApps/v1/history/1")) }
        #expect(try shop.ask("GET", "/requests?limit=1").json.rows[0].request.number == 3)
        #expect(try shop.ask("GET", "/requests?after=-1").status == 400)
    }

    @Test func `A stream tells of each change`() throws {
        let request = HTTPRequest("GET", "/control/v1/events", headers: shop.headers)
        let stream = try #require(shop.control.respond(to: request, request.path.dropFirst()).stream)
        let listener = ConsoleShop.Listener(stream)
        try shop.shop.buy("coins")
        #expect(listener.hear("\"transaction\":\"1\"").contains("event: line"))
        let view = ServerView(shop.shop.store)
        try view.beginNotifications()
        try shop.shop.buy("gold")
        let position = try #require(try view.lastNotification())
        try view.recordAttempt("TIMED_OUT", at: position)
        try view.recordAttempt("SUCCESS", at: position)
        #expect(listener.hear("\"about\":\"2\",\"result\":\"SUCCESS\"").contains("\"type\":\"SUBSCRIBED\""))
        stream.finish()
        // Who comes later hears of each attempt with its own result.
        let later = try #require(shop.control.respond(to: request, request.path.dropFirst()).stream)
        let heard = ConsoleShop.Listener(later).hear("\"result\":\"SUCCESS\"")
        #expect(heard.components(separatedBy: "\"result\":\"TIMED_OUT\"").count == 2)
        later.finish()
    }

    // MARK: Served

    @Test(.microHTTPD) func `A server is controlled if its configuration says so, without a page`() async throws {
        let store = try SandboxStore(products: Shop.products)
        let plain = try StoreServer(store)
        #expect(plain.controlURL == nil && plain.controlToken == nil)
        var configuration = StoreServer.Configuration()
        configuration.hasControl = true
        let server = try StoreServer(store, configuration: configuration)
        func status(_ path: String, of server: StoreServer, _ token: String? = nil) async throws -> Int? {
            var request = URLRequest(url: server.url.appending(path: path))
            if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
            return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode
        }
        #expect(server.controlURL == server.url.appending(path: "control/v1") && server.consoleURL == nil)
        #expect(try await status("control/v1/transactions", of: plain) == 404)
        #expect(try await status("control/v1/transactions", of: server) == 401)
        #expect(try await status("control/v1/transactions", of: server, server.controlToken) == 200)
        configuration.host = "0.0.0.0"
        #expect(throws: StoreServerError.self) { try StoreServer(store, configuration: configuration) }
    }

    // MARK: Description

    @Test func `The description has every command and address, and refers to nothing that it lacks`() throws {
        let description = try shop.ask("GET", "/openapi.json").json
        #expect(description.openapi.text == "3.1.0")
        let paths = description.paths.keys
        #expect(ScenarioCommand.all.allSatisfy { paths.contains("/commands/\($0.name)") })
        for path in paths where description.paths[path].keys.contains("get") && path != "/events" {
            let asked = path == "/" ? "" : path.replacing(#/\{.*\}/#, with: "1")
            let status = try shop.ask("GET", asked).status
            #expect(status == (path.contains("{") ? 404 : 200))
        }
        let text = ControlDescription.json.encoded
        let references = text.matches(of: #/"#\/components\/(\w+)\/(\w+)"/#).map { (String($0.1), String($0.2)) }
        #expect(references.count > 100)
        for (kind, name) in references { #expect(description.components[kind].keys.contains(name)) }
        let arguments = description.paths["/commands/buy"].post.requestBody.content["application/json"].schema
        #expect(arguments.required.list.map(\.text) == ["product"])
        #expect(arguments.properties.quantity.type.text == "integer")
    }
}
