import Foundation
import StoreCore
import StoreSQLite
import StoreScenario

extension SandboxStoreTool {
    /// Performs a command or a scenario on a store.
    func store(_ options: StoreOptions) throws {
        let address = options.store.flatMap(SharedStoreAddress.init)
        if options.store != nil, address == nil { try require(SQLite.isAvailable, SQLite.advice) }
        if case .names(let kind) = options.work { return try printNames(of: kind, options) }
        // Parses before the store is opened, so an invalid line changes nothing.
        let scenario = try scenario(options.work)
        let progress = console.isTerminal ? CommandProgress(console) : nil
        defer { progress?.end() }
        guard let path = options.store else {
            return try perform(scenario, with: performer(inMemory: options), on: nil, options, progress)
        }
        // Shows only the name, since an address may contain a password.
        progress?.begin("opening \(address.map(\.name) ?? path)")
        let store = try open(path, options)
        defer { store.close() }
        progress?.end()
        guard case .initialize = options.work else {
            return try perform(scenario, with: store.performer, on: store, options, progress)
        }
        answer(try store.performer.perform("products"), options)
    }

    /// Opens an existing store, or creates one for `init`.
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

    /// Prints the names in a store that are valid for a kind of word.
    private func printNames(of kind: ScenarioValueKind, _ options: StoreOptions) throws {
        let names = try names(of: kind, options)
        guard options.isJSON else { return write(names) }
        console.write("\(JSONValue.array(names.map(JSONValue.string)).encoded)\n")
    }

    /// Writes words for a shell, one in each line.
    ///
    /// Words that contain control characters are omitted.
    func write(_ words: [String]) {
        console.write(words.filter { !$0.unicodeScalars.contains(where: \.isControl) }.map { "\($0)\n" }.joined())
    }

    /// Returns the names in a store that are valid for a kind of word: the newest, at most as many as a shell can list.
    func names(of kind: ScenarioValueKind, _ options: StoreOptions) throws -> [String] {
        // Has no patience, since a shell must not wait until another process closes the store.
        let store = try options.store.map { try open($0, options, patience: 0) }
        defer { store?.close() }
        let performer = try store?.performer ?? performer(inMemory: options)
        return try performer.names(of: kind).suffix(500)
    }

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
        // Throws an error only after the effects of earlier commands are saved.
        var failure: (any Error)?
        let isScenario = if case .run = options.work { true } else { false }
        do {
            for step in scenario.steps {
                progress?.begin(isScenario ? "line \(step.line ?? 0), \(step)" : "\(step)", performer.store.clock)
                try store?.check(step)
                let answer = try performer.perform(step)
                progress?.end()
                // Saves before the result is printed: a reader that closes the pipe may end this process.
                try store?.keep()
                if isScenario, !options.isJSON {
                    console.write("\(console.emphasized("\(step)".printable, as: .heading))\n")
                }
                self.answer(answer, options, indentation: isScenario ? "    " : "")
            }
        } catch let error as ScenarioError {
            failure = error.named(scenario.name)
        } catch {
            failure = error
        }
        try store?.keep()
        if let failure { throw failure }
    }

    private func answer(_ answer: ScenarioAnswer, _ options: StoreOptions, indentation: String = "") {
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
