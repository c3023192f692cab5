import Foundation
import StoreCore
import StoreScenario
import Testing

/// Quirks by name, in the language of scenarios.
@Suite struct QuirkCommandTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    @Test func `Quirks are turned on and off by name, several at a time`() throws {
        try shop.perform("quirk lists-late,notifies-twice on")
        #expect(shop.store.quirks == [.listsLate(by: 1), .notifiesTwice])
        try shop.perform("quirk lists-late=0.25 on")
        #expect(shop.store.quirks == [.listsLate(by: 0.25), .notifiesTwice])
        #expect(try shop.perform("quirk lists-late off") == "quirks: notifies-twice")
        #expect(try shop.perform("quirk all off") == "quirks: none")
        #expect(shop.store.quirks.isEmpty)
    }

    @Test func `A system's name stands for what it was seen to do`() throws {
        try shop.perform("quirk ios-27-simulator on")
        #expect(shop.store.quirks == .iOS27Simulator)
        try shop.perform("quirk macos-26.6 on", "quirk ios-27-simulator off")
        #expect(
            shop.store.quirks == Set<StoreQuirk>.macOS26_6.filter { !$0.kind.systems.contains("iOS 27.0 simulator") }
        )
        try shop.perform("quirk all on", "reset")
        #expect(shop.store.quirks.isEmpty)
    }

    @Test(arguments: [
        ("quirk list-late on", #""list-late" is not a quirk; did you mean "lists-late"?"#),
        ("quirk notifies-twice,macos-26 on", #""macos-26" is not a quirk; did you mean "macos-26.6"?"#),
        ("quirk notifies-twice=3 on", #""notifies-twice=3" has no time"#),
        (
            "quirk lists-late=-1 on",
            #""lists-late=-1" needs seconds, at least 0 and at most 10 years, as in lists-late=0.5"#
        ),
        ("quirk lists-late, on", "is not a quirk"),
        ("quirk sideways on", #""sideways" is not a quirk; the command quirks lists them"#),
        ("quirk lists-late", "needs on or off"),
    ])
    func `A misspelled quirk is refused with a suggestion, and nothing changes`(line: String, sentence: String) {
        #expect(shop.error(line).contains(sentence), "\(shop.error(line))")
        #expect(shop.store.quirks.isEmpty)
    }

    @Test func `A store's file keeps all quirks in one line`() throws {
        try shop.perform("quirk lists-late=0.5 on", "quirk notifies-twice on", "quirk declined-arrives on")
        try shop.perform("quirk notifies-twice off")
        #expect(shop.performer.settings == ["quirk lists-late=0.5,declined-arrives on"])
        let next = try Shop()
        for line in shop.performer.settings { try next.perform(line) }
        #expect(next.store.quirks == shop.store.quirks)
        try shop.perform("quirk all off")
        for line in shop.performer.settings { try next.perform(line) }
        #expect(next.store.quirks.isEmpty)
    }

    @Test func `A scenario's quirks apply to its purchases`() throws {
        let text = try shop.perform("ask-to-buy on", "quirk declined-arrives on", "buy sword", "decline")
        #expect(text.contains("purchased"))
    }

    @Test func `The list has every quirk with a sentence and a source, and the ones that are on`() throws {
        try shop.perform("quirk lists-late=0.5 on")
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(try shop.performer.perform("quirks").json.utf8))
                as? [[String: Any]]
        )
        #expect(rows.count == StoreQuirk.Kind.allCases.count)
        for (row, kind) in zip(rows, StoreQuirk.Kind.allCases) {
            #expect(row["sentence"] as? String == kind.sentence && row["source"] as? String == kind.source)
            #expect(row["on"] as? Bool == (kind == .listsLate))
        }
        #expect(rows[0]["quirk"] as? String == "lists-late=0.5")
    }
}
