import Foundation
import StoreCore
import StoreSQLite
import StoreScenario

extension SandboxStoreTool {
    /// Performs a command or a scenario on a store.
    func store(_ options: StoreOptions) throws {
        if case .names(let kind) = options.work { return try printNames(of: kind, options) }
        // Parses before the store is opened, so an invalid line changes nothing.
        let scenario = try scenario(options.work)
        let progress = console.isTerminal ? CommandProgress(console) : nil
        defer { progress?.end() }
        // Shows only the name, since an address may contain a password.
        if let path = options.store { progress?.begin("opening \(SharedStoreAddress(path).map(\.name) ?? path)") }
        let store = try open(options)
        defer { store.close() }
        progress?.end()
        sayWhere(store, options)
        if case .resend(let notification) = options.work { return try resend(notification, store, options) }
        try perform(scenario, on: store, options, progress)
    }

    private func resend(_ notification: String, _ store: any KeptStore, _ options: StoreOptions) throws {
        guard let served = store as? ServedStore else {
            throw StoreFile.Failure(description: "nobody sends notifications of this store: serve it with --notify URL")
        }
        guard let identifier = UUID(uuidString: notification)?.uuidString.lowercased() else {
            let reason = "\"\(notification.printable)\" is not the UUID of a notification"
            throw StoreFile.Failure(description: "\(reason); the command notifications lists them")
        }
        try served.resend(identifier)
        let done = "sent again: \(identifier)"
        let json: JSONValue = ["command": .string("resend"), "done": .string(done)]
        answer(ScenarioAnswer(text: done, json: json), options)
    }

    /// Says that a store in a file is in another process.
    private func sayWhere(_ store: any KeptStore, _ options: StoreOptions) {
        guard let path = options.store, let served = store as? ServedStore else { return }
        console.complain("\(path.printable) is being served at \(served.server): performed there\n")
    }

    /// Opens an existing store, or creates one for `init`.
    ///
    /// - Parameters:
    ///   - options: the store, and the work on it.
    ///   - patience: the number of seconds to wait for a server, or for another process that has the store's file.
    /// - Returns: the store.
    /// - Throws: the errors of the store's file, database or server.
    private func open(_ options: StoreOptions, patience: TimeInterval = 5) throws -> any KeptStore {
        let serverPatience = serverPatience ?? patience
        if let url = options.server {
            return try ServedStore(url, tokenFile: options.token, isJSON: options.isJSON, patience: serverPatience)
        }
        guard let path = options.store else {
            let file = try options.configuration.map { try InputFile.url($0) } ?? Self.demoFile
            return MemoryStore(
                performer: ScenarioPerformer(store: try SandboxStore(StoreConfiguration(contentsOf: file)))
            )
        }
        let address = SharedStoreAddress(path)
        guard case .initialize(let file, let start) = options.work else {
            guard let address else {
                if let served = try ServedStore(beside: path, isJSON: options.isJSON, patience: serverPatience) {
                    return served
                }
                try require(SQLite.isAvailable, SQLite.advice)
                return try StoreFile(opening: path, patience: patience)
            }
            let isCommand = if case .command = options.work { true } else { false }
            let configuration = try options.configuration.map { try StoreConfiguration(contentsOf: InputFile.url($0)) }
            return try SharedStore(opening: address, configuration, patience: patience, mustKeep: isCommand)
        }
        if address == nil { try require(SQLite.isAvailable, SQLite.advice) }
        let configuration = try StoreConfiguration(contentsOf: InputFile.url(file))
        guard let address else { return try StoreFile(creating: path, configuration, start: start) }
        guard start == nil else {
            let reason = "a store on a database server goes by the system's clock: leave out --at"
            throw StoreFile.Failure(description: reason)
        }
        return try SharedStore(creating: address, configuration)
    }

    /// Prints the names in a store that are valid for a kind of word.
    private func printNames(of kind: ScenarioValueKind, _ options: StoreOptions) throws {
        let store = try open(options)
        defer { store.close() }
        sayWhere(store, options)
        let names = try store.names(of: kind)
        guard options.isJSON else { return write(names) }
        console.write("\(JSONValue.array(names.map(JSONValue.string)).encoded)\n")
    }

    /// Writes words for a shell, one in each line.
    ///
    /// Words that contain control characters are omitted.
    func write(_ words: [String]) {
        console.write(words.filter { !$0.unicodeScalars.contains(where: \.isControl) }.map { "\($0)\n" }.joined())
    }

    /// Returns the names that complete a word of a kind: those of transactions the newest first, and only a few of them.
    func completions(of kind: ScenarioValueKind, _ options: StoreOptions) throws -> [String] {
        // Has no patience, since a shell must not wait until another process closes the store.
        let store = try open(options, patience: 0)
        defer { store.close() }
        let names = try store.names(of: kind)
        return kind.isTransaction ? names.suffix(20).reversed() : names.sorted()
    }

    private func scenario(_ work: StoreOptions.Work) throws -> Scenario {
        switch work {
        case .names, .resend: try Scenario("")
        case .initialize: Scenario(step: try ScenarioStep("products"))
        case .command(let words): Scenario(step: try ScenarioStep(words: words))
        case .run(let file): try Scenario(contentsOf: InputFile.url(file))
        }
    }

    private func perform(
        _ scenario: Scenario,
        on store: any KeptStore,
        _ options: StoreOptions,
        _ progress: CommandProgress?
    ) throws {
        let isScenario = if case .run = options.work { true } else { false }
        do {
            for step in scenario.steps {
                progress?.begin(isScenario ? "line \(step.line ?? 0), \(step)" : "\(step)", store.clock)
                // Saves before the result is printed: a reader that closes the pipe may end this process.
                let answer = try store.perform(step, written: scenario.line(of: step))
                progress?.end()
                if isScenario, !options.isJSON {
                    console.write("\(console.emphasized("\(step)".printable, as: .heading))\n")
                }
                self.answer(answer, options, indentation: isScenario ? "    " : "")
            }
        } catch let error as ScenarioError {
            throw error.named(scenario.name)
        }
    }

    private func answer(_ answer: ScenarioAnswer, _ options: StoreOptions, indentation: String = "") {
        guard !options.isJSON else {
            console.write("\(answer.json)\n")
            return
        }
        let (lines, header) = answer.lines(fitting: console.width.map { $0 - indentation.count })
        let shown = lines.enumerated().map { index, line in
            let line = "\(indentation)\(line.printable)"
            return "\(header.contains(index) ? console.emphasized(line, as: .heading) : line)\n"
        }
        console.write(shown.joined())
    }
}

extension ScenarioValueKind {
    /// Whether a word of this kind may be a transaction's number.
    var isTransaction: Bool {
        switch self {
        case .transaction: true
        case .either(_, let kind): kind.isTransaction
        default: false
        }
    }
}
