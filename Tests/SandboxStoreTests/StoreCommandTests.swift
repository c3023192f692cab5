import Foundation
import StoreCore
import StoreScenario
import Testing

@testable import sandbox_store

/// Commands on a store in memory.
@MainActor
@Suite struct StoreCommandTests {
    @Test func `A command without a store acts on one in memory, which is forgotten`() {
        #expect(Run("buy", "consumable").output == "ordered: #1 consumable: purchased\n")
        #expect(Run("buy", "consumable").output == "ordered: #1 consumable: purchased\n")
    }

    @Test func `A store in memory has the products of a file`() throws {
        let file = try #require(try realFiles().first)
        let products = try StoreConfiguration(contentsOf: URL(filePath: file)).products.map(\.identifier)
        let output = Run("--storekit", file, "products").output
        #expect(products.filter { !output.contains($0) } == [])
    }

    @Test func `The names that a store has are printed a line each, by kind`() throws {
        #expect(Run("names", "account").output == "account\n")
        #expect(Run("names", "group").output.split(separator: "\n").contains("D0FEE8D8"))
        #expect(Run("names", "undecided").output.isEmpty)
        #expect(Run("--json", "names", "device").output == "[\"device\"]\n")
        let mistake = Run("names", "colors")
        #expect(mistake.code == 2 && mistake.complaints.contains("product, account, device"))
    }

    @Test func `No name steers the terminal`() throws {
        let directory = try Directory()
        let file = try directory.write(
            "evil.storekit",
            #"{"version": {"major": 4}, "products": [{"productID": "a\u001b[2Jb", "type": "Consumable", "displayPrice": "1"}]}"#
        )
        let runs = [
            Run("--storekit", file, "products"), Run("--storekit", file, "buy", "a\u{1B}[2Jb"), Run("check", file),
            Run("demo", file), Run("--storekit", file, "buy", "\u{1B}[2J"),
        ]
        for run in runs {
            #expect(!(run.output + run.complaints).contains("\u{1B}"))
            #expect((run.output + run.complaints).contains("\\u{1B}[2J"))
        }
    }

