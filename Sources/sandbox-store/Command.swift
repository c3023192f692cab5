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

        /// The mistake of an option with an empty value.
        static func empty(_ option: String, _ what: String) -> Mistake {
            Mistake(sentence: "\(option) needs \(what), and was given an empty text")
        }
    }

    /// Parses the arguments after the program's name.
    ///
    /// Everything after `--` is a file.
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

    /// Removes every occurrence of an option before `--`, and returns the arguments after them.
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

extension Command {
    /// The text of `--help`.
    static let usage = """
        sandbox-store: a store for testing in-app purchases, on Xcode's .storekit files

        sandbox-store demo [--ask | --json] [FILE]
            Plays purchases, refusals, a relaunch and a restore on a file, and prints what the app did and what
            its observer heard. Without a file, on the one that comes with the package.
            --ask   asks you before each charge: y approves, c cancels, d declines
            --json  prints each line as an object of JSON
        sandbox-store check [--json] FILE...
            Says what is in each file, or what is wrong with it.
            --json  prints the products, or the error, as JSON, a line for each file
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
        sandbox-store serve --store FILE --ca FOLDER [--port N] [--host ADDRESS] [--configuration FILE]
                            [--bundle IDENTIFIER] [--notify URL] [--shared-secret TEXT] [--tls HOSTS]
                            [--receipt-limit BYTES] [--json]
            Is the App Store's servers for a store in a SQLite file, by the system's clock, until SIGTERM or SIGINT:
            POST /verifyReceipt, the App Store Server API below /inApps, and notifications. Devices elsewhere buy below
            /device, with the token that the command token has made. Both files are made if they do not exist. For FILE
            there may be a postgresql:// URL, for a store that other processes have open too; what follows a # in it is
            the store's name. Prints a line: the URL, and where the API's key and the root certificate are. A second line is
            the address of a page that shows the store in a browser and acts on it; it has a token, which is new each time.
            --ca             the folder of certificates and of the API's key, for you only
            --port           the port; a free one unless given
            --host           the address to listen on; 127.0.0.1, which only this machine reaches, unless given. There is
                             no page for browsers at an address that other machines reach
            --configuration  Xcode's .storekit file with the products; those that the store has sold unless given
            --bundle         the app's bundle identifier; com.example.app unless given
            --notify         the URL to send notifications to
            --shared-secret  what verification asks for; other users of the machine may see it
            --tls            serves over TLS, by a certificate of the folder's authority for these host names and addresses,
                             with commas between them
            --receipt-limit  the most bytes of a request to verify a receipt; 16777216 unless given, some 39,000 purchases
            --json           prints what the lines say as one object of JSON
        sandbox-store --store FILE init FILE.storekit [--at MOMENT]
            Makes a store with the products and settings of Xcode's file, and keeps it in a SQLite file. Beside it are
            its time and settings, in FILE.state, and the key of its receipts, in FILE.key. Its time stands still between
            commands. For FILE there may be a postgresql:// URL with the store's name behind a #, here and below: a store that
            other processes have open too. It goes by the system's clock, and its settings are each process's own: --storekit
            names the file with which the others serve it.
            --at    the store's time; 2025-01-01T00:00:00Z unless given
        sandbox-store [--store FILE | --storekit FILE] [--json] COMMAND
            Performs a command on the store in a file; or on a new one in memory with the products of Xcode's file, or
            of the one that comes with the package. sandbox-store help lists the commands, such as buy, approve, refund,
            advance 1mo, transactions and timeline.
            --json  prints the answer as JSON, in one line
        sandbox-store [--store FILE | --storekit FILE] [--json] run SCENARIO
            Performs a file with a command in each line, up to the first that the store refuses.
            What was done before it stays done. A line is COMMAND as above; # begins a comment, and try goes on if the
            store refuses the rest of the line.
        sandbox-store [--store FILE | --storekit FILE] [--json] names KIND
            Prints the names that a store has of a kind, a line each, such as product, account, device or undecided.
        sandbox-store completion bash|zsh
            Prints a script by which the shell completes all this, with the names of the store behind --store:
            source <(sandbox-store completion bash)
        sandbox-store --help
            Prints this.

        A terminal shows colors, unless NO_COLOR is set, and the progress of what takes longer than a second.

        Exit codes: 0 for success, 1 for a file that cannot be used, a receipt that is not valid, a command that
        the store refuses, output that cannot be written, or SQLite, libcrypto or libmicrohttpd where it is missing, 2 for a command
        line or a scenario that makes no sense, or names a receipt, key, root or list that cannot be read.

        """
}
