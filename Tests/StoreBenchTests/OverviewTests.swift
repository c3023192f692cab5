import Foundation
import Testing

@testable import store_bench

struct OverviewTests {
    @Test func `The overview says each number with its unit, also in its picture`() {
        let overview = overview(["purchase.sync", "sk2.purchase", "purchase.history", "durable.serial.full"])
        #expect(
            overview.sentences == [
                "Purchases a second, in memory. A hand fake: array, observer: 5 million; "
                    + "StoreCore, Store Kit 1: 670,000; StoreCore, Store Kit 2: 670,000; "
                    + "Apple’s test session, macOS 26.6: less than 1.7 if each waits to be listed.",
                "A purchase in a store that has sold. 1,000 before: 0.2 µs; 1,000,000 before: 1.5 µs.",
                "A purchase in a file that survives a power failure, bought and finished. "
                    + "SQLite alone: two commits: 0.2 µs; StoreCore: 1.5 µs.",
            ]
        )
        let svg = overview.svg
        for text in ["5 million", "670,000", "less than 1.7 if each waits to be listed ¹", "0.2 µs", "1.5 µs"] {
            #expect(svg.contains(">\(text)</text>"), "\(text)")
        }
        #expect(svg.contains(">" + overview.sentences.joined(separator: " ") + "</desc>"))
        #expect(!svg.contains("url(") && !svg.contains("href"))
    }

    @Test func `Bars are as long as their values, from 0 on`() {
        let lengths = overview(["purchase.history"]).svg
            .matches(of: #/class="ours" x="280.0" y="[0-9.]+" width="([0-9.]+)"/#)
            .compactMap { Double($0.1) }
        #expect(lengths == [53.3, 400])
    }

    @Test func `A panel whose figures were not measured is left out`() {
        #expect(overview(["purchase.sync"]).panels.isEmpty)
        #expect(overview(["durable.serial.full"]).panels.map(\.bars.count) == [2])
    }

    @Test(arguments: [
        (1.666, "1.7"), (0.2, "0.2"), (9.96, "10"), (47.6, "48"), (999, "1,000"), (709_219, "710,000"),
        (999_999, "1 million"), (4_830_918, "4.8 million"), (0, "0"),
    ])
    func `A number has two significant digits`(number: Double, text: String) {
        #expect(Overview.short(number) == text)
    }

    @Test func `--overview measures the figures that it shows`() throws {
        let arguments = try Arguments(["--overview", "overview.svg"])
        #expect(arguments.overview == "overview.svg")
        guard case .measure(let figures) = arguments.task else {
            Issue.record("\(arguments.task)")
            return
        }
        let names = ["purchase.sync", "purchase.history", "sk2.purchase"]
        // Without SQLite there is none in a file.
        #expect([names, names + ["durable.serial.full"]].contains(figures.map(\.name)))
        let wrong = #expect(throws: Arguments.Wrong.self) { try Arguments(["--overview"]) }
        #expect(wrong?.sentence == "--overview takes the name of the file to write.")
    }

    private func overview(_ names: [String]) -> Overview {
        let outcome = Outcome(
            floors: [Sample(value: 200), Sample(value: 200)],
            values: [Sample(value: 1500), Sample(value: 1500)]
        )
        return Overview(outcomes: Dictionary(uniqueKeysWithValues: names.map { ($0, outcome) }))
    }
}
