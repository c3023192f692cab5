/// A command of the tool with its options.
enum Command: Equatable {
    case help
    case demo(DemoOptions)
    case check(files: [String], isJSON: Bool = false)
    case verify(VerifyOptions)
    case serve(ServeOptions)
    case store(StoreOptions)
    case completion(CompletionScript.Shell)

    /// A mistake in a command line, in one sentence.
    struct Mistake: Error, Equatable {
        let sentence: String

        /// An option whose value is an empty text.
        static func empty(_ option: String, _ what: String) -> Mistake {
            Mistake(sentence: "\(option) needs \(what), and was given an empty text")
        }
    }

    /// Parses the arguments behind the program's name.
    ///
    /// Everything behind `--` is a file.
    init(_ arguments: [String]) throws(Mistake) {
        guard let name = arguments.first, !Self.isHelp(name) else {
            self = .help
            return
        }
        if name == "completion" {
            self = try Self.completion(arguments.dropFirst())
            return
        }
        guard ["demo", "check", "verify", "serve"].contains(name) else {
            self = try Self.onStore(arguments)
            return
        }
        if name == "serve" {
            self = try Self.service(arguments.dropFirst())
            return
        }
        if name == "verify" {
            self = try Self.verification(arguments.dropFirst())
            return
        }
        let (options, files) = Self.sort(arguments.dropFirst())
        if options.contains(where: Self.isHelp) {
            self = .help
            return
        }
        let known = name == "demo" ? ["--ask", "--json"] : ["--json"]
        if let option = options.first(where: { !known.contains($0) }) {
            throw Mistake(sentence: "\"\(option)\" is not an option of \(name)")
        }
        switch name {
        case "demo": self = try Self.demonstration(options, files)
        default:
            guard !files.isEmpty else { throw Mistake(sentence: "check needs a file to check") }
            self = .check(files: files, isJSON: options.contains("--json"))
        }
    }

    private static func completion(_ arguments: ArraySlice<String>) throws(Mistake) -> Command {
        if arguments.contains(where: isHelp) { return .help }
        guard arguments.count == 1, let shell = arguments.first.flatMap(CompletionScript.Shell.init(rawValue:)) else {
            throw Mistake(sentence: "completion is for bash or zsh")
        }
        return .completion(shell)
    }

    static func isHelp(_ argument: String) -> Bool { argument == "--help" || argument == "-h" }

    /// Removes an option, wherever it stands before `--`, and returns the argument behind it each time.
    static func takeValues(
        of option: String,
        _ what: String,
        from arguments: inout ArraySlice<String>
    ) throws(Mistake) -> [String] {
        var values: [String] = []
        var kept: [String] = []
        while let argument = arguments.popFirst() {
            if argument == "--" {
                kept += [argument] + arguments
                break
            }
            guard argument == option else {
                kept.append(argument)
                continue
            }
            guard let value = arguments.popFirst() else { throw Mistake(sentence: "\(option) needs \(what)") }
            guard value.contains(where: { !$0.isWhitespace }) else { throw .empty(option, what) }
            values.append(value)
        }
        arguments = kept[...]
        return values
    }

    static func sort(_ arguments: ArraySlice<String>) -> (options: [String], files: [String]) {
        var options: [String] = []
        var files: [String] = []
        var arguments = arguments
        while let argument = arguments.popFirst() {
            if argument == "--" { return (options, files + arguments) }
            if argument.hasPrefix("-") { options.append(argument) } else { files.append(argument) }
        }
        return (options, files)
    }
}
