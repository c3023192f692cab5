import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// A server on which tests open stores, asked without a network.
private struct Host {
    let shop: Shop
    let clock = ManualClock()
    let transport: ScriptedTransport
    let stores: TestStores
    private let control: StoreControl

    init(_ configuration: StoreServer.Configuration = StoreServer.Configuration(), shop: Shop? = nil) throws {
        self.shop = try shop ?? Shop()
        transport = ScriptedTransport(self.shop.clock)
        var configuration = configuration
        configuration.transport = transport
        configuration.log = .silent
        configuration.hasConsole = true
        let gate = try ControlGuard()
        stores = TestStores(besides: self.shop.store, configuration, gate: gate, clock: clock)
        control = StoreControl(self.shop.store, view: ServerView(self.shop.store), gate: gate, stores: stores)
    }

    var headers: [String: String] { ["Host": "localhost:8080", "Authorization": "Bearer \(control.token)"] }

    func respond(
        _ method: String,
        _ path: String,
        _ body: String = "",
        headers: [String: String]? = nil
    ) -> HTTPResponse {
        let request = HTTPRequest(method, path, headers: headers ?? self.headers, body: Data(body.utf8))
        if request.path.first == "stores" { return stores.respond(to: request) }
        return control.respond(to: request, request.path.dropFirst())
    }

    func ask(_ method: String, _ path: String, _ body: String = "") throws -> (status: Int, json: JSON) {
        let response = respond(method, path, body)
        return (response.status, response.body.isEmpty ? JSON(nil) : try JSON(data: response.body))
    }

    /// Opens a store, and returns its description.
    func open(_ body: String = "") throws -> JSON {
        let (status, json) = try ask("POST", "/control/v1/stores", body)
        try #require(status == 201, "\(json)")
        return json
    }

    /// Asks the control interface of a store.
    func ask(_ store: JSON, _ method: String, _ path: String, _ body: String = "") throws -> (status: Int, json: JSON) {
        try ask(method, "/stores/\(store.store.text ?? "")/control/v1/\(path)", body)
    }

    func perform(_ line: String, on store: JSON) throws -> JSON {
        let body = String(decoding: try JSONEncoder().encode(["line": line]), as: UTF8.self)
        let (status, json) = try ask(store, "POST", "commands", body)
        try #require(status == 200, "\(json)")
        return json
    }

    /// Sends a request to the servers of a store, with its API key or that of another one.
    func api(_ store: JSON, _ path: String, keyOf other: JSON? = nil) throws -> (status: Int, json: JSON) {
        let owner = other ?? store
        let credentials = try StoreServer.Credentials(
            issuer: owner.issuer.text ?? "",
            keyIdentifier: owner.keyIdentifier.text ?? "",
            privateKeyPEM: owner.privateKey.text ?? ""
        )
        let token = try credentials.token(bundleIdentifier: store.bundleIdentifier.text ?? "")
        let target = "/stores/\(store.store.text ?? "")/inApps/v1/\(path)"
        let response = respond("GET", target, headers: ["Authorization": "Bearer \(token)"])
        return (response.status, response.body.isEmpty ? JSON(nil) : try JSON(data: response.body))
    }
}

@Suite(.libcrypto) struct TestStoresTests {
    private let host: Host

    init() throws { host = try Host() }

    @Test func `A store has addresses and keys of its own, and the products of the server's own store`() throws {
        let store = try host.open()
        let name = try #require(store.store.text)
        #expect(store.url.text == "http://localhost:8080/stores/\(name)/")
        #expect(store.control.text == "http://localhost:8080/stores/\(name)/control/v1")
        #expect(store.productionURL.text == "http://localhost:8080/stores/\(name)/production")
        #expect(store.products.list.map(\.text) == Shop.products.map(\.identifier))
        #expect(store.root.text?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
        let other = try host.open()
        #expect(other.privateKey.text != store.privateKey.text && other.store.text != name)
        #expect(other.root.text == store.root.text)
        #expect(try host.open(#"{"root": "own"}"#).root.text != store.root.text)
    }

    @Test func `What happens in a store is not seen in another`() throws {
        let (first, second) = (try host.open(), try host.open())
        _ = try host.perform("buy gold", on: first)
        _ = try host.perform("advance 3mo", on: first)
        _ = try host.perform("buy coins", on: second)
        let rows = try [first, second].map { try host.ask($0, "GET", "transactions").json.rows.list }
        #expect(rows.map(\.count) == [4, 1] && rows[1][0].product.text == "coins")
        #expect(try host.shop.store.transactions.isEmpty)
        #expect(try host.api(first, "history/1").json.signedTransactions.list.count == 4)
        #expect(try host.api(second, "history/1").json.signedTransactions.list.count == 1)
        #expect(try host.api(second, "history/1", keyOf: first).status == 401)
    }

