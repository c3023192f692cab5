import Foundation
import StoreCore
import StoreScenario
import Testing

/// The code of Scenarios.md and of the module's comments.
@Suite struct ExamplesScenarios {
    private let store: SandboxStore

    init() throws {
        store = try SandboxStore(products: [
            .consumable("sword", price: "0.99"),
            .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro"),
        ])
    }

    @Test func `A scenario in a file`() throws {
        let article = try Document("Sources/StoreCore/StoreCore.docc/Articles/Scenarios.md")
        let text = try #require(article.fences.first { $0.language == "text" }).lines.joined(separator: "\n")
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).scenario")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let scenario = try Scenario(contentsOf: url)
        try scenario.run(on: store)
        #expect(try store.account(named: "anna")?.refunds.count == 1)
    }

    @Test func `A mistake in it is named with its place, as the article says`() throws {
        let article = try Document("Sources/StoreCore/StoreCore.docc/Articles/Scenarios.md")
        let text = try #require(article.fences.first { $0.language == "text" }).lines.joined(separator: "\n")
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "anna.scenario")
        try Data(text.replacing("pro.monthly", with: "pro.montly").utf8).write(to: url)
        let scenario = try Scenario(contentsOf: url)
        let error = try #require(throws: ScenarioError.self) { try scenario.run(on: store) }
        #expect(try Document.text(article.path).contains("`\(error)`"), "\(error)")
    }

    @Test func `A scenario in a text`() throws {
        let scenario = try Scenario(
            """
            buy pro.monthly
            advance 1mo
            refund last
            """
        )
        try scenario.run(on: store)
        #expect(try store.transactions.count == 2)
    }

    @Test func `A line`() throws {
        let performer = ScenarioPerformer(store: store)
        let answer = try performer.perform("buy sword --quantity 3")
        #expect(answer.text == "ordered: #1 3 × sword: purchased")
    }

    @Test func `The article lists every command`() throws {
        let article = try Document("Sources/StoreCore/StoreCore.docc/Articles/Scenarios.md")
        let list = try #require(article.fences.last { $0.language == "text" }).lines.joined(separator: "\n")
        #expect(list == (try ScenarioPerformer(store: store).perform("help").text))
    }

    @Test func `Everything that a test can make happen has a command, or a reason why not`() throws {
        let rows = try Document.text("Sources/StoreCore/StoreCore.docc/Articles/WhatATestCanMakeHappen.md")
            .split(separator: "\n")
            .filter { $0.hasSuffix("` |") }
        #expect(rows.count > 40)
        var commands = 0
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let cell = try #require(cells.dropLast().last)
            guard cell.hasPrefix("`") else {
                #expect(cell.wholeMatch(of: /Only in a test: .{10,}/) != nil, "\(row)")
                continue
            }
            commands += 1
            let line = cell.trimmingCharacters(in: ["`"])
            // The command line makes the file of a store.
            if line != "init shop.storekit" {
                #expect(throws: Never.self, "\(line)") { try ScenarioStep(line) }
            }
        }
        #expect(commands > 60)
    }
}
