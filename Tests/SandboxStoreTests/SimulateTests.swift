import Foundation
import StoreContract
import StoreCore
import StoreSimulator
import Testing

@testable import sandbox_store

/// What `simulate` prints.
@MainActor
@Suite struct SimulateTests {
    private static let arguments = ["simulate", "--runs", "40", "--operations", "20", "--jobs", "2"]

    @Test func `A simulation ends with a summary of some lines`() throws {
        let run = Run(Self.arguments)
        let lines = run.output.split(separator: "\n")
        #expect(run.code == 0)
        #expect(lines.first == "40 runs, 800 operations, no rule broken")
        #expect(lines.contains { $0.hasPrefix("met: ") })
        #expect(lines.contains { $0.hasPrefix("not met: ") })
        #expect(lines.count < 6)
        #expect(lines.allSatisfy { $0.count < 250 })
        #expect(run.complaints.isEmpty)
    }

    @Test func `With --coverage the tables follow, with all that was not met and why the rest cannot be`() throws {
        let summary = Run(Self.arguments).output.split(separator: "\n")
        let whole = Run(Self.arguments + ["--coverage"]).output
        #expect(whole.split(separator: "\n").starts(with: summary.dropLast()))
        #expect(whole.contains("purchasing       deferred      purchased"))
        #expect(whole.contains("\n- what is undecided cannot be finished: deferred, finish; purchasing, finish\n"))
    }

    @Test func `A run that breaks a rule leaves its page where it is wanted, and a hint where not`() throws {
        let directory = try Directory()
        let report = Simulator.run(seed: 1, runs: 20, operations: 10) { Forgetful(backend: $0) }
        let failure = try #require(report.failure)
        var options = SimulateOptions()
        let (code, hint) = tell(report, options)
        #expect(code == 1 && hint.contains("\n--page FILE writes its timeline to look at\n"))

        let file = directory.url.appending(path: "run.html")
        options.page = file.path
        let (again, text) = tell(report, options)
        #expect(again == 1 && text.contains("\nits timeline to look at: \(file.path)\n"))
        #expect(try String(contentsOf: file, encoding: .utf8) == failure.page)

        options.isJSON = true
        let value = try #require(
            try JSONSerialization.jsonObject(with: Data(tell(report, options).text.utf8)) as? [String: Any]
        )
        #expect((value["failure"] as? [String: Any])?["page"] as? String == file.path)
        #expect(Run(Self.arguments + ["--page", directory.url.appending(path: "none").path]).code == 0)
        #expect(!FileManager.default.fileExists(atPath: directory.url.appending(path: "none").path))
    }

    private func tell(_ report: SimulationReport, _ options: SimulateOptions) -> (code: Int32, text: String) {
        let text = Locked("")
        let console = Console(
            write: { line in text.withLock { $0 += line } },
            complain: { _ in },
            read: { nil },
            isTerminal: false
        )
        let code = SandboxStoreTool(console: console).tell(report, options)
        return (code, text.withLock { $0 })
    }

    /// A store that loses each order.
    private final class Forgetful: ForwardingBackend {
        let backend: any StoreBackend

        init(backend: any StoreBackend) { self.backend = backend }

        func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
            let kept = commands.filter { if case .purchase = $0.action { false } else { true } }
            backend.submit(kept, reply: reply)
        }
    }

    @Test func `On a terminal a line says how far it has come, and is gone at the end`() {
        let run = Run(Self.arguments, isTerminal: true)
        #expect(run.complaints.contains(" of 40 runs"))
        #expect(run.complaints.hasSuffix("\r\u{1B}[K"))
        #expect(run.output == Run(Self.arguments).output)
    }
}