    @Test func `A store begins with the quirks of its request`() throws {
        let store = try host.open(#"{"quirks": ["notifies-twice", "lists-late=0.5"]}"#)
        let quirks = try host.ask(store, "GET", "server").json.quirks
        #expect(quirks.list.map(\.text) == ["lists-late=0.5", "notifies-twice"])
        #expect(host.shop.store.quirks.isEmpty)
    }

    @Test func `A product of a request is generic if it has an identifier that Apple prescribes`() throws {
        let json = #"[{"id": "com.example.aca.generic.consumable", "price": "0.29"}, {"id": "coins", "price": 0.99}]"#
        let products = try JSONDecoder().decode([TestStoreProduct].self, from: Data(json.utf8))
        #expect(products.map(\.product.isAdvancedCommerce) == [true, false])
    }

    @Test func `A code that costs nothing is a free trial, however the price is written`() throws {
        let prices = ["", #", "price": 0"#, #", "price": "0""#, #", "price": "0.00""#, #", "price": "0.01""#]
        let codes = prices.enumerated().map { #"{"code": "\#($0)"\#($1)}"# }.joined(separator: ",")
        let json = #"{"id": "pro", "kind": "autoRenewable", "price": "4.99", "codeOffers": [\#(codes)]}"#
        let product = try JSONDecoder().decode(TestStoreProduct.self, from: Data(json.utf8)).product
        let modes = product.subscription?.offerCodes.map(\.offer.terms.paymentMode)
        #expect(modes == [.freeTrial, .freeTrial, .freeTrial, .freeTrial, .payAsYouGo])
    }

    @Test func `A store sells the products of a request, or of Xcode's file as a text or as it is`() throws {
        let products = #"""
            {"products": [
                {"id": "coins", "price": 0.99}, {"id": "sword", "kind": "nonConsumable", "price": "4.99", "name": "Sword"},
                {"id": "season", "kind": "nonRenewing", "price": "9"},
                {"id": "pro", "kind": "autoRenewable", "price": "4.99", "period": "P1Y", "group": "all", "trial": "P1W"}
            ]}
            """#
        let store = try host.open(products)
        #expect(store.products.list.map(\.text) == ["coins", "sword", "season", "pro"])
        let sold = try host.perform("buy pro", on: store).transaction
        #expect(sold.charge.amount == 0 && sold.product.text == "pro")
        let file =
            #"{"version": {"major": 1, "minor": 0}, "products": [{"displayPrice": "0.99", "familyShareable": false, "internalID": "1", "localizations": [], "productID": "gem", "referenceName": null, "type": "Consumable"}]}"#
        #expect(try host.open(#"{"storekit": \#(file)}"#).products.list.map(\.text) == ["gem"])
        let quoted = String(decoding: try JSONEncoder().encode(file), as: UTF8.self)
        #expect(try host.open(#"{"storekit": \#(quoted)}"#).products.list.map(\.text) == ["gem"])
    }

    @Test func `A year of a request is sold in monthly payments as well if it has a price for them`() throws {
        let store = try host.open(
            #"""
            {"products": [
                {"id": "year", "kind": "autoRenewable", "price": "99.99", "period": "P1Y", "monthlyPrice": "9.99"}
            ]}
            """#
        )
        let sold = try host.perform("buy year --billing-plan monthly", on: store).transaction
        #expect(sold.charge.amount == 9.99 && sold.product.text == "year")
    }

    @Test func `A bundle of a request is sold with its members, and a suite as itself`() throws {
        let store = try host.open(
            #"""
            {"products": [
                {"id": "news", "kind": "autoRenewable", "price": "2.99"},
                {"id": "music", "kind": "autoRenewable", "price": "4.99"},
                {"id": "both", "kind": "subscriptionBundle", "price": 5.99, "members": ["news", "music"]},
                {"id": "studio", "kind": "subscriptionSuite", "price": "59.99", "period": "P1Y", "members": ["Draw"],
                 "trial": "P1W", "monthlyPrice": "5.99"},
                {"id": "magazine", "kind": "freeSubscription"}
            ]}
            """#
        )
        _ = try host.perform("buy both", on: store)
        let rows = try host.ask(store, "GET", "transactions").json.rows.list
        #expect(rows.map(\.product.text) == ["music", "news", "both"])
        #expect(try host.perform("buy studio", on: store).transaction.charge.amount == 0)
        let products = try host.ask(store, "POST", "commands/products").json.list
        #expect(products.map { $0.members.list.map(\.text) } == [[], [], ["news", "music"], ["Draw"], []])
        #expect(products.map(\.monthly.amount) == [nil, nil, nil, 5.99, nil])
        #expect(products.map(\.price.amount) == [2.99, 4.99, 5.99, 59.99, 0])
    }

    @Test func `The codes of a request are redeemed for products of every kind`() throws {
        let store = try host.open(
            #"""
            {"products": [
                {"id": "coins", "price": "0.99",
                 "codeOffers": [{"code": "GIFT"}, {"code": "HALF", "price": 0.49, "eligibility": ["new", "existing"]}]},
                {"id": "pro", "kind": "autoRenewable", "price": "4.99",
                 "codeOffers": [{"code": "SPRING", "price": "1.99", "periods": 2}, {"code": "TRY", "period": "P3D"}]},
                {"id": "year", "kind": "autoRenewable", "price": "99.99", "period": "P1Y", "monthlyPrice": "9.99",
                 "codeOffers": [{"code": "SLOW", "price": "7.99", "billingPlan": "monthly"},
                                {"code": "ONCE", "price": "50", "mode": "payUpFront", "eligibility": ["expired"]}]}
            ]}
            """#
        )
        func charge(_ line: String) throws -> Double? { try host.perform(line, on: store).transaction.charge.amount }
        #expect(try charge("redeem GIFT") == 0)
        #expect(try charge("redeem HALF") == 0.49)
        #expect(try charge("redeem SPRING") == 1.99)
        #expect(try charge("redeem SLOW") == 7.99)
        _ = try host.perform("advance 40d", on: store)
        let sold = try host.ask(store, "GET", "transactions").json.rows.list
        #expect(sold.filter { $0.product.text == "pro" }.map(\.charge.amount) == [1.99, 1.99])
        let once = try host.ask(store, "POST", "commands/redeem", #"{"code": "ONCE"}"#)
        #expect(once.status == 422 && once.json.error.message.text?.contains("ONCE") == true)
    }

    @Test(arguments: [
        (
            #"{"products": [{"id": "a", "price": "1", "kind": "autoRenewable", "monthlyPrice": 1}]}"#,
            "is no subscription of a year"
        ),
        (
            #"{"products": [{"id": "a", "price": "1", "kind": "subscriptionBundle"}]}"#,
            #"the product "a" is a bundle of no subscriptions"#
        ),
        (#"{"products": [{"id": "a", "price": "1", "kind": "subscriptionBundle", "members": ["b"]}]}"#, #""b""#),
        (
            #"{"products": [{"id": "a", "price": "1", "members": ["b"]}]}"#,
            "neither a subscriptionSuite nor a subscriptionBundle"
        ),
        (#"{"products": [{"id": "a", "kind": "freeSubscription", "price": "1"}]}"#, "is a freeSubscription, and has a"),
        (#"{"products": [{"id": "a", "kind": "nonConsumable"}]}"#, #""products.0.price" is missing"#),
        (#"{"products": [{"id": "a", "price": "1", "members": [1]}]}"#, #""products.0.members.0" is not a text"#),
        (
            #"{"products": [{"id": "a", "price": "1", "codeOffers": [{"code": "X", "mode": "freeTrial"}]}]}"#,
            #"the code "X" of "a" has a price only, since the product does not renew"#
        ),
        (
            #"{"products": [{"id": "a", "price": "1", "codeOffers": [{"code": "X", "price": "1,0"}]}]}"#,
            #""1,0" is no price for the offer "X" of the product "a""#
        ),
        (#"{"products": [{"id": "a", "price": "1", "codeOffers": [{"code": ""}]}]}"#, "an offer without an identifier"),
        (
            #"{"products": [{"id": "a", "price": "1", "codeOffers": [{"code": "X", "eligibility": ["neu"]}]}]}"#,
            #""neu" is no customer; did you mean "new"?"#
        ),
        (
            #"{"products": [{"id": "a", "kind": "freeSubscription", "codeOffers": [{"code": "X"}]}]}"#,
            "is a free subscription and has offers"
        ),
        (
            """
            {"products": [{"id": "a", "kind": "autoRenewable", "price": "1",
              "codeOffers": [{"code": "X", "billingPlan": "monthly"}]}]}
            """, "is for monthly payments, and the product has no monthlyPrice"
        ),
        (
            """
            {"products": [{"id": "a", "kind": "autoRenewable", "price": "1",
              "codeOffers": [{"code": "X", "mode": "payUpFront"}]}]}
            """, "is no freeTrial, and has no price"
        ),
        (
            """
            {"products": [{"id": "a", "kind": "autoRenewable", "price": "1",
              "codeOffers": [{"code": "X", "mode": "freeTrial", "price": "2"}]}]}
            """, "is a freeTrial, and has a price"
        ),
        (
            """
            {"products": [{"id": "a", "kind": "autoRenewable", "price": "1",
              "codeOffers": [{"code": "X", "periods": 2}]}]}
            """, "has periods, and is not payAsYouGo"
        ),
        (
            """
            {"products": [{"id": "a", "kind": "autoRenewable", "price": "1",
              "codeOffers": [{"code": "X", "mode": "payupfront", "price": "1"}]}]}
            """, #""payupfront" is no mode; did you mean "payUpFront"?"#
        ),
        (#"{"product": []}"#, #""product" is not a member here; did you mean "products"?"#),
        (#"{"products": [{"id": "a", "price": "1,0"}]}"#, #""1,0" is no price for the product "a""#),
        (#"{"products": [{"price": "1"}]}"#, #""products.0.id" is missing"#),
        (#"{"products": [{"id": "a", "price": "1", "kind": "consumible"}]}"#, #"did you mean "consumable"?"#),
        (#"{"products": [{"id": "a", "price": "1", "period": "P1M"}]}"#, "is not autoRenewable"),
        (
            #"{"products": [{"id": "a", "price": "1", "kind": "autoRenewable", "period": "1mo"}]}"#,
            #""1mo" is not a period"#
        ),
        (#"{"products": [{"id": "a", "price": "1"}, {"id": "a", "price": "2"}]}"#, "\"a\""),
        (#"{"products": 1}"#, #""products" is not a list"#),
        (#"{"storekit": "{}"}"#, "storekit: version: expected"),
        (#"{"storekit": {}, "products": []}"#, "not by both"),
        (#"{"clock": "fast"}"#, #""fast" is no clock; use one of fixed, running"#),
        (#"{"environment": "abroad"}"#, #""abroad" is no environment; use one of Sandbox, Production"#),
        (#"{"xyzzy": 1}"#, #""xyzzy" is not a member here; use one of "#),
        (#"{"time": "yesterday"}"#, #""time" is not a moment"#),
        (#"{"time": "2025-02-31T00:00:00Z"}"#, #""time" is not a moment"#),
        (#"{"time": "1901-01-01T00:00:00Z"}"#, "1950 to 9999"),
        (#"{"time": "0001-01-01T00:00:00Z", "root": "own"}"#, "1950 to 9999"),
        (#"{"products": [{"id": "a", "price": "1", "level": 1.5}]}"#, "not whole"),
        (#"{"appAppleIdentifier": 9223372036854775808}"#, "out of range"),
        (#"{"retries": [\#(String(repeating: "1,", count: 100))1]}"#, "more than 100"),
        (#"{"environment": "production"}"#, #"did you mean "Production"?"#),
        (#"{"bundleIdentifier": ""}"#, #""bundleIdentifier" is not an identifier"#),
        (#"{"notificationURL": "ftp://host/"}"#, #""notificationURL" is not a URL"#),
        (#"{"retries": [-1]}"#, #""retries" is not a list"#),
        (#"{"idle": 0}"#, #""idle" is not a number of seconds"#),
        ("[]", "the body is not an object"), ("tru", "the body is not JSON"),
        ("{", "the body is not JSON: found the end in the middle of the object that begins at line 1, column 1"),
        (
            "{\n  \"root\": \"own\"\n  \"clock\": \"fixed\"}",
            "the body is not JSON: found something else near line 3, column 3"
        ),
    ])
    func `A description that is invalid is refused with a sentence, and opens nothing`(
        body: String,
        sentence: String
    ) throws {
        let (status, json) = try host.ask("POST", "/control/v1/stores", body)
        #expect(status == 400 || status == 422)
        #expect(json.error.message.text?.contains(sentence) == true, "\(json)")
        #expect(try host.ask("GET", "/control/v1/stores").json.rows.list.isEmpty)
    }

    @Test func `Payloads name the environment and the app of the store, and its root signs them`() throws {
        let body = #"{"environment": "Production", "appAppleIdentifier": 7, "bundleIdentifier": "com.example.other"}"#
        let store = try host.open(body)
        _ = try host.perform("buy sword", on: store)
        let sold = try host.ask(store, "GET", "transactions/1").json
        #expect(
            sold["payload"].environment.text == "Production" && sold["payload"].bundleId.text == "com.example.other"
        )
        let root = try #require(store.root.text.map { $0.split(separator: "\n").dropFirst().dropLast().joined() })
        let verifier = try JWSVerifier(root: try #require(Data(base64Encoded: root)))
        _ = try verifier.verify(try #require(sold.jws.text), asOf: try Date(store.now.text ?? "", strategy: .iso8601))
    }

    @Test func `A store's time is the one that is asked for, and moves by commands only, until its clock runs`() throws
    {
        let store = try host.open(#"{"time": "2024-02-29T12:00:00Z"}"#)
        #expect(store.now.text == "2024-02-29T12:00:00Z")
        #expect(try host.perform("advance 1d", on: store).now.text == "2024-03-01T12:00:00Z")
        #expect(try host.perform("status", on: store).clock.text == "fixed")
        _ = try host.perform("clock running", on: store)
        #expect(try host.perform("status", on: store).clock.text == "running")
        _ = try host.perform("buy gold", on: store)
        _ = try host.perform("clock fixed", on: store)
        let end = try host.perform("advance-to-end metals", on: store)
        #expect("\(end.events)".contains("renewed until"))
        let running = try host.open(#"{"clock": "running"}"#)
        #expect(try host.perform("status", on: running).clock.text == "running")
    }

    @Test func `Notifications of a store go to its own URL`() throws {
        let first = try host.open(#"{"notificationURL": "http://127.0.0.1:1/first"}"#)
        let second = try host.open(#"{"notificationURL": "http://127.0.0.1:1/second"}"#)
        _ = try host.perform("buy gold", on: second)
        try host.transport.waitForPost()
        #expect(host.transport.posts.map(\.url.path) == ["/second"])
        _ = try host.perform("buy silver", on: first)
        try host.transport.waitForPost()
        #expect(host.transport.posts.map(\.url.path) == ["/second", "/first"])
    }

    @Test func `A store that was closed is gone, and no other`() throws {
        let (store, other) = (try host.open(), try host.open())
        let events = host.respond("GET", "/stores/\(store.store.text ?? "")/control/v1/events")
        let stream = try #require(events.stream)
        #expect(try host.ask("DELETE", "/control/v1/stores/\(store.store.text ?? "")").status == 204)
        #expect(stream.isFinished)
        let gone = try host.ask(store, "GET", "transactions")
        #expect(gone.status == 404 && gone.json.error.message.text?.contains("was closed") == true)
        let unknown = "/stores/\(store.store.text ?? "")"
        #expect(host.respond("GET", unknown + "/control/v1", headers: ["Host": "localhost"]).body.isEmpty)
        #expect(host.respond("GET", unknown + "/inApps/v1/history/1").body.isEmpty)
        #expect(try host.ask("DELETE", "/control/v1/stores/\(store.store.text ?? "")").status == 404)
        #expect(try host.ask(other, "GET", "").status == 200)
        #expect(try host.ask("GET", "/control/v1/stores").json.rows.list.map(\.store.text) == [other.store.text])
    }

    @Test func `A store that nobody uses is closed after its idle time, and a request begins that time anew`() throws {
        let store = try host.open(#"{"idle": 60}"#)
        let path = "/stores/\(store.store.text ?? "")/control/v1"
        host.clock.advance(by: 59)
        #expect(host.respond("GET", path).status == 200)
        host.clock.advance(by: 59)
        #expect(host.respond("GET", path).status == 200)
        host.clock.advance(by: 60)
        #expect(host.respond("GET", path).status == 404)
    }

    @Test func `A root of the server that is not valid yet is refused, with the advice to have another`() throws {
        var configuration = StoreServer.Configuration()
        configuration.authority = try CertificateAuthority(now: Date())
        let host = try Host(configuration)
        let (status, json) = try host.ask("POST", "/control/v1/stores", #"{"time": "2020-01-01T00:00:00Z"}"#)
        #expect(status == 422 && json.error.message.text?.contains(#""root": "own""#) == true)
        let own = try host.open(#"{"time": "2020-01-01T00:00:00Z", "root": "own"}"#)
        _ = try host.perform("buy coins", on: own)
        #expect(try host.ask(own, "GET", "transactions/1").json.jws.text != nil)
    }

    @Test func `Without an authority of its own, a server signs for tests by that of its store`() throws {
        let authority = try CertificateAuthority(now: Date(timeIntervalSince1970: 1_700_000_000))
        let host = try Host(shop: Shop(signer: { try AppStoreSigner(authority, clock: $0) }))
        #expect(try host.open().root.text == authority.rootPEM)
    }

    @Test func `A delivery of a store that was closed is the last`() throws {
        let store = try host.open(#"{"notificationURL": "http://127.0.0.1:1/first"}"#)
        host.transport.holds = true
        for product in ["gold", "coins"] { _ = try host.perform("buy \(product)", on: store) }
        try host.transport.waitForPost()
        #expect(try host.ask("DELETE", "/control/v1/stores/\(store.store.text ?? "")").status == 204)
        host.transport.release(.success)
        #expect(host.transport.posts.count == 1)
    }

    @Test func `A command in progress keeps a store open, however long it takes`() throws {
        let store = try host.open(#"{"idle": 60, "notificationURL": "http://127.0.0.1:1/n"}"#)
        let path = "/stores/\(store.store.text ?? "")/control/v1"
        _ = try host.perform("buy gold", on: store)
        try host.transport.waitForPost()
        host.transport.holds = true
        let end = DispatchSemaphore(value: 0)
        let status = Locked(0)
        let request = HTTPRequest(
            "POST",
            path + "/commands/advance",
            headers: host.headers,
            body: Data(#"{"duration": "1mo"}"#.utf8)
        )
        DispatchQueue.global().async { [stores = host.stores] in
            let answered = stores.respond(to: request).status
            status.withLock { $0 = answered }
            end.signal()
        }
        // The command waits for the renewal's notification to be answered.
        try host.transport.waitForPost()
        host.clock.advance(by: 600)
        host.transport.release(.success)
        #expect(end.wait(timeout: .now() + 60) == .success)
        #expect(status.withLock { $0 } == 200 && host.respond("GET", path).status == 200)
        host.clock.advance(by: 120)
        #expect(host.respond("GET", path).status == 404)
    }

    @Test func `A client that listens keeps a store open`() throws {
        let store = try host.open(#"{"idle": 60}"#)
        let path = "/stores/\(store.store.text ?? "")/control/v1"
        let stream = try #require(host.respond("GET", path + "/events").stream)
        host.clock.advance(by: 600)
        #expect(host.respond("GET", path).status == 200)
        stream.finish()
        host.clock.advance(by: 120)
        #expect(host.respond("GET", path).status == 404)
    }

    @Test func `A store's own interface opens no stores, and its page is served`() throws {
        let store = try host.open()
        #expect(try host.ask(store, "POST", "stores").status == 404)
        #expect(try host.ask(store, "GET", "stores").json.error.code.text == "absent")
        #expect(host.respond("GET", "/stores/\(store.store.text ?? "")/console").status == 200)
    }

    @Test func `Nobody without the token opens, reads or closes a store`() throws {
        let store = try host.open()
        let name = store.store.text ?? ""
        let stranger = ["Host": "localhost:8080"]
        for (method, path) in [
            ("POST", "/control/v1/stores"), ("GET", "/control/v1/stores"), ("DELETE", "/control/v1/stores/\(name)"),
            ("GET", "/stores/\(name)/control/v1"), ("GET", "/stores/\(name)/inApps/v1/history/1"),
        ] {
            #expect(host.respond(method, path, headers: stranger).status == 401, "\(path)")
        }
        #expect(try host.ask(store, "GET", "").status == 200)
    }

    @Test func `A thousand stores are side by side, each with its own purchases`() throws {
        let stores = try (0..<1000).map { _ in try host.open(#"{"products": [{"id": "coins", "price": "1"}]}"#) }
        for (index, store) in stores.enumerated() where index % 100 == 0 {
            for _ in 0...(index / 100) { _ = try host.perform("buy coins", on: store) }
        }
        for (index, store) in stores.enumerated() where index % 50 == 0 {
            let count = try host.ask(store, "GET", "transactions").json.rows.list.count
            #expect(count == (index % 100 == 0 ? index / 100 + 1 : 0))
        }
        #expect(try host.ask("GET", "/control/v1/stores").json.rows.list.count == 1000)
        host.stores.closeAll()
        #expect(try host.ask("GET", "/control/v1/stores").json.rows.list.isEmpty)
    }
}
