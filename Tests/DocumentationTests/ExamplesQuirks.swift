import Foundation
import StoreCore
import StoreKitTest
import StoreScenario
import Testing

// The lines of the article "What real stores do", and of the comments on quirks.

@Test func `Quirks are turned on as the article says`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    store.quirks = [.listsLate(by: 1), .expiresForAMoment, .renewalsNewestFirst]
    store.quirks.insert(.lapsedIsNotSold)
    store.quirks = []
    #expect(store.quirks.isEmpty)

    store.quirks = .macOS26_6
    store.quirks = .iOS27Simulator
    #expect(store.quirks.contains(.lapsedIsNotSold) && !store.quirks.contains(.listsLate(by: 1)))

    store.quirks = [.listsLate(by: 1), .expiresForAMoment, .renewalsNewestFirst]
    store.quirks = .macOS26_6
    #expect(store.quirks.contains(.listsLate(by: 1)))

    let file = try #require(Bundle.module.url(forResource: "Arcade", withExtension: "storekit"))
    let session = try StoreContext(delivery: .inline, log: .silent).run { try SKTestSession(contentsOf: file) }
    session.quirks = [.interruptedFails, .keepsErrors]
    #expect(session.store.quirks == [.interruptedFails, .keepsErrors])

    session.quirks = [.interruptedFails, .listsLate(by: 1)]
    session.quirks = .iOS27Simulator
    session.resetToDefaultState()
    #expect(session.quirks.isEmpty)
}

@Suite struct QuirkTableTests {
    private static let rows: [[String]] = {
        let article = "Sources/StoreCore/StoreCore.docc/Articles/WhatRealStoresDo.md"
        let lines = (try? Document.text(article))?.split(separator: "\n") ?? []
        return lines.filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
    }()

    @Test func `The table of quirks has each kind, in order, with the systems that it was seen on`() {
        let kinds = StoreQuirk.Kind.allCases
        #expect(Self.rows.map { $0[0] } == kinds.map { "`\($0.rawValue)`" })
        #expect(Self.rows.map { $0[2] } == kinds.map { $0.systems.joined(separator: ", ") })
        for row in Self.rows { #expect(row.count == 6, "\(row)") }
    }

    @Test func `The article's lines turn quirks on and off`() throws {
        let performer = ScenarioPerformer(store: try SandboxStore(products: [.consumable("sword", price: "0.99")]))
        let fences = try Document("Sources/StoreCore/StoreCore.docc/Articles/WhatRealStoresDo.md").fences
        for line in try #require(fences.first { $0.language == "text" }).lines {
            let text = try performer.perform(line).text
            #expect(text.hasSuffix("none") == (line == "quirk all off"), "\(line): \(text)")
        }
    }

    @Test func `The table of quirks names what each source is found by`() {
        for (row, kind) in zip(Self.rows, StoreQuirk.Kind.allCases) {
            let numbers = kind.source.matches(of: #/q[0-9]{2}|\b[0-9]{3,6}\b/#).map { String($0.0) }
            for number in numbers where number != "2026" { #expect(row[3].contains(number), "\(row[0]): \(number)") }
        }
    }
}
