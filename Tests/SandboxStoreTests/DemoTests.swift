import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreServer
import StoreSimulator
import Testing

@testable import sandbox_store

@MainActor
@Suite struct DemoTests {
    /// Lives as long as the test.
    private let directory: Directory

    init() throws { directory = try Directory() }

    @Test func `The demo is a page of 80 columns`() throws {
        let run = Run("demo")
        #expect(run.output == (try golden("demo")))
        #expect(run.complaints.isEmpty)
        #expect(run.code == 0)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 30)
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func `The demo in an article is what it prints`() throws {
        let fences = try Article("WhatATestCanMakeHappen.md").fences
        let shown = try #require(fences.first { $0.lines.first == "$ swift run sandbox-store demo" })
        #expect(Run("demo").output == shown.lines.dropFirst().map { "\($0)\n" }.joined())
    }

    @Test func `Headings, names and commands have colors on a terminal that shows them`() throws {
        let plain = Run("demo").output
        #expect(!plain.contains("\u{1B}"))
        let colored = Run(["demo"], hasColors: true).output
        #expect(colored.contains("\u{1B}[1mA year passes\u{1B}[0m\n"))
        #expect(colored.contains("  \u{1B}[36mStore Kit 2\u{1B}[0m  Transaction.updates has 12 renewals"))
        #expect(colored.contains("  \u{1B}[36mswift run sandbox-store serve\u{1B}[0m  "))
        #expect(colored.replacing(#/\e\[[\d;]*m/#, with: "") == plain)
    }

    @Test func `Each line of the demo is an object of JSON where that is wanted`() throws {
        let run = Run("demo", "--json")
        #expect(run.code == 0)
        let lines = try run.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
        }
        // The same words as the page, which breaks long lines.
        let words = lines.flatMap { line in
            ["note", "scene", "who", "what", "failure", "skipped"].compactMap {
                line["command"] == nil ? line[$0] : nil
            }
                + ["command", "note"].compactMap { line["command"] == nil ? nil : line[$0] }
        }
        let page = Run("demo").output.split(whereSeparator: \.isWhitespace)
        #expect(words.joined(separator: " ").split(separator: " ") == page)
    }

    @Test func `The failure is the one that a simulation of the same app throws`() async throws {
        let failure = try await #require(throws: AppSimulationFailure.self) {
            try await AppSimulation(products: [.consumable("consumable", price: "0.99")]) {
                await HastyShop(storage: $0.storage)
            }
            .action("buy") { try await $0.buy("consumable") }
            .holds("consumable") { await $0.delivered }
            .without(.elsewhere, .promotion)
            .run(runs: 100)
        }
        let page = Run("demo").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(page.contains(failure.sentence))
        #expect(page.contains("seed \(failure.seed), \(failure.steps.count) of \(failure.drawn) steps"))
        for step in failure.steps { #expect(page.contains("\(step)")) }
        for explanation in failure.explanations { #expect(page.contains(explanation)) }
    }

    @Test func `Scenes that a file has no product for are skipped with the reason`() throws {
        let file = try directory.write(
            "Coins.storekit",
            #"{"version": {"major": 4}, "products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}]}"#
        )
        let run = Run("demo", file)
        #expect(run.code == 0)
        #expect(run.output.contains("  skipped: this file has no auto-renewable subscription\n"))
        #expect(run.output.contains("a: 1 paid for, and only 0 delivered"))
    }

    @Test func `A file in which everything is bought once gets one more product`() throws {
        let file = try directory.write(
            "Gem.storekit",
            #"{"version": {"major": 4}, "products": [{"productID": "a", "type": "NonConsumable", "displayPrice": "1"}]}"#
        )
        let run = Run("demo", file)
        #expect(run.code == 0)
        #expect(run.output.contains("\nand demo.season, since it has none to buy again and again\n"))
        #expect(run.output.contains("Both apps are killed once demo.season is paid for, and launched again\n"))
        #expect(run.output.contains("demo.season: 1 paid for, and only 0 delivered"))
    }

    @Test func `A file without products is no failure`() throws {
        let run = Run("demo", try directory.write("Empty.storekit", #"{"version": {"major": 4}}"#))
        #expect(run.output.contains("  skipped: this file has no products\n"))
        #expect(run.code == 0)
    }

    @Test func `Every real file has its demo`() throws {
        for file in try realFiles() {
            let run = Run("demo", file)
            #expect(run.code == 0, "\(file): \(run.complaints)")
            #expect(run.output.hasPrefix("A store with the "), "\(file)")
            #expect(run.output.contains("\nTry next\n"), "\(file)")
        }
    }

    @Test func `A broken file ends the demo with its sentence and 1`() throws {
        let file = try directory.write("Broken.storekit", #"{"version": {"major": 0.5}}"#)
        let run = Run("demo", file)
        #expect(run.code == 1)
        #expect(run.output.isEmpty)
        #expect(run.complaints == "sandbox-store: \(file): version.major: expected a whole number from 0, found 0.5\n")
    }

    @Test(
        .enabled(if: MicroHTTPD.isAvailable && SQLite.isAvailable && Libcrypto.isAvailable, "a library is missing"),
        arguments: [nil, "It's mine.storekit"]
    )
    func `The commands to try next work as they are printed`(_ name: String?) throws {
        let file = try name.map { name in
            _ = try directory.write(name, String(contentsOf: SandboxStoreTool.demoFile, encoding: .utf8))
            return directory.url.appending(path: name).path
        }
        let lines = Run(["demo"] + [file].compactMap(\.self)).output.split(separator: "\n")
        let start = "  swift run sandbox-store "
        let commands = lines.filter { $0.hasPrefix(start) }.map { line in
            // Behind two spaces is what the command does.
            String(line.dropFirst(start.count)).split(separator: "  ")[0]
        }
        #expect(commands.count == 3)
        for command in commands {
            let words = try shellWords(String(command))
            if words[0] == "serve" {
                let service = try Service(Array(words.dropFirst()), in: directory)
                #expect(service.line.contains("the store in a browser"))
                #expect(service.end(SIGTERM) == 0)
            } else {
                let run = try runProgram(words, in: directory.url, environment: directory.environment)
                #expect(run.code == 0 && run.complaints.isEmpty && !run.output.isEmpty, "\(command)")
            }
        }
    }

    /// Returns the words that a shell makes of a line.
    private func shellWords(_ line: String) throws -> [String] {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "printf '%s\\n' \(line)"]
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/nm"), "install binutils"))
    func `The program leaves libdispatch as it is`() throws {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/nm")
        process.arguments = [
            "--defined-only", Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "sandbox-store").path,
        ]
        process.standardOutput = pipe
        try process.run()
        let symbols = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(symbols.contains(" store_thread_scheduler\n"))
        #expect(!symbols.contains(" dispatch_async\n"))
    }
}
