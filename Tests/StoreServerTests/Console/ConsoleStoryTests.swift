import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The story of a transaction: the order, the charge, what devices were told, the finish, and the notifications.
@Suite(.libcrypto) struct ConsoleStoryTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop(transport: ScriptedTransport(ManualClock())) }

    private func story(_ number: Int) throws -> [String] {
        try shop.ask("/transaction/\(number)").story.list.map { step in
            [step.kind.text, step.what.text, step.device.text].compactMap { $0 }.joined(separator: " | ")
        }
    }

    @Test func `A purchase waits for a parent, and is approved, delivered and finished`() throws {
        let launch = Launch()
        shop.shop.store.connect(launch, after: nil)
        try shop.perform("buy coins --outcome ask", "advance 1h", "approve 1", "finish 1")
        #expect(
            try story(1) == [
                "order | ordered | device", "waiting | waits for somebody else | device",
                "delivery | told: purchasing | device", "delivery | told: deferred | device",
                "sale | approved and sold for 0.99 | device",
                "delivery | told: purchased | device", "finish | finished | device",
                "delivery | told: finished elsewhere | device", "notification | ONE_TIME_CHARGE: delivered",
            ]
        )
        let details = try shop.ask("/transaction/1")
        #expect(details.notifications[0].type.text == "ONE_TIME_CHARGE")
        #expect(details.notifications[0].attempts[0].result.text == "SUCCESS")
        #expect(details.transaction.finished.bool == true)
        #expect(
            try facts(1) == [
                "Device: device", "Date: 2025-01-01 00:00 UTC", "Finished: yes", "State: purchased",
            ]
        )
    }

    /// Returns what the sheet of a transaction lists.
    private func facts(_ number: Int) throws -> [String] {
        try shop.ask("/transaction/\(number)").facts.list.map { "\($0[0].text ?? "?"): \($0[1].text ?? "?")" }
    }

    @Test func `A sheet names the plan, the bundle and the items of a transaction, and what was paid back`() throws {
        let store = shop.shop.store
        let year = SandboxProduct.autoRenewable("year", price: "99.99", period: .yearly, group: "years")
        var pass = SandboxProduct.autoRenewable("pass", price: "0.29", period: .monthly, group: "generic")
        pass.isAdvancedCommerce = true
        for product in [year.billedMonthly(price: "9.99"), ConsoleShop.bundle, pass] { try store.register(product) }
        try shop.perform("buy year --billing-plan monthly", "buy both")
        #expect(try facts(1).contains("Plan: monthly, payment 1 of 12"))
        let members = try shop.ask("/transactions?search=gold").rows.list
        let gold = try #require(members.first?.transaction.text.flatMap { Int($0) })
        #expect(try facts(gold).contains("Bundle: both"))
        let request = try #require(try shop.ask("/products?search=pass").rows[0].request.text)
        let bought = try store.account.buy("pass", compactJWS: store.signedRequest(Data(request.utf8)))
        let number = try #require(Int(bought))
        #expect(try facts(number).contains("Items: An item $0.29") && facts(number).contains("Pass: A pass"))
        try shop.perform("refund \(bought)")
        #expect(try facts(number).contains("Items: An item $0.29 ($0.29 paid back)"))
        #expect(try facts(number).contains("Paid back: $0.29"))
    }

    @Test func `An app that is killed is told again at its next launch`() throws {
        var launch: Launch? = Launch()
        shop.shop.store.connect(launch!, after: nil)
        try shop.perform("buy coins")
        shop.shop.store.disconnect(launch!)
        launch = Launch()
        shop.shop.store.connect(launch!, after: nil)
        try shop.perform("finish 1")
        #expect(
            try story(1).dropLast() == [
                "sale | sold for 0.99 | device", "delivery | told: purchased | device",
                "delivery | told: purchased | device", "finish | finished | device",
                "delivery | told: finished elsewhere | device",
            ]
        )
    }

    @Test func `A refund and its notification end the story of a purchase`() throws {
        try shop.perform("buy sword", "advance 1d", "refund 1")
        let story = try story(1)
        #expect(story.prefix(2) == ["sale | sold for 1.99 | device", "notification | ONE_TIME_CHARGE: delivered"])
        #expect(story.contains { $0.hasPrefix("refund | refunded #1, 1.99 paid back") })
        #expect(story.last == "notification | REFUND: delivered")
    }

    @Test func `A refusal says its reason`() throws {
        try shop.perform("buy coins --outcome cancel")
        #expect(
            try story(1) == [
                "order | ordered | device", "refusal | declined: the user cancelled buying coins | device",
            ]
        )
    }

    @Test func `The timeline and the story of a transaction go back to the beginning, whatever is retained`() throws {
        let shop = try ConsoleShop(minimumLines: 1)
        try shop.perform((0..<300).map { _ in "buy coins" })
        #expect(try shop.ask("/transaction/1").story[0].what.text == "sold for 0.99")
        let lines = try shop.ask("/timeline?search=%231+sold").rows.list
        #expect(lines.map(\.transaction.text) == ["1"] && lines[0].account.text == "account")
        let all = try shop.ask("/timeline?limit=50&before=\(try #require(lines[0].position.number))")
        #expect(all.rows.list.last?.position.number == 1 && all.next.value is NSNull)
    }
}

/// A launch of an app on a device, which receives whatever it is told.
private final class Launch: StoreUpdateReceiver {
    let journal = JournalID.unique()

    func receive(_ batch: UpdateBatch) {}
    func connectionLost(_ failure: StoreFailure) {}
}
