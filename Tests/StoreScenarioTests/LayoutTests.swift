import StoreScenario
import Testing

/// The layout of answers and help for a terminal.
@Suite struct LayoutTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    @Test func `A table that fits is as it is, and so is any without a width`() throws {
        let answer = try shop.performer.perform("products")
        let lines = answer.text.split(separator: "\n").map(String.init)
        let longest = try #require(lines.map(\.count).max())
        for width in [nil, longest, 1000] {
            let (found, header) = answer.lines(fitting: width)
            #expect(found == lines && header == 0..<1)
        }
    }

    @Test func `A row that is too long continues in indented lines, at the same columns in each row`() throws {
        let (lines, header) = try shop.performer.perform("products").lines(fitting: 30)
        #expect(
            lines == [
                "product      kind", "    price  group  family", "sword        consumable", "    0.99          no",
                "game         nonConsumable", "    4.99          yes", "pro.monthly  autoRenewable",
                "    4.99   pro    no",
            ]
        )
        #expect(header == 0..<2)
    }

    @Test func `A line that is full to its last column is not folded further`() throws {
        let answer = try shop.performer.perform("products")
        // "pro.monthly  autoRenewable  4.99   pro    no": the last column ends at 48.
        #expect(answer.lines(fitting: 48).header == 0..<1)
        let (lines, header) = answer.lines(fitting: 47)
        #expect(header == 0..<2 && lines[1] == "    family")
    }

    @Test func `A cell that is longer than a line is cut`() throws {
        try shop.perform("add-account \(String(repeating: "a", count: 40))")
        let (lines, _) = try shop.performer.perform("accounts").lines(fitting: 24)
        #expect(lines.contains(String(repeating: "a", count: 23) + "…"))
        #expect(lines.allSatisfy { $0.count <= 24 })
        // No narrower than that: a table of single letters is not legible.
        #expect(try shop.performer.perform("accounts").lines(fitting: 1).lines.allSatisfy { $0.count <= 20 })
    }

    @Test func `What is above a table stays, and a text that is no table is not folded`() throws {
        try shop.perform("buy pro.monthly")
        let (lines, header) = try shop.performer.perform("advance 1mo").lines(fitting: 60)
        #expect(lines.first == "it is 2025-02-01T00:00:00Z" && header == 1..<3)
        #expect(lines.count == 5 && lines.allSatisfy { $0.count <= 60 })
        let receipt = try shop.performer.perform("receipt --jws")
        #expect(receipt.lines(fitting: 40).lines == [receipt.text] && receipt.lines(fitting: 40).header.isEmpty)
    }

    @Test(arguments: ScenarioCommand.all.map(\.name)) func `The help of a command fits 80 columns`(name: String) throws
    {
        let command = try #require(ScenarioCommand.named(name))
        #expect(command.help.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(command.help)")
        // Nothing is lost where a line is broken.
        let words = { (text: String) in text.filter { !$0.isWhitespace } }
        #expect(words(command.help).hasPrefix(words(command.usage) + words(command.summary)))
    }

    @Test func `The list of commands fits 80 columns`() throws {
        #expect(try shop.perform("help").split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
