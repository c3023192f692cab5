/// What the command line asks for.
enum Command: Equatable {
    case help
    /// On the file in the package, unless another is given.
    case demo(file: String?, asks: Bool)
    case check(files: [String])

    /// Why a command line makes no sense, in one sentence.
    struct Mistake: Error, Equatable {
        let sentence: String
    }

    /// Reads the arguments behind the program's name.
    ///
    /// Behind `--` everything is a file.
    init(_ arguments: [String]) throws(Mistake) {
        guard let name = arguments.first, !Self.isHelp(name) else {
            self = .help
            return
        }
        guard ["demo", "check"].contains(name) else {
            let noun = name.hasPrefix("-") ? "an option" : "a command"
            throw Mistake(sentence: "\"\(name)\" is not \(noun) of sandbox-store; the commands are demo and check")
        }
        let (options, files) = Self.sort(arguments.dropFirst())
        if options.contains(where: Self.isHelp) {
            self = .help
            return
        }
        let known = name == "demo" ? ["--ask"] : []
        if let option = options.first(where: { !known.contains($0) }) {
            throw Mistake(sentence: "\"\(option)\" is not an option of \(name)")
        }
        if name == "demo" {
            guard files.count <= 1 else {
                throw Mistake(sentence: "demo plays on one file; \(files.count) were given")
            }
            self = .demo(file: files.first, asks: options.contains("--ask"))
        } else {
            guard !files.isEmpty else { throw Mistake(sentence: "check needs a file to check") }
            self = .check(files: files)
        }
    }

    private static func isHelp(_ argument: String) -> Bool { argument == "--help" || argument == "-h" }

    private static func sort(_ arguments: ArraySlice<String>) -> (options: [String], files: [String]) {
        var options: [String] = []
        var files: [String] = []
        var arguments = arguments
        while let argument = arguments.popFirst() {
            if argument == "--" { return (options, files + arguments) }
            if argument.hasPrefix("-") { options.append(argument) } else { files.append(argument) }
        }
        return (options, files)
    }

    static let usage = """
        sandbox-store: a store for testing in-app purchases, on Xcode's .storekit files

        sandbox-store demo [--ask] [FILE]
            Plays purchases, refusals, a relaunch and a restore on a file, and prints what the app did and what
            its observer heard. Without a file, on the one that comes with the package.
            --ask   asks you before each charge: y approves, c cancels, d declines
        sandbox-store check FILE...
            Says what is in each file, or what is wrong with it.
        sandbox-store --help
            Prints this.

        Exit codes: 0 for success, 1 for a file that cannot be used, 2 for a command line that makes no sense.

        """
}
