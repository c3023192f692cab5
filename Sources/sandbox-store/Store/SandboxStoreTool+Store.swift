import Foundation
import StoreCore
import StoreSQLite
import StoreScenario

// Commands on a store, by themselves or in a scenario.
extension SandboxStoreTool {
    func store(_ options: StoreOptions) -> Int32 {
        let address = options.store.flatMap(SharedStoreAddress.init)
        if options.store != nil, address == nil, !SQLite.isAvailable {
            console.complain("sandbox-store: \(SQLite.advice)\n")
            return 1
        }
        do {
            if case .names(let kind) = options.work {
                try printNames(of: kind, options)
                return 0
            }
            // Parsed before the store is opened: an invalid line changes nothing.
            let scenario = try scenario(options.work)
            let progress = console.isTerminal ? CommandProgress(console) : nil
            defer { progress?.end() }
            guard let path = options.store else {
                try perform(scenario, with: performer(inMemory: options), on: nil, options, progress)
                return 0
            }
            // Only its name: an address may contain a password.
            progress?.begin("opening \(address.map(\.name) ?? path)")
            let store = try open(path, options)
            defer { store.close() }
            if case .initialize = options.work {
                progress?.end()
                try answer(try store.performer.perform("products"), options)
                return 0
            }
            progress?.end()
            try perform(scenario, with: store.performer, on: store, options, progress)
            return 0
        } catch let error as ScenarioError {
            complain(error)
            return error.kind == .syntax ? 2 : 1
        } catch {
            complain(error)
            return 1
        }
    }

    /// Opens an existing store, or creates it.
    private func open(_ path: String, _ options: StoreOptions, patience: TimeInterval = 5) throws -> any KeptStore {
        let address = SharedStoreAddress(path)
        guard case .initialize(let file, let start) = options.work else {
            guard let address else { return try StoreFile(opening: path, patience: patience) }
            let isCommand = if case .command = options.work { true } else { false }
            let configuration = try options.configuration.map { try StoreConfiguration(contentsOf: URL(filePath: $0)) }
            return try SharedStore(opening: address, configuration, patience: patience, mustKeep: isCommand)
        }
        let configuration = try StoreConfiguration(contentsOf: URL(filePath: file))
        guard let address else { return try StoreFile(creating: path, configuration, start: start) }
        guard start == nil else {
            let reason = "a store on a database server goes by the system's clock: leave out --at"
            throw StoreFile.Failure(description: reason)
        }
        return try SharedStore(creating: address, configuration)
    }

    func complain(_ error: any Error) {
        console.complain("\(console.emphasized("sandbox-store:", as: .failure)) \("\(error)".printable)\n")
    }

    /// Prints a store's names of a kind, for a shell to complete; if there are many, the newest.
    private func printNames(of kind: ScenarioValueKind, _ options: StoreOptions) throws {
        // A shell does not wait for a server to end.
        let store = try options.store.map { try open($0, options, patience: 0) }
        defer { store?.close() }
        let performer = try store?.performer ?? performer(inMemory: options)
        let names = try performer.names(of: kind).suffix(Self.mostNames)
        guard !options.isJSON else {
            console.write("\(JSONValue.array(names.map(JSONValue.string)).encoded)\n")
            return
        }
        // One a line: a name with control characters cannot be typed.
        console.write(names.filter { !$0.unicodeScalars.contains(where: \.isControl) }.map { "\($0)\n" }.joined())
    }

    private static let mostNames = 500

    private func performer(inMemory options: StoreOptions) throws -> ScenarioPerformer {
        let file = options.configuration.map { URL(filePath: $0) } ?? Self.demoFile
        return ScenarioPerformer(store: try SandboxStore(StoreConfiguration(contentsOf: file)))
    }

    private func scenario(_ work: StoreOptions.Work) throws -> Scenario {
        switch work {
        case .initialize, .names: try Scenario("")
        case .command(let words): Scenario(step: try ScenarioStep(words: words))
        case .run(let file): try Scenario(contentsOf: URL(filePath: file))
        }
    }

    private func perform(
        _ scenario: Scenario,
        with performer: ScenarioPerformer,
        on store: (any KeptStore)?,
        _ options: StoreOptions,
        _ progress: CommandProgress?
    ) throws {
        // Commands that were performed are saved, even if a later one fails.
        var failure: (any Error)?
        let isScenario = if case .run = options.work { true } else { false }
        do {
            for step in scenario.steps {
                progress?.begin(isScenario ? "line \(step.line ?? 0), \(step)" : "\(step)", performer.store.clock)
                try store?.check(step)
                let answer = try performer.perform(step)
                progress?.end()
                // Saved before the result is printed: a reader that closes the pipe may end this process.
                try store?.keep()
                if isScenario, !options.isJSON {
                    console.write("\(console.emphasized("\(step)".printable, as: .heading))\n")
                }
                try self.answer(answer, options, indentation: isScenario ? "    " : "")
            }
        } catch let error as ScenarioError {
            failure = error.named(scenario.name)
        } catch {
            failure = error
        }
        try store?.keep()
        if let failure { throw failure }
    }

    private func answer(_ answer: ScenarioAnswer, _ options: StoreOptions, indentation: String = "") throws {
        guard !options.isJSON else {
            console.write("\(answer.json)\n")
            return
        }
        var lines = answer.text.printable.split(separator: "\n", omittingEmptySubsequences: false).map {
            "\(indentation)\($0)"
        }
        if answer.hasHeader { lines[0] = console.emphasized(lines[0], as: .heading) }
        console.write(lines.map { "\($0)\n" }.joined())
    }
}
