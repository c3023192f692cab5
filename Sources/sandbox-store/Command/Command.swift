import StoreScenario

/// A parsed command line.
enum Command: Equatable {
    /// Prints the help of the tool or of one command.
    case help(String)
    case demo(DemoOptions)
    case check(files: [String], isJSON: Bool = false)
    case verify(VerifyOptions)
    case serve(ServeOptions)
    /// Prints the description of the control interface.
    case openAPI
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
        let asksForHelp = arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
        if asksForHelp, ScenarioCommand.named(name) != nil {
            self = .store(StoreOptions(work: .command(["help", name]), isJSON: parsed.has("--json")))
        } else if asksForHelp || arguments.isEmpty {
            self = .help(name.isEmpty ? CommandTable.help : parsed.row.help())
        } else {
            self = try parsed.row.command(try parsed.checked())
        }
    }
}
