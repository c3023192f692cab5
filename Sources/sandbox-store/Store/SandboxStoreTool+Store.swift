import Foundation
import StoreCore
import StoreSQLite
import StoreScenario

// Commands on a store, by themselves or in a scenario.
extension SandboxStoreTool {
    func store(_ options: StoreOptions) -> Int32 {
        if options.store != nil, !SQLite.isAvailable {
            console.complain("sandbox-store: \(SQLite.advice)\n")
            return 1
        }
        do {
            // Before the store is opened: a line that makes no sense touches nothing.
            let scenario = try scenario(options.work)
            guard let path = options.store else {
                let file = options.configuration.map { URL(filePath: $0) } ?? Self.demoFile
                let performer = ScenarioPerformer(store: try SandboxStore(StoreConfiguration(contentsOf: file)))
                try perform(scenario, with: performer, options) {}
                return 0
            }
            if case .initialize(let file, let start) = options.work {
                let configuration = try StoreConfiguration(contentsOf: URL(filePath: file))
                let store = try StoreFile(creating: path, configuration, start: start)
                defer { store.close() }
                try answer(try store.performer.perform("products"), options)
                return 0
            }
            let store = try StoreFile(opening: path)
            defer { store.close() }
            try perform(scenario, with: store.performer, options) { try store.keep() }
            return 0
        } catch let error as ScenarioError {
            complain(error)
            return error.kind == .syntax ? 2 : 1
        } catch {
            complain(error)
            return 1
        }
    }

    private func complain(_ error: any Error) {
        console.complain("\(console.emphasized("sandbox-store:", as: .failure)) \(error)\n")
    }

    private func scenario(_ work: StoreOptions.Work) throws -> Scenario {
        switch work {
        case .initialize: try Scenario("")
        case .command(let words): Scenario(step: try ScenarioStep(words: words))
        case .run(let file): try Scenario(contentsOf: URL(filePath: file))
        }
    }

    private func perform(
        _ scenario: Scenario,
        with performer: ScenarioPerformer,
        _ options: StoreOptions,
        keep: () throws -> Void
    ) throws {
        let progress = console.isTerminal ? CommandProgress(performer.store.clock, console) : nil
        defer { progress?.end() }
        // What was done is kept, whatever became of the rest.
        var failure: (any Error)?
        let isScenario = if case .run = options.work { true } else { false }
        do {
            for step in scenario.steps {
                progress?.begin(isScenario ? "line \(step.line ?? 0), \(step)" : "\(step)")
                let answer = try performer.perform(step)
                progress?.end()
                if isScenario, !options.isJSON { console.write("\(console.emphasized("\(step)", as: .heading))\n") }
                try self.answer(answer, options, indentation: isScenario ? "    " : "")
                try keep()
            }
        } catch let error as ScenarioError {
            failure = error.named(scenario.name)
        } catch {
            failure = error
        }
        try keep()
        if let failure { throw failure }
    }

    private func answer(_ answer: ScenarioAnswer, _ options: StoreOptions, indentation: String = "") throws {
        guard !options.isJSON else {
            console.write("\(answer.json)\n")
            return
        }
        var lines = answer.text.split(separator: "\n", omittingEmptySubsequences: false).map { "\(indentation)\($0)" }
        if answer.hasHeader { lines[0] = console.emphasized(lines[0], as: .heading) }
        console.write(lines.map { "\($0)\n" }.joined())
    }
}
