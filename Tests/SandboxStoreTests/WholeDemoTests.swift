import Foundation
import StoreCore
import Testing

@testable import sandbox_store

@MainActor
@Suite struct WholeDemoTests {
    /// Lives as long as the test.
    private let directory: Directory

    init() throws { directory = try Directory() }

    @Test func `The whole demo on the file in the package`() throws {
        let run = Run("demo", "--all")
        #expect(run.output == (try golden("demo-all")))
        #expect(run.complaints.isEmpty)
        #expect(run.code == 0)
    }

    @Test func `Each line of the demo is an object of JSON where that is wanted`() throws {
        let run = Run("demo", "--all", "--json")
        #expect(run.code == 0)
        let lines = try run.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
        }
        #expect(lines.first?["note"]?.hasPrefix("flutter__packages__Configuration_2.storekit: 6 products") == true)
        // The same words as the play to read, and nothing else.
        let words = lines.compactMap { $0["note"] ?? $0["scene"] ?? $0["what"] ?? $0["skipped"] }
        let played = Run("demo", "--all").output.split(separator: "\n")
        #expect(words.count == lines.count && words.count == played.count)
        for (word, line) in zip(words, played) { #expect(line.hasSuffix(word)) }
        let event = try #require(lines.first { $0["who"] == "observer" })
        #expect(event["date"] == "2025-01-01T09:01:00Z" && event["what"]?.hasPrefix("purchasing") == true)
    }

    @Test func `Whoever is asked decides, and at the end of input everything is cancelled`() throws {
        let run = Run("demo", "--ask", answers: ["y", "D", "perhaps", " c "])
        #expect(run.output == (try golden("demo-ask")))
        #expect(run.complaints.isEmpty)
        #expect(run.code == 0)
    }

    @Test func `Scenes that a file has no product for are skipped with the reason`() throws {
        let file = try directory.write(
            "Coins.storekit",
            """
            {"version": {"major": 4}, "settings": {"_storefront": "DEU", "_locale": "de"}, "products": [
              {"productID": "coins.10", "type": "Consumable", "displayPrice": "1.99",
               "localizations": [{"locale": "en_US", "displayName": "Coins"}, {"locale": "de", "displayName": "Taler"}]},
              {"productID": "coins.0", "type": "Consumable", "displayPrice": "0"}
            ]}
            """
        )
        let run = Run("demo", "--all", file)
        #expect(run.output == (try golden("demo-coins")))
        #expect(run.complaints.isEmpty)
        #expect(run.code == 0)
    }

    @Test func `A file without products is no failure`() throws {
        let run = Run("demo", "--all", try directory.write("Empty.storekit", #"{"version": {"major": 4}}"#))
        #expect(
            run.output == """
                Empty.storekit: 0 products, storefront USA, language en_US
                The store's clock shows 2025-01-01T09:00:00Z and moves only between scenes.

                There is nothing to buy in this file, so there is nothing to show.

                """
        )
        #expect(run.code == 0)
    }

    @Test func `On every real file the user gets what was bought, again after the relaunch`() throws {
        for file in try realFiles() {
            let run = Run("demo", "--all", file)
            #expect(run.code == 0, "\(file)")
            let scenes = run.output.components(separatedBy: "\n\n")
            let relaunch = try #require(scenes.first { $0.hasPrefix("The app is launched again\n") }, "\(file)")
            #expect(relaunch.contains("  observer  purchased "), "\(file)")
            // Cancelled, declined, and an identifier that nobody sells.
            #expect(run.output.components(separatedBy: "  observer  failed ").count == 4, "\(file)")
            #expect(run.output.contains("that was everything to restore\n"), "\(file)")
        }
    }

    @Test func `A broken file ends the demo with its sentence and 1`() throws {
        let file = try directory.write("Broken.storekit", #"{"version": {"major": 0.5}}"#)
        let run = Run("demo", "--all", file)
        #expect(run.code == 1)
        #expect(run.output.isEmpty)
        #expect(run.complaints == "sandbox-store: \(file): version.major: expected a whole number from 0, found 0.5\n")
    }

    @Test func `The cast is chosen by kind, and an unknown identifier is unknown`() throws {
        let products: [SandboxProduct] = [
            .autoRenewable("s", price: "1", period: .init(1, .month), group: "g"),
            .nonConsumable("n", price: "1"),
            .consumable("no.such.product", price: "1"),
        ]
        let cast = try #require(Cast(products))
        #expect(cast.all == ["s", "n", "no.such.product"])
        #expect(cast.three == ["no.such.product", "n", "s"])
        #expect(cast.everyday == "no.such.product")
        #expect(cast.temptation == "s")
        #expect(cast.unknown == "no.such.product.either")
        #expect(cast.subscription == "s")
        #expect(cast.nonRenewing == "demo.season")
        #expect(cast.extras.map(\.identifier) == ["demo.season", "demo.magazine"])
        #expect(try #require(Cast([.nonRenewing("a", price: "1")])).three == ["a", "a", "a"])
        #expect(Cast([]) == nil)
    }
}
