import Foundation
import StoreCore
import StoreScenario
import Testing

@Suite struct LanguageTests {
    @Test(arguments: [
        ("frobnicate", "\"frobnicate\" is not a command; the command help lists them"),
        ("refnud", "\"refnud\" is not a command; did you mean \"refund\"?"),
        ("buy", "buy needs a product; write "),
        ("buy sword game", "\"game\" is one word too many; write buy PRODUCT"),
        ("buy sword --quantiy 3", "\"--quantiy\" is not an option of buy; did you mean \"--quantity\"?"),
        ("buy sword --xyzzy", "\"--xyzzy\" is not an option of buy; use one of --quantity, --user, --offer, "),
        ("clear --xyzzy", "\"--xyzzy\" is not an option of clear; it has none"),
        ("buy sword --quantity", "\"--quantity\" needs a whole number from 1 to 1000"),
        ("buy sword --quantity 1001", "\"1001\" is not a whole number from 1 to 1000"),
        ("buy sword --quantity 1 --quantity 2", "\"--quantity\" was given twice"),
        ("advance 1q", "\"1q\" is not a length of time as in 1y, 1mo, 2w, 7d, 12h, 5min or 30s"),
        ("advance mo", "\"mo\" is not a length of time"),
        ("advance 1d100001s", "\"1d100001s\" is too long: the number before a unit is at most 100000"),
        ("advance 99999999999999999999y", "is too long"),
        ("advance-to tomorrow", "\"tomorrow\" is not a moment as in 2025-02-01T00:00:00Z"),
        ("advance-to 2025-02-31T00:00:00Z", "\"2025-02-31T00:00:00Z\" is not a moment as in 2025-02-01T00:00:00Z"),
        ("advance-to 2025-02-01T24:30:00+01:00", "is not a moment"),
        ("ask-to-buy onn", "\"onn\" is not on or off; did you mean \"on\"?"),
        ("raise-price pro.monthly 4,99", "\"4,99\" is not a price as in 4.99"),
        ("storefront Germany", "\"Germany\" is not a country's three letters as in USA"),
        ("refund latest", "\"latest\" is not a transaction: its number, first or last"),
        ("purchase-failure paymentInvalit", "did you mean \"paymentInvalid\"?"),
        ("purchase-failure 7", "is not off or the name of a failure as in paymentInvalid or timedOut; the names are "),
        ("clock slow", "\"slow\" is not fixed or running"),
        ("add-account \"anna", "the quotation mark is not closed"),
        ("add-account \"anna\"b", "a space belongs behind the closing quotation mark"),
        ("add-account \"a\\b\"", "a backslash goes before \", \\ or n"),
        ("try", "a command is missing"),
        ("", "a command is missing"),
    ])
    func `A line that makes no sense names its word and what was expected`(line: String, sentence: String) throws {
        let error = try #require(throws: ScenarioError.self) { try ScenarioStep(line) }
        #expect(error.kind == .syntax)
        #expect("\(error)".contains(sentence), "\(error)")
    }

    @Test func `An error in a scenario has the file, the line and the column`() throws {
        let text = "buy sword\n\n  # nothing\n\tbuy  sword --quantity ten\n"
        let error = try #require(throws: ScenarioError.self) { try Scenario(text, name: "shop.scenario") }
        #expect(error.line == 4)
        #expect(error.column == 24)
        #expect(error.word == "ten")
        #expect("\(error)" == "shop.scenario:4:24: \"ten\" is not a whole number from 1 to 1000")
    }

    @Test func `Lines may end as on any system`() throws {
        #expect(try Scenario("buy sword\r\nbuy game\rbuy sword").steps.map(\.line) == [1, 2, 3])
    }

    @Test func `A scenario is read from a file, and a file that cannot be read is named`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).scenario")
        try Data("buy sword # one\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Scenario(contentsOf: file).steps.map(\.description) == ["buy sword"])
        let missing = file.appendingPathExtension("missing")
        let error = try #require(throws: ScenarioError.self) { try Scenario(contentsOf: missing) }
        #expect("\(error)".hasPrefix("\(missing.lastPathComponent): cannot be read: "))
        let folder = file.deletingLastPathComponent()
        let trouble = try #require(throws: ScenarioError.self) { try Scenario(contentsOf: folder) }
        #expect("\(trouble)" == "\(folder.lastPathComponent): cannot be read: it is a folder")
    }

    @Test(arguments: [
        "buy sword --quantity 3 --user \"Anna \\\"A\\\" B\" --ask",
        "try refund any-3",
        "add-account \"--anna\"",
        "add-account \"#1\"",
        "add-account \"\"",
        "add-account \"two\\nlines\"",
        "add-account \"back\\\\slash\"",
        "advance 1y2mo3d",
    ])
    func `A step is written as it was read`(line: String) throws {
        #expect(try ScenarioStep(line).description == line)
        #expect(try ScenarioStep(ScenarioStep(line).description).description == line)
    }

    @Test func `What a shell has separated needs no quotation marks`() throws {
        #expect(try ScenarioStep(words: ["add-account", "Anna B"]).description == "add-account \"Anna B\"")
        #expect(try ScenarioStep(words: ["add-account", "--", "--x"]).description == "add-account \"--x\"")
        let error = try #require(throws: ScenarioError.self) { try ScenarioStep(words: ["add-account", "--x"]) }
        #expect("\(error)" == "\"--x\" is not an option of add-account; it has none")
    }

    @Test(arguments: [
        ("30s", "2025-01-31T00:00:30Z"), ("5min", "2025-01-31T00:05:00Z"), ("12h", "2025-01-31T12:00:00Z"),
        ("7d", "2025-02-07T00:00:00Z"), ("2w", "2025-02-14T00:00:00Z"), ("1mo", "2025-02-28T00:00:00Z"),
        ("1y", "2026-01-31T00:00:00Z"), ("1mo1d", "2025-03-01T00:00:00Z"), ("0s", "2025-01-31T00:00:00Z"),
        ("0mo", "2025-01-31T00:00:00Z"),
    ])
    func `Months and years are those of the calendar`(duration: String, end: String) throws {
        let shop = try Shop()
        try shop.perform("advance 30d", "advance \(duration)")
        #expect(shop.store.clock.now.formatted(.iso8601) == end)
    }

    @Test func `A line that begins with try is gone on from`() throws {
        let shop = try Shop()
        let answers = try Scenario("try refund\nbuy sword\ntry refund").run(on: shop.store)
        #expect(answers[0].text == "not done: there is no transaction that was sold and is not refunded")
        #expect(answers[0].json.contains("\"refused\":"))
        #expect(try shop.store.transactions.map { $0.refundedAmount != nil } == [true])
    }
}

@Suite struct ScenarioTests {
    private let store: SandboxStore

    init() throws {
        store = try SandboxStore(products: [
            .consumable("sword", price: "0.99"),
            .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro"),
        ])
    }

    @Test func `A scenario performs its lines in order`() throws {
        let answers = try Scenario(
            """
            buy pro.monthly   # the first period
            advance 1mo

            refund last
            """
        ).run(on: store)
        #expect(answers.count == 3)
        #expect(try store.transactions.map(\.cancellationDate).map { $0 != nil } == [false, true])
    }

    @Test func `A refused line is named with its word`() throws {
        let scenario = try Scenario("buy sword\n  buy swrod", name: "shop.scenario")
        let error = try #require(throws: ScenarioError.self) { try scenario.run(on: store) }
        #expect("\(error)" == "shop.scenario:2:7: \"swrod\" is not a product of this store; did you mean \"sword\"?")
    }
}
