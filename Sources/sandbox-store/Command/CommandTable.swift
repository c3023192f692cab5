import StoreCrypto
import StoreScenario

/// The table of commands, used to parse command lines and to generate help and completion.
enum CommandTable {
    /// The options of every command on a store.
    static let storeOptions: [CommandOption] = [
        .init("--store", file, "the store's file, or its postgresql:// URL with the store's name behind a #"),
        .init("--storekit", file, "Xcode's file, for a store in memory; at a URL, the one by which others serve it"),
        .init("--server", server, "the URL of a server on this machine, or of one of its stores"),
        .init("--token", file, "the file with the server's token; SANDBOX_STORE_TOKEN or your server's unless given"),
        .init("--json", nil, "prints the answer as JSON, in one line"),
    ]

    /// The commands outside the scenario language.
    static let own = [
        CommandRow(
            name: "demo",
            parameters: [file],
            count: 0...1,
            options: [
                .init("--all", nil, "plays all scenes of Store Kit 1, and prints each callback"),
                .init(
                    "--ask",
                    nil,
                    "plays them too, and asks you before each charge: y approves, c cancels, d declines"
                ),
                .init("--json", nil, "prints each line as an object of JSON; not with --ask"),
            ],
            summary: """
                Shows on a page what tests can bring about: an app of each Store Kit buys, subscribes, lives through a \
                year, a refund and a kill, and the simulator finds a purchase that an app loses. On the products of a \
                file, as far as it has them; without a file, of the one that comes with the package.
                """
        ) { .demo(try DemoOptions($0)) },
        CommandRow(
            name: "check",
            parameters: [file],
            count: 1...Int.max,
            options: [.init("--json", nil, "prints the products, or the error, as JSON, a line for each file")],
            summary: "Says what is in each file, or what is wrong with it."
        ) { .check(files: $0.words, isJSON: $0.has("--json")) },
        CommandRow(
            name: "verify",
            parameters: [CommandWord("FILE", nil, "a receipt")],
            options: [
                .init("--key-file", file, "the key: all bytes of the file", .alternative),
                .init("--key", hex, "the key, which other users of the machine may see", .alternative),
                .init("--root", file, "the root to trust, in PEM or DER; Xcode's for what Xcode signed", .alternative),
                .init("--revocation-list", file, "a list of revoked certificates in DER, for --root; else they count"),
                .init("--at", moment, "the moment of judgment, as 2012-09-21T01:31:38Z; now unless given"),
                .init("--json", nil, "prints the answer as it went over the wire, or the JWS's payload"),
            ],
            summary: """
                Says whether a sandbox store with this key, or one with certificates below this root, signed a \
                receipt, and what is in it: a transaction's receipt or an app receipt, as it is or in Base64, or a \
                JWS of a transaction, of a renewal or of the app's purchase.
                """
        ) { .verify(try VerifyOptions($0)) },
        CommandRow(
            name: "serve",
            count: 0...0,
            options: [
                .init("--store", file, "the file that keeps the store; in memory unless given"),
                .init(
                    "--ca",
                    folder,
                    "the folder of certificates and of the API's key, for you only; that of the store unless given"
                ),
                .init("--port", port, "the port; a free one unless given"),
                .init("--host", address, "where to listen; 127.0.0.1, which only this machine reaches, unless given"),
                .init(
                    "--configuration",
                    file,
                    "Xcode's file of products; unless given, the store's, or of the package's file"
                ),
                .init("--bundle", identifier, "the app's bundle identifier; com.example.app unless given"),
                .init("--notify", url, "the URL to send notifications to"),
                .init("--shared-secret", text, "what verification asks for; other users of the machine may see it"),
                .init("--shared-secret-file", file, "the file whose first line is what verification asks for"),
                .init("--environment", environment, "what receipts and JWS name; sandbox unless given"),
                .init("--apple-id", appleIdentifier, "the app's Apple ID, for --environment production"),
                .init(
                    "--clock",
                    pace,
                    "fixed stands still between commands; unless given, as it was, and running at first"
                ),
                .init("--tls", hosts, "serves over TLS, by a certificate of the folder for these names and addresses"),
                .init(
                    "--receipt-limit",
                    bytes,
                    "the most bytes of a request to verify a receipt; 16777216 unless given, some 39,000 purchases"
                ),
                .init("--json", nil, "prints what the first lines say as one object of JSON"),
                .init("--log", form, "the form of the lines that follow; text unless given, json with --json"),
                .init("--quiet", nil, "prints the first lines only"),
            ],
            summary: """
                Is the App Store's servers for a store in memory or in a SQLite file, by the system's clock unless that \
                is stopped, until SIGTERM or SIGINT: POST /verifyReceipt, the App Store Server API below /inApps, and \
                notifications. Devices elsewhere buy below /device, with the token that the command token has made. \
                File and folder are made if they do not exist; without --ca it is FILE.keys, or a new one for a store \
                in memory, which is removed at the end. For the store's file there may be a postgresql:// URL, which \
                needs --ca, for a store that other processes have open too; what follows a # in it is the store's \
                name. Prints a line: the URL, and \
                where the API's key and the root certificate are. A second line is the URL by which tests control the store, \
                with the file of the token that they need. A third line is the address of a page that shows the store \
                in a browser and acts on it. The token is new each time. There is neither at an address that other \
                machines reach. While it runs, prints a line for each notification that was sent and for each \
                request that was answered.
                """
        ) { .serve(try ServeOptions($0)) },
        CommandRow(
            name: "matrix",
            parameters: [url],
            options: [
                .init("--future", nil, "asks about what your server cannot know yet, and about wrong certificates"),
                .init("--forms", forms, "the forms to ask about, with commas between them; all unless given"),
                .init("--storekit", file, "Xcode's file of products; the package's unless given"),
                .init("--bundle", identifier, "the app's bundle identifier; com.example.app unless given"),
                .init("--apple-id", appleIdentifier, "the app's Apple ID in production; 1234567890 unless given"),
                .init("--ca", folder, "the folder of the root and of the API's key; a new one unless given"),
                .init(
                    "--serve-port",
                    firstPort,
                    "the port of the sandbox, before that of production; free ones unless given"
                ),
                .init("--timeout", seconds, "the seconds to wait for each answer; 10 unless given"),
                .init("--json", nil, "prints an object of JSON for each answer, in a line"),
            ],
            summary: """
                Asks your server what it makes of the same purchases as transaction receipt, app receipt, JWS, \
                identifier and notification, in the sandbox and in production, before and after the app's first \
                release, and prints which answers agree. Each question is a POST of JSON to the URL, with the value \
                and where the App Store's servers, the API's key and the root are. Your server answers with the \
                product, the transaction and the expiry, or refuses with a status of 4xx. The exit code is 0 if all \
                answers are right, else 1.
                """
        ) { .matrix(try MatrixOptions($0)) },
        CommandRow(
            name: "simulate-server",
            parameters: [CommandWord("FILE.json", nil, "a simulation's file")],
            options: [
                .init("--runs", count, "the number of lives; that of the file unless given"),
                .init("--seed", seed, "the seed of the first life; 1 unless given"),
                .init("--steps", count, "the number of steps in each life; that of the file unless given"),
                .init("--jobs", count, "the most servers at the same time; the number of cores unless given"),
                .init("--life", seed, "the seed of the only life, in place of --seed and --runs"),
            ],
            summary: """
                Starts your server, in any language, and lets it live through purchases, renewals, refunds, families, \
                faulty deliveries and crashes in many random lives. At the end of each, what the server says customers \
                may use is compared with the store. The first life that differs is reduced to the necessary steps and \
                printed, and its scenario is written beside the file. The exit code is 1 then, 2 for a mistake in \
                the file or a server that cannot be started.
                """
        ) { .simulateServer(try SimulateServerOptions($0)) },
        CommandRow(
            name: "openapi",
            count: 0...0,
            options: [.init("--llms", nil, "prints the text for coding assistants, which a server has at /llms.txt")],
            summary: "Prints the description of the interface by which serve is controlled, in OpenAPI 3.1."
        ) { .openAPI(isGuide: $0.has("--llms")) },
        CommandRow(
            name: "init",
            parameters: [CommandWord("FILE.storekit", nil, "a .storekit file")],
            options: [
                .init("--store", file, "the new store's file, or its URL with its name behind a #", .required),
                .init("--at", moment, "the store's time; 2025-01-01T00:00:00Z unless given"),
                .init("--json", nil, "prints the products as JSON, in one line"),
            ],
            summary: """
                Makes a store with the products and settings of Xcode's file, and keeps it in a SQLite file. Beside \
                it are its time and settings, in FILE.state, and its certificates and keys, in the folder FILE.keys, \
                with which serve signs too. Its time stands still between commands. A store at a postgresql:// URL is one that other processes have open \
                too: it goes by the system's clock, and its settings are each process's own.
                """
        ) { arguments in
            let start = try arguments.value(of: "--at", Wording.moment)
            return .store(try StoreOptions(arguments, .initialize(file: arguments.words[0], start: start)))
        },
        CommandRow(
            name: "run",
            parameters: [CommandWord("SCENARIO", nil, "a scenario")],
            options: storeOptions,
            summary: """
                Performs a file with a command in each line, up to the first that the store refuses. What was done \
                before it stays done. A line is COMMAND as below; # begins a comment, and try goes on if the store \
                refuses the rest of the line.
                """
        ) { .store(try StoreOptions($0, .run(file: $0.words[0]))) },
        CommandRow(
            name: "try",
            parameters: [CommandWord("COMMAND", scenarioNames, "a command")],
            count: 1...Int.max,
            options: storeOptions,
            scenarioOptions: ScenarioCommand.all.flatMap(\.options).map(CommandOption.init),
            summary: "Performs a command on a store, and succeeds if the store refuses it."
        ) { .store(try StoreOptions($0, .command(["try"] + $0.words))) },
        CommandRow(
            name: "names",
            parameters: [CommandWord("KIND", .choice(ScenarioValueKind.named.compactMap(\.noun)))],
            options: storeOptions,
            summary: "Prints a store's names of a kind, a line each, such as product, account, device or undecided."
        ) { arguments in
            let kind = try arguments.word { noun in ScenarioValueKind.named.first { $0.noun == noun } }
            return .store(try StoreOptions(arguments, .names(kind)))
        },
        CommandRow(
            name: "resend",
            parameters: [CommandWord("NOTIFICATION", .text, "the UUID of a notification")],
            options: storeOptions,
            summary: """
                Sends a notification once more, whatever its attempts. The store has to be served, with a URL to notify; \
                the command notifications lists what there is to send.
                """
        ) { .store(try StoreOptions($0, .resend(notification: $0.words[0]))) },
        CommandRow(
            name: "completion",
            parameters: [CommandWord("bash|zsh", .choice(CompletionScript.Shell.allCases.map(\.rawValue)))],
            options: [],
            summary: """
                Prints a script by which the shell completes all this, with the names of the store behind --store: \
                source <(sandbox-store completion bash)
                """
        ) { .completion(try $0.word(CompletionScript.Shell.init(rawValue:))) },
    ]

