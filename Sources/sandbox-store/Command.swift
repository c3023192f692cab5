/// A command of the tool with its options.
enum Command: Equatable {
    case help
    /// The demo, on the file in the package, unless another is given.
    case demo(file: String?, asks: Bool)
    case check(files: [String])
    case verify(VerifyOptions)
    case simulate(SimulateOptions)
    case serve(ServeOptions)

    /// A mistake in a command line, in one sentence.
    struct Mistake: Error, Equatable {
        let sentence: String
    }

    /// Parses the arguments behind the program's name.
    ///
    /// Everything behind `--` is a file.
    init(_ arguments: [String]) throws(Mistake) {
        guard let name = arguments.first, !Self.isHelp(name) else {
            self = .help
            return
        }
        guard ["demo", "check", "verify", "simulate", "serve"].contains(name) else {
            let noun = name.hasPrefix("-") ? "an option" : "a command"
            throw Mistake(
                sentence:
                    "\"\(name)\" is not \(noun) of sandbox-store; the commands are demo, check, verify, simulate and serve"
            )
        }
        if name == "simulate" {
            self = try Self.simulation(arguments.dropFirst())
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
        let known = name == "demo" ? ["--ask"] : []
        if let option = options.first(where: { !known.contains($0) }) {
            throw Mistake(sentence: "\"\(option)\" is not an option of \(name)")
        }
        switch name {
        case "demo":
            guard files.count <= 1 else {
                throw Mistake(sentence: "demo plays on one file; \(files.count) were given")
            }
            self = .demo(file: files.first, asks: options.contains("--ask"))
        default:
            guard !files.isEmpty else { throw Mistake(sentence: "check needs a file to check") }
            self = .check(files: files)
        }
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

    static let usage = """
        sandbox-store: a store for testing in-app purchases, on Xcode's .storekit files

        sandbox-store demo [--ask] [FILE]
            Plays purchases, refusals, a relaunch and a restore on a file, and prints what the app did and what
            its observer heard. Without a file, on the one that comes with the package.
            --ask   asks you before each charge: y approves, c cancels, d declines
        sandbox-store check FILE...
            Says what is in each file, or what is wrong with it.
        sandbox-store verify FILE (--key-file FILE | --key HEX | --root FILE [--revocation-list FILE])
                             [--at MOMENT] [--json]
            Says whether a sandbox store with this key, or one with certificates below this root, signed a receipt,
            and what is in it: a transaction's receipt or an app receipt, as it is or in Base64, or a JWS of a
            transaction, of a renewal or of the app's purchase. All bytes of the key's file are the key.
            --key   the key in hexadecimal digits; other users of the machine may see them
            --root  the certificate to trust, in PEM or DER; Xcode's own for what Xcode signed
            --revocation-list  a list of revoked certificates in DER; without one a revoked certificate counts
            --at    judges whether a subscription is over at a moment as 2012-09-21T01:31:38Z, not now
            --json  prints the answer as it went over the wire, or the JWS's payload
        sandbox-store simulate [--seed N] [--runs K] [--operations M] [--jobs J]
                               [--transport direct|socket|both] [--storage memory|sqlite] [--coverage]
            Performs K runs of M operations, drawn from the seed N, and checks a model after each operation; 1000 runs
            of 50 operations from the seed 1 unless given. Prints how much of what can happen was met, or a shrunk run
            that breaks a rule. On a terminal it shows its progress.
            --jobs       on how many threads, the number of cores unless given; it changes nothing of what is printed
            --transport  how queues come to their stores: directly, as in one process, or through the socket; half of
                         the runs on each unless given
            --storage    where store and apps keep what outlives them: in memory unless given, or in SQLite files in
                         the directory for temporary files, where a crash takes what was not synchronized
            --coverage   prints tables of how often each event met each state, and all that was not met
        sandbox-store serve --store FILE --ca FOLDER [--port N] [--host ADDRESS] [--configuration FILE]
                            [--bundle IDENTIFIER] [--notify URL] [--shared-secret TEXT]
            Is the App Store's servers for a store in a SQLite file, by the system's clock, until SIGTERM or SIGINT:
            POST /verifyReceipt, the App Store Server API below /inApps, and notifications. Both files are made if they
            do not exist. Prints one line: the URL, and where the API's key and the root certificate are.
            --ca             the folder of certificates and of the API's key, for you only
            --port           the port; a free one unless given
            --host           the address to listen on; 127.0.0.1, which only this machine reaches, unless given
            --configuration  Xcode's .storekit file with the products; those that the store has sold unless given
            --bundle         the app's bundle identifier; com.example.app unless given
            --notify         the URL to send notifications to
            --shared-secret  what verification asks for; other users of the machine may see it
        sandbox-store --help
            Prints this.

        Exit codes: 0 for success, 1 for a file that cannot be used, a receipt that is not valid or a run that breaks a
        rule, or SQLite, libcrypto or libmicrohttpd where it is missing, 2 for a command line that makes no sense, or names a
        receipt, key, root or list that cannot be read.

        """
}