    @Test func `A mistake is 2, and a refusal is 1`() {
        let mistake = Run("buy", "consumable", "--quantity", "x")
        #expect(mistake.code == 2)
        #expect(mistake.complaints == "sandbox-store: \"x\" is not a whole number from 1 to 1000\n")
        let refusal = Run("buy", "consumabel")
        #expect(refusal.code == 1)
        #expect(
            refusal.complaints
                == "sandbox-store: \"consumabel\" is not a product of this store; did you mean \"consumable\"?\n"
        )
        #expect(Run("try", "refund").code == 0)
    }

    private nonisolated static let missing = "/nowhere/at all"

    @Test(arguments: [
        ["demo", missing], ["run", missing], ["--storekit", missing, "products"], ["--store", missing, "products"],
        ["--store", missing, "names", "product"], ["--store", "new.db", "init", missing],
        ["verify", missing, "--key", "00"], ["verify", #filePath, "--key-file", missing],
        ["verify", #filePath, "--root", missing],
        ["serve", "--store", "new.db", "--ca", "keys", "--configuration", missing],
        ["serve", "--store", "new.db", "--ca", "keys", "--shared-secret-file", missing],
        ["matrix", "http://127.0.0.1:1/", "--ca", "keys", "--storekit", missing],
        ["--server", "http://127.0.0.1:1", "--token", missing, "products"],
    ])
    func `A file that does not exist is told in the same words everywhere, and is a mistake`(arguments: [String]) {
        let run = Run(arguments)
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        let sentence = run.complaints.prefix { $0 != ";" && $0 != "\n" }
        #expect(sentence == "sandbox-store: there is no file \(Self.missing)")
        for made in ["new.db", "keys"] { #expect(!FileManager.default.fileExists(atPath: made)) }
        let checked = Run("check", Self.missing)
        #expect(checked.code == 2 && checked.output == "there is no file \(Self.missing)\n")
    }

    @Test func `A table fits the terminal, also below a line of a scenario`() throws {
        #expect(Run(["products"], width: 40).output.split(separator: "\n").allSatisfy { $0.count <= 40 })
        #expect(Run(["products"], width: 400).output == Run("products").output)
        #expect(Run(["--json", "products"], width: 40).output == Run("--json", "products").output)
        let directory = try Directory()
        let file = try directory.write("a.scenario", "products\n")
        let lines = Run(["run", file], width: 40).output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 40 } && lines.contains { $0.hasPrefix("        kind") })
        let bold = Run(["products"], hasColors: true, width: 40).output
        #expect(bold.components(separatedBy: "\u{1B}[1m").count == 3)
    }

    @Test func `Each answer is a line of JSON`() throws {
        let directory = try Directory()
        let file = try directory.write("a.scenario", "buy consumable\nadvance 1d\ntransactions\ntry refund 9\n")
        let lines = Run("--json", "run", file).output.split(separator: "\n")
        let values = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
        try #require(values.count == 4)
        #expect((values[0] as? [String: Any])?["command"] as? String == "buy")
        #expect((values[1] as? [String: Any])?["now"] as? String == "2025-01-02T00:00:00Z")
        #expect((values[2] as? [[String: Any]])?.first?["product"] as? String == "consumable")
        #expect((values[3] as? [String: Any])?["refused"] is String)
    }

    @Test func `Files are checked in lines of JSON`() throws {
        let directory = try Directory()
        let bad = try directory.write("bad.storekit", "{")
        let run = Run("check", "--json", SandboxStoreTool.demoFile.path, bad)
        #expect(run.code == 1)
        let values = try run.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        try #require(values.count == 2)
        #expect((values[0]["products"] as? [[String: Any]])?.first?["product"] as? String == "consumable")
        #expect((values[1]["error"] as? String)?.contains("bad.storekit") == true)
    }

    @Test func `Colors are on a terminal only`() {
        #expect(!Run(["products"]).output.contains("\u{1B}"))
        #expect(Run(["products"], hasColors: true).output.hasPrefix("\u{1B}[1mproduct"))
        #expect(Run(["buy", "x"], hasColors: true).complaints.hasPrefix("\u{1B}[1;31msandbox-store:\u{1B}[0m "))
        #expect(!Run(["--json", "products"], hasColors: true).output.contains("\u{1B}"))
        #expect(Console.colors(["TERM": "xterm"]))
        #expect(!Console.colors(["TERM": "xterm", "NO_COLOR": "1"]))
        #expect(!Console.colors(["TERM": "dumb"]))
        #expect(!Console.colors([:]))
    }

    @Test func `Progress is shown of what takes longer than a second`() {
        let clock = ManualClock()
        let text = Locked("")
        let console = Console(
            write: { _ in },
            complain: { line in text.withLock { $0 += line } },
            read: { nil },
            isTerminal: true
        )
        // However long the machine takes for these lines: no timer, and moments before and behind the beginning.
        let progress = CommandProgress(console, hasTimer: false)
        let before = ContinuousClock.now
        progress.begin("advance 10y", clock)
        let after = ContinuousClock.now
        progress.show(before + .milliseconds(900))
        #expect(text.withLock { $0 }.isEmpty)
        progress.show(after + .milliseconds(1100))
        #expect(text.withLock { $0 } == "\r\u{1B}[Kadvance 10y: 2025-01-01T00:00:00Z")
        progress.end()
        #expect(text.withLock { $0 }.hasSuffix("Z\r\u{1B}[K"))
        progress.show(after + .seconds(9))
        #expect(text.withLock { $0 }.hasSuffix("Z\r\u{1B}[K"))
        progress.begin("opening shop.db")
        progress.show(.now + .seconds(2))
        #expect(text.withLock { $0 }.hasSuffix("\r\u{1B}[Kopening shop.db"))
        progress.end()
    }
}
