import StoreCore
import Testing

@testable import StoreServer

/// The acts that fit the state of a row; each is a line that the store performs.
@Suite(.libcrypto) struct ConsoleActTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    /// Returns the lines of the acts in a row.
    private func lines(_ row: JSON) -> [String] { row.acts.list.compactMap(\.line.text) }

    private func transaction(_ number: Int) throws -> [String] {
        try lines(shop.ask("/transaction/\(number)").transaction)
    }

    private func subscription() throws -> [String] { try lines(shop.ask("/subscriptions").rows[0]) }

    @Test(arguments: [
        ("ask", ["approve 1", "decline 1", "cancel 1"]), ("interrupt", ["resolve 1", "delete 1"]),
        ("approve", ["refund 1", "request-refund 1", "finish 1 --device device", "delete 1"]),
        ("decline", ["finish 1 --device device", "delete 1"]),
    ])
    func `A purchase has the acts of its outcome, and the store performs each`(
        outcome: String,
        lines: [String]
    ) throws {
        try shop.perform("buy coins --outcome \(outcome)")
        #expect(try transaction(1) == lines)
        for line in lines {
            let other = try ConsoleShop()
            try other.perform("buy coins --outcome \(outcome)", line)
        }
    }

    @Test func `Only what cannot be taken back is asked about`() throws {
        try shop.perform("buy coins")
        let acts = try shop.ask("/transaction/1").transaction.acts.list
        #expect(acts.filter { $0.question.text != nil }.map(\.label.text) == ["Delete"])
    }

    @Test func `A purchase whose sheet is open is decided like one that waits`() throws {
        try shop.perform("authorizer later", "buy coins")
        let row = try shop.ask("/transactions?state=in+progress").rows[0]
        #expect(lines(row) == ["approve 1", "decline 1", "cancel 1"])
        #expect(row.acts[0].isMain.bool == true && row.acts[1].isDestructive.bool == true)
    }

    @Test func `A requested refund is granted or declined, and a refund is reversed`() throws {
        try shop.perform("refund-decision ask", "buy coins", "request-refund 1", "finish 1")
        #expect(try transaction(1) == ["refund 1", "decline-refund 1", "delete 1"])
        let row = try shop.ask("/transactions").rows[0]
        #expect(row.state.text == "sold" && row.sentence.text == "sold; a refund is asked for")
        try shop.perform("refund 1")
        #expect(try transaction(1) == ["reverse-refund 1", "delete 1"])
        try shop.perform("reverse-refund 1")
        #expect(try transaction(1) == ["refund 1", "request-refund 1", "delete 1"])
    }

    @Test func `A restored transaction is finished, on a device of its account`() throws {
        try shop.perform("buy sword", "finish 1", "restore")
        #expect(try transaction(2) == ["finish 2 --device device", "delete 2"])
        try shop.perform("finish 2 --device device")
        #expect(try transaction(2) == ["delete 2"])
        #expect(try shop.ask("/transactions").rows[0].sentence.text == "restored from #1")
    }

    @Test func `A subscription has the acts of its state: running, in grace, in retry, ended`() throws {
        try shop.perform("buy gold")
        #expect(
            try subscription() == [
                "renew metals --account account", "auto-renew off metals --account account", "refund 1",
                "expire metals --account account",
            ]
        )
        try shop.perform("auto-renew off metals --account account")
        #expect(
            try subscription() == [
                "auto-renew on metals --account account", "refund 1", "expire metals --account account",
            ]
        )
        try shop.perform("auto-renew on", "grace-period on", "billing-fails on", "advance-to-end")
        let acts = ["resolve-billing metals --account account", "expire metals --account account"]
        #expect(try shop.ask("/subscriptions").rows[0].state.text == "grace" && subscription() == acts)
        try shop.perform("advance 20d")
        #expect(try shop.ask("/subscriptions").rows[0].state.text == "retry" && subscription() == acts)
        try shop.perform(acts[1])
        #expect(try shop.ask("/subscriptions").rows[0].state.text == "ended")
        #expect(try subscription() == ["buy gold --account account"])
        try shop.perform("sign-out")
        #expect(try subscription().isEmpty)
    }

    @Test func `A question about a higher price is answered`() throws {
        try shop.perform("buy gold", "raise-price gold 19.99")
        #expect(try subscription().contains("answer-consent agree metals --account account"))
        #expect(try subscription().contains("answer-consent decline metals --account account"))
        try shop.perform("answer-consent agree metals --account account")
        #expect(try !subscription().contains { $0.hasPrefix("answer-consent") })
    }

    @Test func `A customer's switches are turned, and names with spaces and dashes stay one word`() throws {
        let name = "--Anna \\\"A\\\""
        try shop.perform("add-account \"\(name)\"", "add-device \"big phone\" --account \"\(name)\"")
        try shop.perform("add-family Smiths --account \"\(name)\"")
        let before = lines(try shop.ask("/customers").rows[1])
        #expect(before.count == 5 && before.allSatisfy { $0.contains(" on ") || $0.contains(" off ") })
        try shop.perform(before)
        let row = try shop.ask("/customers").rows[1]
        #expect(row.switches.asksToBuy.bool == true && row.switches.billingFails.bool == true)
        #expect(row.switches.interrupted.bool == true && row.switches.shares.bool == false)
        #expect(row.devices[0].device.text == "big phone" && row.devices[0].payments.bool == false)
        try shop.perform(lines(row))
        #expect(lines(try shop.ask("/customers").rows[1]) == before)
    }
}
