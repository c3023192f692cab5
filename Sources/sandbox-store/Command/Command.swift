import StoreScenario

/// A parsed command line.
enum Command: Equatable {
    /// Prints the help of the tool or of one command.
    case help(String)
    /// Prints the version.
    case version
    case demo(DemoOptions)
    case check(files: [String], isJSON: Bool = false)
    case verify(VerifyOptions)
    case serve(ServeOptions)
    case matrix(MatrixOptions)
    case simulateServer(SimulateServerOptions)
    /// Prints the description of the control interface, or its guide for coding assistants.
    case openAPI(isGuide: Bool = false)
    case store(StoreOptions)
    case completion(CompletionScript.Shell)
    /// Prints the completions of the last word, for a shell's completion script.
    case complete([String])

    /// A mistake in a command line, described in one sentence.
    struct Mistake: Error, CustomStringConvertible {
        let description: String

        /// Creates a mistake whose sentence refers to the help of a command.
        init(_ sentence: String, _ row: CommandRow? = nil) {
            description = sentence + (row.map { "; see \($0.line) --help" } ?? "")
        }
    }

    /// Parses the arguments after the program's name.
    ///
    /// - Throws: ``Mistake``.
    init(_ arguments: [String]) throws {
        guard arguments.first != CompletionScript.command else {
            self = .complete(Array(arguments.dropFirst()))
            return
        }
        let parsed = try CommandArguments(arguments)
        let name = parsed.row.name
        let options = arguments.prefix { $0 != "--" }
        if options.contains("--help") || options.contains("-h") || arguments.isEmpty {
            self = Self.help(on: parsed.row, isJSON: parsed.has("--json"))
        } else if name.isEmpty, options.contains("--version") {
            self = .version
        } else if name == "help", parsed.words.count == 1 {
            self = Self.help(on: try CommandTable.row(named: parsed.words[0]), isJSON: parsed.has("--json"))
        } else {
            self = try parsed.row.command(try parsed.checked())
        }
    }

    /// Returns the command that prints the help on a row.
    private static func help(on row: CommandRow, isJSON: Bool) -> Command {
        guard row.scenarioOptions != nil, row.name != "try" else {
            return .help(row.name.isEmpty ? CommandTable.help : row.help())
        }
        return .store(StoreOptions(work: .command(["help", row.name]), isJSON: isJSON))
    }
}
