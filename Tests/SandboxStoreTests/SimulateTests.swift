import Foundation
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

    @Test func `On a terminal a line says how far it has come, and is gone at the end`() {
        let run = Run(Self.arguments, isTerminal: true)
        #expect(run.complaints.contains(" of 40 runs"))
        #expect(run.complaints.hasSuffix("\r\u{1B}[K"))
        #expect(run.output == Run(Self.arguments).output)
    }
}
