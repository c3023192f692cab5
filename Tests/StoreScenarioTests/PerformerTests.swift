import Foundation
import StoreCore
import StoreScenario
import Testing

@Suite struct PerformerTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    @Test func `A name that the store does not know is told with the nearest one`() throws {
        try shop.perform("add-account bob")
        #expect(shop.error("buy swrod") == "\"swrod\" is not a product of this store; did you mean \"sword\"?")
        #expect(shop.error("sign-in bobb") == "\"bobb\" is not an account of this store; did you mean \"bob\"?")
        #expect(shop.error("sign-in zacharias").hasSuffix("; there are \"account\", \"bob\""))
        #expect(shop.error("unfinished --device tablet").hasSuffix("; there is \"device\""))
        #expect(shop.error("join-family smiths") == "\"smiths\" is not a family of this store; there is none")
        #expect(shop.error("expire") == "\"account\" has no subscription")
        for number in 1...8 { try shop.perform("add-account a\(number)") }
        #expect(
            shop.error("sign-in zacharias")
                == "\"zacharias\" is not an account of this store; the command accounts lists them"
        )
    }

    @Test func `A number of no transaction is refused by every command`() throws {
        try shop.perform("buy sword", "finish 1")
        let unknown = "no transaction \"4\" is known to this store"
        for line in ["finish 4", "timeline 4", "timeline 4 --svg", "receipt 4", "receipt 4 --jws", "delete 4"] {
            #expect(shop.error(line).hasSuffix(": \(unknown)"), "\(line): \(shop.error(line))")
        }
        #expect(shop.error("receipt 1").hasPrefix("#1 has no receipt on device: only an unfinished transaction"))
        try shop.perform("delete 1")
        #expect(try shop.perform("timeline 1").contains("deleted"))
    }

    @Test func `A transaction is finished where it was ordered, and elsewhere the device is named`() throws {
        try shop.perform("add-account bob", "add-device \"bob's phone\" --account bob", "buy sword")
        #expect(
            shop.error("finish 1 --device \"bob's phone\"")
                == "#1 is not in the queue of bob's phone; use --device device"
        )
        #expect(try !shop.perform("timeline").contains("finished"))
        #expect(try shop.perform("finish 1") == "finished: #1 sword: purchased, finished")
        #expect(try shop.perform("finish 1") == "finished: #1 sword: purchased, finished")
    }

    @Test func `A restore that fails is refused with its failure, and says what was restored before`() throws {
        try shop.perform("buy game", "buy pro.monthly", "finish all", "fail-restores timedOut --after 1")
        let failure = "the scenario lets it fail"
        #expect(shop.error("restore") == "restore: timedOut: \(failure); one transaction was restored before")
        #expect(try shop.store.transactions.count == 3)
        try shop.perform("fail-restores cloudServiceRevoked")
        #expect(shop.error("restore") == "restore: cloudServiceRevoked: \(failure)")
        #expect(try shop.perform("try restore").hasPrefix("not done: restore: cloudServiceRevoked: "))
        try shop.perform("fail-restores off")
        #expect(try shop.perform("restore").contains(" pro.monthly: restored"))
        try shop.perform("sign-out")
        #expect(shop.error("restore") == "restore: clientInvalid: nobody is signed in on this device")
    }

    @Test func `A sheet for codes in which nothing is entered is refused with the command that enters it`() {
        #expect(shop.error("code-sheet").hasSuffix("as the command code-entry does"))
    }

    @Test func `The timeline of a restored transaction has the restore`() throws {
        try shop.perform("buy game", "buy pro.monthly", "finish all", "restore")
        #expect(try shop.perform("timeline 3").hasSuffix("restored #1 as #3, #2 as #4"))
        #expect(try shop.perform("timeline 4").hasSuffix("restored #1 as #3, #2 as #4"))
    }

    @Test func `A timeline has one form`() throws {
        let error = try #require(throws: ScenarioError.self) { try shop.performer.perform("timeline --html --svg") }
        #expect(error.kind == .syntax && "\(error)" == "--html and --svg do not go together")
    }

    @Test func `The store's own refusal is passed on with the command's name`() {
        #expect(shop.error("refund 7") == "refund: nobody paid for a transaction \"7\" in this store")
        #expect(shop.error("win-back x pro.monthly").hasPrefix("win-back: invalidOfferIdentifier: "))
        #expect(shop.error("buy sword --device device --outside --offer x").contains("Offer"))
    }

    @Test func `A retention message that cannot be the default is not added`() throws {
        let line = "retention-message 00000000-0000-4000-8000-000000000001 Stay \"It goes on.\""
        #expect(shop.error(line + " --default-for pro.monthly --locale en_US").contains("no language tag"))
        #expect(shop.error(line + " --locale en-US").contains("needs --default-for"))
        #expect(shop.store.retentionMessages.isEmpty)
        #expect(try shop.perform(line + " --default-for pro.monthly").contains("by default for pro.monthly in en-US"))
    }

    @Test func `First, last and any choose among what the command can act on`() throws {
        try shop.perform("buy sword", "buy sword", "buy game", "refund first")
        #expect(try shop.store.transactions.map { $0.cancellationDate != nil } == [true, false, false])
        try shop.perform("refund any-2")
        #expect(try shop.store.transactions.map { $0.cancellationDate != nil } == [true, true, false])
        try shop.perform("refund")
        #expect(try shop.store.transactions.allSatisfy { $0.cancellationDate != nil })
    }

    @Test func `Without a group a command acts on every subscription of the account`() throws {
        try shop.store.register(.autoRenewable("news", price: "1.99", period: .init(1, .month), group: "news"))
        try shop.perform("buy pro.monthly", "buy news", "expire pro")
        #expect(try shop.perform("auto-renew off") == "news does not renew")
        #expect(shop.error("auto-renew off pro") == "auto-renew: no subscription runs in the group \"pro\"")
    }

    @Test func `Each state of a subscription has the name of its first form`() throws {
        func state() throws -> String? {
            let json = try shop.performer.perform("subscriptions").json
            let rows = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
            return rows?.first?["state"] as? String
        }
        try shop.perform("buy pro.monthly")
        #expect(try state() == "subscribed")
        try shop.perform("billing-fails on", "advance-to-end")
        #expect(try state() == "inBillingRetry")
        try shop.perform("resolve-billing", "grace-period on", "advance-to-end")
        #expect(try state() == "inGracePeriod")
        try shop.perform("expire")
        #expect(try state() == "expired")
    }

    @Test func `Finish all says how many it finished, and which it could not`() throws {
        try shop.perform(
            "buy sword",
            "buy game",
            "purchase-failure paymentInvalid",
            "buy sword",
            "purchase-failure off"
        )
        #expect(try shop.perform("finish all") == "finished 3")
        try shop.perform("buy sword", "buy sword --ask", "buy sword --ask", "authorizer later", "buy sword")
        let rule = "only purchased, failed and restored transactions can be finished"
        let answer = try shop.performer.perform("finish all")
        #expect(answer.text == "finished 1; not 2 deferred and 1 purchasing: \(rule)")
        #expect(answer.json.hasSuffix("\"finished\":1,\"unfinished\":3}"))
        #expect(try shop.store.device.unfinished.map { "\($0.state)" } == ["deferred", "deferred", "purchasing"])
    }

    @Test func `A transaction that waits for a decision is not finished`() throws {
        try shop.perform("buy sword", "buy sword --ask")
        #expect(
            shop.error("finish 2")
                == "#2 is deferred: only purchased, failed and restored transactions can be finished"
        )
        #expect(try shop.perform("finish") == "finished: #1 sword: purchased, finished")
        #expect(shop.error("finish") == "there is no transaction that is decided and not finished")
        try shop.perform("approve")
        #expect(try shop.perform("finish") == "finished: #2 sword: purchased, finished")
    }

    @Test func `An order is made on a device of the chosen account`() throws {
        try shop.perform("add-account bob")
        #expect(shop.error("buy sword --account bob") == "\"bob\" is signed in on no device")
        try shop.perform(
            "buy sword --account bob --outside",
            "add-device phone --account bob",
            "buy sword --account bob"
        )
        #expect(try shop.store.transactions.map(\.account) == ["bob", "bob"])
        #expect(try shop.store.transactions.map(\.device) == [nil, "phone"])
    }

    @Test func `A device that cannot reach the store cannot order`() throws {
        try shop.perform("reachable off")
        #expect(shop.error("buy sword").hasPrefix("buy: notConnectedToInternet: "))
        #expect(try shop.store.transactions.isEmpty)
    }

    @Test func `Settings are kept as lines that set them again`() throws {
        try shop.perform(
            "authorizer cancel",
            "add-device phone",
            "use --device phone",
            "code-entry cancel",
            "authorizer later",
            "age-rating 100",
            "age-rating 618",
            "buy sword --device device",
            "reachable off",
            "reachable off --device phone"
        )
        let lines = shop.performer.settings
        #expect(
            lines == [
                "use --device phone", "code-entry cancel --device phone", "authorizer later", "age-rating 618",
                "reachable off", "reachable off --device phone",
            ]
        )
        let other = try Shop()
        _ = try other.store.addDevice("phone", signedInTo: nil)
        for line in lines { _ = try other.performer.perform(line) }
        #expect(other.performer.settings == lines)
        #expect(!other.store.isReachable && other.store.ageRatingCode == 618)
        #expect(other.store.device(named: "phone")?.codeEntry == .cancel)
        try other.perform("reset")
        #expect(other.performer.settings.isEmpty)
        #expect(other.store.isReachable && other.store.ageRatingCode == nil)
    }

    @Test func `Time that cannot be moved is refused`() throws {
        let store = try SandboxStore(clock: SystemClock())
        let error = try #require(throws: ScenarioError.self) {
            try ScenarioPerformer(store: store).perform("advance 1d")
        }
        #expect(error.kind == .refused)
        #expect("\(error)".contains("cannot be moved"))
    }

    @Test func `Time does not run backwards`() {
        #expect(shop.error("advance-to 2024-01-01T00:00:00Z").contains("does not run backwards"))
    }

    @Test func `Time goes on to the end of the year 9999`() throws {
        #expect(try shop.perform("advance 7974y11mo30d23h59min59s") == "it is 9999-12-31T23:59:59Z")
        #expect(shop.error("advance 1s").hasPrefix("advance: the time of a store ends with the year 9999"))
        #expect(shop.error("advance 100000y").hasPrefix("advance: the time of a store ends with the year 9999"))
        #expect(try shop.perform("status").contains("9999-12-31T23:59:59Z"))
    }

    @Test func `An offer that a product does not have is refused with those that it has`() throws {
        #expect(shop.error("win-back summer pro.monthly").hasSuffix("offer \"summer\"; it has \"come.back\""))
        #expect(shop.error("redeem SUMMER --product pro.monthly").hasSuffix("the code \"SUMMER\"; it has \"FRIENDS\""))
        try shop.perform("buy pro.monthly", "expire")
        #expect(try shop.perform("buy pro.monthly --offer summer").hasSuffix("; it has \"winter\", \"come.back\""))
    }

    @Test func `A link that begins no purchase is refused with what it has to be`() {
        let link = "itms-services://?bundleId=com.example.app&productIdentifier=sword"
        #expect(shop.error("open-link https://example.com").hasSuffix("has to be itms-services, and is https"))
        #expect(shop.error("open-link \"\(link)\"").hasSuffix("has to be purchaseIntent, and is missing"))
    }

    @Test func `A text in JSON is escaped`() throws {
        try shop.perform("add-account \"a \\\"b\\\" \\\\ \\n \u{7F}é\"")
        let json = try shop.performer.perform("accounts").json
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(rows.last?["account"] as? String == "a \"b\" \\ \n \u{7F}é")
        #expect(!json.contains("\n"))
    }
}
