import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// What a client orders and reads of the delivery of notifications.
@Suite(.libcrypto) struct ControlDeliveryTests {
    private let transport: ScriptedTransport
    private let shop: ConsoleShop

    init() throws {
        let shop = try Shop()
        transport = ScriptedTransport(shop.clock)
        self.shop = try ConsoleShop(shop, transport: transport)
    }

    private func settle() { shop.shop.store.settle() }

    private func order(_ rules: String) throws -> (status: Int, json: JSON) {
        try shop.ask("PUT", "/delivery", "{\"rules\": \(rules)}")
    }

    private func rules(_ json: JSON) -> [String] {
        json.rules.list.map { rule in
            let times = rule.times.number.map { "\($0) times" }
            let seconds = rule.seconds.number.map { "\($0) s" }
            return [rule.how.text, times, rule.type.text, seconds].compactMap { $0 }.joined(separator: " ")
        }
    }

    // MARK: Rules

    @Test func `Rules are set, shown as far as they remain, and removed`() throws {
        let text = """
            [{"how": "never", "times": 2, "type": "ONE_TIME_CHARGE"}, {"how": "late", "seconds": 60, "times": null},
             {"how": "changedPayload"}]
            """
        let (status, json) = try order(text)
        let all = ["never 2 times ONE_TIME_CHARGE", "late 60 s", "changedPayload"]
        #expect(status == 200 && rules(json) == all)
        try shop.buy("coins")
        settle()
        #expect(try rules(shop.ask("GET", "/delivery").json) == ["never 1 times ONE_TIME_CHARGE"] + all.dropFirst())
        try shop.buy("gold")
        settle()
        #expect(transport.posts.isEmpty)
        // What a rule holds back is delivered when it is removed.
        let headers = shop.headers
        let taken = HTTPRequest("DELETE", "/control/v1/delivery", headers: headers)
        #expect(shop.control.respond(to: taken, taken.path.dropFirst()).status == 204)
        settle()
        #expect(transport.words == ["SUBSCRIBED 2"])
        #expect(try rules(shop.ask("GET", "/delivery").json).isEmpty)
        _ = try order(#"[{"how": "twice"}]"#)
        #expect(try order("[]").status == 200)
        try shop.buy("coins")
        settle()
        #expect(transport.words == ["SUBSCRIBED 2", "ONE_TIME_CHARGE 3"])
    }

    @Test func `An invalid rule is refused with a sentence, and the others stay`() throws {
        _ = try order(#"[{"how": "twice"}]"#)
        for (rules, word, suggestion) in [
            (#"[{"how": "twise"}]"#, "twise", "twice"), (#"[{"how": "slow", "tims": 1}]"#, "tims", "times"),
            (#"[{"how": "slow", "type": "DID_RENW"}]"#, "DID_RENW", "DID_RENEW"),
        ] {
            let (status, json) = try order(rules)
            #expect(status == 400 && json.error.code.text == "invalid")
            #expect(json.error.word.text == word && json.error.suggestion.text == suggestion)
        }
        for rules in [
            "[{}]", "[1]", "{}", "1", #"[{"how": "late"}]"#, #"[{"how": "late", "seconds": -1}]"#,
            #"[{"how": "late", "seconds": 1e300}]"#, #"[{"how": "twice", "seconds": 1}]"#,
            #"[{"how": "twice", "times": 0}]"#, #"[{"how": "twice", "times": 1.5}]"#,
            #"[{"how": "twice", "times": 1e30}]"#, #"[{"how": "slow"}, {"how": "twice", "times": "often"}]"#,
        ] {
            let (status, json) = try order(rules)
            #expect(status == 400 && json.error.message.text?.isEmpty == false, "\(rules)")
        }
        for body in ["", "{}", "[]", #"{"rules": [], "more": []}"#] {
            #expect(try shop.ask("PUT", "/delivery", body).status == 400, "\(body)")
        }
        #expect(try rules(shop.ask("GET", "/delivery").json) == ["twice"])
    }

    @Test func `A foreign root is for stores whose signatures have certificates`() throws {
        let (status, json) = try order(#"[{"how": "twice"}, {"how": "foreignRoot"}]"#)
        #expect(status == 422 && json.error.code.text == "refused")
        #expect(try rules(shop.ask("GET", "/delivery").json).isEmpty)
        let signed = try ConsoleShop(Shop.sandbox(CertificateAuthority(now: ManualClock().now)))
        #expect(try signed.ask("PUT", "/delivery", #"{"rules": [{"how": "foreignRoot"}]}"#).status == 200)
    }

    // MARK: Deliveries

    @Test func `Every post is listed with its response, in pages and without secrets`() throws {
        _ = try order(#"[{"how": "twice", "times": 1}, {"how": "never", "times": 1}]"#)
        try shop.buy("gold")
        try shop.buy("coins")
        settle()
        let (status, json) = try shop.ask("GET", "/deliveries")
        let rows = json.rows.list
        #expect(status == 200 && rows.map(\.how.text) == ["twice", "twice", "never"])
        #expect(rows.map(\.status.number) == [200, 200, nil])
        #expect(rows.map(\.result.text) == ["SUCCESS", "SUCCESS", "NO_RESPONSE"])
        #expect(rows.map(\.attempt.bool) == [true, false, true])
        #expect(rows.map(\.type.text) == ["SUBSCRIBED", "SUBSCRIBED", "ONE_TIME_CHARGE"])
        #expect(rows.map(\.subtype.text) == ["INITIAL_BUY", "INITIAL_BUY", nil])
        #expect(rows.map(\.transaction.text) == ["1", "1", "2"])
        #expect(rows.map(\.delivery.number) == [1, 2, 3])
        #expect(rows.allSatisfy { $0.url.text == "http://receiver/path" && $0.date.text?.count == 20 })
        let uuid = try #require(transport.posts[0].payload.notificationUUID.text)
        #expect(rows[0].notification.text == uuid)
        let page = try shop.ask("GET", "/deliveries?limit=2").json
        #expect(page.rows.list.count == 2 && page.next.text == "2")
        #expect(try shop.ask("GET", "/deliveries?after=2").json.rows.list.map(\.delivery.number) == [3])
        #expect(try shop.ask("GET", "/deliveries?after=x").status == 400)
    }

    // MARK: Sending again

    @Test func `A notification is sent again on request`() throws {
        try shop.buy("coins")
        settle()
        let identifier = try #require(transport.posts[0].payload.notificationUUID.text)
        let (status, json) = try shop.ask("POST", "/notifications/\(identifier.uppercased())/resend")
        #expect(status == 202 && json.notification.text == identifier)
        settle()
        #expect(transport.words == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 1"])
        let attempts = try shop.ask("GET", "/notifications/\(identifier)").json.attempts.list
        #expect(attempts.map(\.result.text) == ["SUCCESS", "SUCCESS"])
        for unknown in ["\(UUID())", "x"] {
            let (status, json) = try shop.ask("POST", "/notifications/\(unknown)/resend")
            #expect(status == 404 && json.error.code.text == "absent")
        }
    }

    @Test func `A store without a URL sends nothing again`() throws {
        let shop = try ConsoleShop()
        let view = ServerView(shop.shop.store)
        try view.beginNotifications()
        try shop.buy("coins")
        let notification = try #require(try view.notifications(after: nil, limit: 1).first)
        let (status, json) = try shop.ask("POST", "/notifications/\(notification.identifier)/resend")
        #expect(status == 422 && json.error.message.text?.contains("no URL") == true)
    }

    // MARK: Requests

    @Test func `A receipt or token in a path is not in the list of requests`() throws {
        let router = ServerRouter(shop.shop.store, key: shop.shop.key, control: shop.control)
        let secret = String(repeating: "A", count: 65)
        let identifier = String(repeating: "B", count: 64)
        _ = router.respond(to: HTTPRequest("GET", "/inApps/v1/transactions/\(secret)"))
        _ = router.respond(to: HTTPRequest("GET", "/inApps/v1/transactions/\(identifier)"))
        let rows = try shop.ask("GET", "/requests").json.rows.list
        #expect(rows.map(\.path.text) == ["/inApps/v1/transactions/…", "/inApps/v1/transactions/\(identifier)"])
    }
}