    /// The row of the tool without a command.
    ///
    /// In the help, it stands for the commands of the scenario language.
    static let tool = CommandRow(
        name: "",
        parameters: [CommandWord("COMMAND", .choice(commands.map(\.name)), "a command")],
        options: storeOptions,
        summary: """
            Performs a command on the store in a file, by its server if serve has it; or on a new one in memory with \
            the products of Xcode's file, or of the one that comes with the package. sandbox-store help lists the \
            commands, such as buy, approve, refund, advance 1mo, transactions and timeline.
            """
    ) { _ in .help(help) }

    /// The names of all commands.
    static let names = ScenarioValueKind.choice(own.map(\.name) + ScenarioCommand.all.map(\.name))

    /// All commands.
    static let commands = own + ScenarioCommand.all.map(CommandRow.init)

    /// The names of the commands of the scenario language.
    static let scenarioNames = ScenarioValueKind.choice(ScenarioCommand.all.map(\.name))

    /// Whether an option has an operand, by the option's name.
    ///
    /// An option has one in every command or in none.
    static let hasOperand = Dictionary(
        commands.flatMap(\.allOptions).map { ($0.name, $0.operand != nil) }
            + ["--help", "-h", "--version"].map { ($0, false) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the row of a command.
    static func row(named name: String) throws -> CommandRow {
        if let row = commands.first(where: { $0.name == name }) { return row }
        let hint = Suggestion.text(for: name, among: commands.map(\.name))
        throw Command.Mistake("\"\(name)\" is not a command of sandbox-store\(hint)", tool)
    }

    // MARK: Operands

    private static let address = CommandWord("ADDRESS", .text, "an address")
    private static let bytes = CommandWord("BYTES", .text, "a number of bytes above 0")
    private static let forms = CommandWord(
        "FORM,...",
        .text,
        "some of \(MatrixForm.allCases.map(\.rawValue).joined(separator: ", "))"
    )
    private static let count = CommandWord("N", .number(1...1_000_000_000))
    private static let file = CommandWord("FILE", nil)
    private static let firstPort = CommandWord("N", .number(1...65534))
    private static let folder = CommandWord("FOLDER", nil, "a folder")
    private static let form = CommandWord("text|json", .choice(ServeLog.Form.allCases.map(\.rawValue)), "text or json")
    private static let hex = CommandWord("HEX", .text, "hexadecimal digits, two for each byte")
    private static let hosts = CommandWord("HOST,...", .text, "a host's name")
    private static let identifier = CommandWord("IDENTIFIER", .text, "an identifier")
    private static let moment = CommandWord("MOMENT", .moment, "a moment of years 1 to 9999 as 2012-09-21T01:31:38Z")
    private static let appleIdentifier = CommandWord("N", .text, "a number above 0")
    private static let environment = CommandWord("ENVIRONMENT", .choice(AppStoreSigner.Environment.words))
    private static let pace = CommandWord("PACE", .choice(["fixed", "running"]))
    private static let port = CommandWord("N", .number(0...65535))
    private static let seed = CommandWord("SEED", .text, "a whole number from 0")
    private static let server = CommandWord("URL", .text, "a URL of this machine as http://127.0.0.1:8080/")
    private static let seconds = CommandWord("SECONDS", .text, "a number from 0.1 to 3600")
    private static let text = CommandWord("TEXT", .text)
    private static let url = CommandWord("URL", .text, "a URL that begins with http:// or https://")
}
