import Foundation
import ModelSimulator
import StoreContract
import StoreCore
import Testing

@testable import simulate

/// The program `simulate`.
@Suite("The program simulate, which performs whole runs") struct SimulateTests {
    private static let arguments = ["--runs", "40", "--operations", "20", "--jobs", "2"]

    /// A store that loses each order.
    private final class Forgetful: ForwardingBackend {
        let backend: any StoreBackend

        init(_ backend: any StoreBackend) { self.backend = backend }

        func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
            let others = commands.filter { if case .purchase = $0.action { false } else { true } }
            backend.submit(others, reply: reply)
        }
    }

    @Test func `A simulation ends with a summary, and with its tables where they are wanted`() {
        let summary = Simulate.output(for: Self.arguments)
        #expect(summary.code == 0)
        #expect(summary.text.hasPrefix("40 runs, 800 operations, no rule broken\n"))
        let whole = Simulate.output(for: Self.arguments + ["--coverage"])
        #expect(whole.code == 0)
        #expect(whole.text.hasPrefix(summary.text))
        #expect(whole.text.contains("\n- what is undecided cannot be finished: deferred, finish; purchasing, finish\n"))
    }

    @Test func `Runs that have to be complete end with 1 and what they did not meet`() {
        let output = Simulate.output(for: ["--runs", "2", "--operations", "5", "--complete"])
        #expect(output.code == 1)
        #expect(output.text.contains("\nnot complete: "))
        #expect(output.text.contains("purchased, signOut"))
        #expect(output.text.contains("rung, both crash"))
    }

    @Test func `A run that breaks a rule ends with 1, and leaves its page where it is wanted`() throws {
        let folder = TemporaryFolder(for: "simulate")
        try folder.make()
        defer { folder.remove() }
        let arguments = ["--runs", "20", "--operations", "10"]
        let broken = Simulate.output(for: arguments) { Forgetful($0) }
        #expect(broken.code == 1)
        #expect(broken.text.hasSuffix("\n--page FILE writes its timeline"))
        let page = folder.url.appending(path: "run.html")
        let paged = Simulate.output(for: arguments + ["--page", page.path]) { Forgetful($0) }
        #expect(paged.code == 1)
        #expect(paged.text.hasSuffix("\nits timeline: \(page.path)"))
        let nowhere = folder.url.appending(path: "none/run.html").path
        let lost = Simulate.output(for: arguments + ["--page", nowhere]) { Forgetful($0) }
        #expect(lost.code == 1)
        #expect(lost.text.contains("\nits timeline cannot be written to \(nowhere): "))
        #expect(lost.text.hasPrefix(broken.text.dropLast("--page FILE writes its timeline".count)))
        let failure = try #require(Simulator.run(seed: 1, runs: 20, operations: 10) { Forgetful($0) }.failure)
        #expect(try String(contentsOf: page, encoding: .utf8) == failure.page)
    }

    @Test(arguments: [
        (["--runs"], "--runs needs a whole number, 0 or more"),
        (["--jobs", "0"], "--jobs needs a whole number, 1 or more"),
        (["--storage", "paper"], "--storage is memory, sqlite or postgres"),
        (["--transport", "detour"], "--transport is direct, socket or both"),
        (["--page"], "--page needs a file"),
        (["--speed", "1"], "\"--speed\" is not an option of simulate"),
    ])
    func `A mistake in the command line ends with 2 and a sentence`(arguments: [String], sentence: String) {
        let output = Simulate.output(for: arguments)
        #expect(output.code == 2)
        #expect(output.text == "simulate: \(sentence); see simulate --help")
    }

    @Test func `Each option is read`() throws {
        let plain = try Simulate([])
        #expect((plain.seed, plain.runs, plain.operations) == (1, 1000, 50))
        #expect(plain.transport == nil && plain.storage.name == "memory")
        let words = "--seed 7 --runs 3 --operations 9 --jobs 2 --transport direct --storage sqlite --page p --coverage"
        let full = try Simulate(words.split(separator: " ").map(String.init) + ["--complete"])
        #expect((full.seed, full.runs, full.operations, full.jobs) == (7, 3, 9, 2))
        #expect(full.transport == .direct && full.storage.name == "sqlite")
        #expect(full.page == "p" && full.printsCoverage && full.mustBeComplete)
        #expect(try Simulate(["--transport", "both"]).transport == nil)
    }

    @Test func `The command lines of the article are understood`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let article = try String(
            contentsOf: root.appending(path: "Sources/StoreCore/StoreCore.docc/Articles/Simulator.md"),
            encoding: .utf8
        )
        let start = "swift run -c release simulate "
        let lines = article.split(separator: "\n").filter { $0.hasPrefix(start) }
        #expect(lines.count == 2)
        for line in lines { _ = try Simulate(line.dropFirst(start.count).split(separator: " ").map(String.init)) }
    }
}
