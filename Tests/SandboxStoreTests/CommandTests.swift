import Foundation
import StoreScenario
import StoreServer
import Testing

@testable import sandbox_store

@MainActor
@Suite struct CommandTests {
    @Test(arguments: [
        (["demo"], Command.demo(DemoOptions())),
        (["demo", "a"], .demo(DemoOptions(file: "a"))),
        (["demo", "--all", "--json"], .demo(DemoOptions(isWhole: true, isJSON: true))),
        (["demo", "--ask"], .demo(DemoOptions(isWhole: true, asks: true))),
        (["demo", "a", "--ask"], .demo(DemoOptions(file: "a", isWhole: true, asks: true))),
        (["demo", "--ask", "--", "--help"], .demo(DemoOptions(file: "--help", isWhole: true, asks: true))),
        (["check", "a", "b"], .check(files: ["a", "b"])),
        (["check", "--", "-a"], .check(files: ["-a"])),
        (["check", "--json", "a"], .check(files: ["a"], isJSON: true)),
        (
            ["serve", "--store", "s", "--json", "--ca", "c"],
            .serve(ServeOptions(store: "s", folder: "c", isJSON: true, log: .json))
        ),
        (
            ["serve", "--store", "s", "--json", "--ca", "c", "--log", "text"],
            .serve(ServeOptions(store: "s", folder: "c", isJSON: true, log: .text))
        ),
        (["serve", "--quiet", "--store", "s", "--ca", "c"], .serve(ServeOptions(store: "s", folder: "c", log: nil))),
        (["verify", "a", "--key-file", "k"], .verify(VerifyOptions(file: "a", key: .file("k")))),
        (["verify", "--root", "r", "a"], .verify(VerifyOptions(file: "a", key: .root(file: "r")))),
        (
            ["verify", "--root", "r", "--revocation-list", "l", "a"],
            .verify(VerifyOptions(file: "a", key: .root(file: "r", revocationList: "l")))
        ),
        (
            ["verify", "--key-file", "-k", "--", "--key-file"],
            .verify(VerifyOptions(file: "--key-file", key: .file("-k")))
        ),
        (
            ["verify", "--json", "a", "--at", "2012-09-21T01:31:38Z", "--key", "00fF"],
            .verify(
                VerifyOptions(
                    file: "a",
                    key: .bytes(Data([0, 255])),
                    moment: Date(timeIntervalSince1970: 1_348_191_098),
                    isJSON: true
                )
            )
        ),
        (["serve", "--store", "s", "--ca", "c"], .serve(ServeOptions(store: "s", folder: "c"))),
        (["serve", "--store", "s"], .serve(ServeOptions(store: "s", folder: nil))),
        (
            [
                "serve", "--ca", "c", "--port", "8080", "--host", "::1", "--configuration", "f", "--bundle", "b",
                "--notify", "https://host/path", "--shared-secret", "t", "--store", "s",
                "--tls", "localhost, ::1",
            ],
            .serve(
                ServeOptions(
                    store: "s",
                    folder: "c",
                    port: 8080,
                    host: "::1",
                    configuration: "f",
                    bundleIdentifier: "b",
                    notificationURL: URL(string: "https://host/path"),
                    sharedSecret: "t",
                    secureHosts: ["localhost", "::1"]
                )
            )
        ),
        (["status"], .store(StoreOptions(work: .command(["status"])))),
        (["buy", "--help"], .store(StoreOptions(work: .command(["help", "buy"])))),
        (
            ["try", "refund", "--device", "d"],
            .store(StoreOptions(work: .command(["try", "refund", "--device", "d"])))
        ),
        (["add-account", "-h-"], .store(StoreOptions(work: .command(["add-account", "-h-"])))),
        (
            ["--json", "--store", "s", "buy", "sword", "--quantity", "2"],
            .store(StoreOptions(work: .command(["buy", "sword", "--quantity", "2"]), store: "s", isJSON: true))
        ),
        (
            ["add-account", "--json", "--", "--json"],
            .store(StoreOptions(work: .command(["add-account", "--", "--json"]), isJSON: true))
        ),
        (
            ["buy", "x", "--user", "--", "--json"],
            .store(StoreOptions(work: .command(["buy", "x", "--user", "--", "--json"])))
        ),
        (["--json", "--", "status"], .store(StoreOptions(work: .command(["status"]), isJSON: true))),
        (
            ["--storekit", "f", "--store", "postgresql://db/shop", "names", "device"],
            .store(StoreOptions(work: .names(.device), store: "postgresql://db/shop", configuration: "f"))
        ),
        (["run", "a", "--storekit", "f"], .store(StoreOptions(work: .run(file: "a"), configuration: "f"))),
        (
            ["init", "--store", "s", "f", "--at", "2012-09-21T01:31:38Z"],
            .store(
                StoreOptions(
                    work: .initialize(file: "f", start: Date(timeIntervalSince1970: 1_348_191_098)),
                    store: "s"
                )
            )
        ),
        (["completion", "zsh"], .completion(.zsh)),
        (["--version"], .version),
        (
            ["buy", "x", "--token", "t", "--server", "http://localhost:8080/stores/1/"],
            .store(
                StoreOptions(
                    work: .command(["buy", "x"]),
                    server: URL(string: "http://localhost:8080/stores/1/control/v1"),
                    token: "t"
                )
            )
        ),
    ])
    func `Arguments that make sense`(arguments: [String], command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [
        [["check", "--json", "a"], ["check", "a", "--json"], ["--json", "check", "a"]],
        [["demo", "--ask", "--", "a"], ["demo", "a", "--ask"], ["--ask", "demo", "--", "a"]],
        [
            ["verify", "a", "--at", "2012-09-21T01:31:38Z", "--key", "00"],
            ["--key", "00", "verify", "--at", "2012-09-21T01:31:38Z", "a"],
        ],
        [["serve", "--store", "s", "--ca", "c"], ["--store", "s", "--ca", "c", "serve"]],
        [
            ["names", "device", "--store", "s"], ["--store", "s", "names", "device"],
            ["names", "--store", "s", "device"],
        ],
        [["run", "f", "--json"], ["--json", "run", "f"], ["run", "--json", "f"]],
        [["init", "f", "--store", "s"], ["--store", "s", "init", "f"], ["init", "--store", "s", "--", "f"]],
        [
            ["--store", "s", "buy", "sword", "--quantity", "2"], ["buy", "sword", "--quantity", "2", "--store", "s"],
            ["buy", "--store", "s", "sword", "--quantity", "2"],
        ],
    ])
    func `Options stand before or behind other words`(lines: [[String]]) throws {
        let commands = try lines.map { try Command($0) }
        #expect(commands.allSatisfy { $0 == commands[0] })
    }

    @Test(arguments: [
        (["sell"], "\"sell\" is not a command of sandbox-store", ""),
        (["sell", "--help"], "\"sell\" is not a command of sandbox-store", ""),
        (["--fast"], "\"--fast\" is not an option of sandbox-store", ""),
        (["refnud"], "\"refnud\" is not a command of sandbox-store; did you mean \"refund\"?", ""),
        (["chekc", "a"], "\"chekc\" is not a command of sandbox-store; did you mean \"check\"?", ""),
        (["--stoer", "s", "status"], "\"--stoer\" is not an option of sandbox-store; did you mean \"--store\"?", ""),
        (["--store", "s"], "sandbox-store needs a command", ""),
        (["--store"], "--store needs a file", ""),
        (["--store", "s", "--store", "t", "status"], "--store was given twice", "status"),
        (
            ["--store", "s", "--storekit", "f", "status"],
            "a store in a file keeps its products: --store and --storekit do not go together", "status"
        ),
        (
            ["--store", "s", "--server", "http://[::1]:1", "status"],
            "a server has its own store: --server and --store do not go together", "status"
        ),
        (
            ["--storekit", "s", "--server", "https://127.0.0.1", "status"],
            "a server has its own store: --server and --storekit do not go together", "status"
        ),
        (["--token", "s", "status"], "--token goes with --server", "status"),
        (
            ["--server", "http://example.com/", "status"],
            "--server needs a URL of this machine as http://127.0.0.1:8080/", "status"
        ),
        (["--store", "", "status"], "--store needs a file, and was given an empty text", "status"),
        (["buy", "sword", "--store"], "--store needs a file", "buy"),
        (["init", "f"], "init needs a file: --store FILE", "init"),
        (["--store", "s", "init"], "init needs a .storekit file", "init"),
        (["--store", "s", "init", "f", "g"], "init takes 1 word beside its options, not 2", "init"),
        (
            ["--store", "s", "init", "f", "--at", "2025-02-31T00:00:00Z"],
            "--at needs a moment of years 1 to 9999 as 2012-09-21T01:31:38Z", "init"
        ),
        (
            ["--store", "s", "init", "f", "--at", "x"],
            "--at needs a moment of years 1 to 9999 as 2012-09-21T01:31:38Z", "init"
        ),
        (["run"], "run needs a scenario", "run"),
        (["run", "a", "b"], "run takes 1 word beside its options, not 2", "run"),
        (["try"], "try needs a command", "try"),
        (["names", "acount"], "\"acount\" is not \(kinds); did you mean \"account\"?", "names"),
        (["completion", "fish"], "\"fish\" is not bash or zsh", "completion"),
        (["completion"], "completion needs bash or zsh", "completion"),
        (
            ["serve", "--store", "postgresql://db/s"],
            "serve needs a folder for a store on a database server: --ca FOLDER", "serve"
        ),
        (
            ["serve", "--shared-secret", "s", "--shared-secret-file", "f"],
            "--shared-secret and --shared-secret-file do not go together", "serve"
        ),
        (["serve", "--environment", "Xcode"], "--environment needs sandbox or production", "serve"),
        (["serve", "--apple-id", "0"], "--apple-id needs a number above 0", "serve"),
        (["serve", "--clock", "slow"], "--clock needs fixed or running", "serve"),
        (
            ["serve", "--store", "postgresql://host/db#shop", "--ca", "c", "--clock", "fixed"],
            "a store on a database server goes by the system's clock: leave out --clock fixed", "serve"
        ),
        (["serve", "--store", "s", "--ca", "c", "x"], "serve takes 0 words beside its options, not 1", "serve"),
        (["serve", "--sideways"], "\"--sideways\" is not an option of serve", "serve"),
        (
            ["serve", "--store", "s", "--ca", "c", "--receipt-limit", "much"],
            "--receipt-limit needs a number of bytes above 0", "serve"
        ),
        (
            ["serve", "--store", "s", "--ca", "c", "--receipt-limit", "0"],
            "--receipt-limit needs a number of bytes above 0", "serve"
        ),
        (
            ["serve", "--store", "s", "--ca", "c", "--port", "65536"],
            "--port needs a whole number from 0 to 65535", "serve"
        ),
        (
            ["serve", "--store", "s", "--ca", "c", "--notify", "ftp://host/"],
            "--notify needs a URL that begins with http:// or https://", "serve"
        ),
        (["serve", "--store", "s", "--ca", "c", "--tls", ","], "--tls needs a host's name", "serve"),
        (["serve", "--store", "s", "--ca", "c", "--log", "xml"], "--log needs text or json", "serve"),
        (
            ["serve", "--store", "s", "--ca", "c", "--log", "json", "--quiet"],
            "a quiet server prints no log: --quiet and --log do not go together", "serve"
        ),
        (["demo", "--ask", "--json"], "a question is for people to read: --ask and --json do not go together", "demo"),
        (["demo", "a", "b"], "demo takes 1 word beside its options, not 2", "demo"),
        (["check"], "check needs a file", "check"),
        (["verify", "r", "--key=00ff"], "the value of --key is a word of its own, without an equals sign", "verify"),
        (["--key", "00"], "sandbox-store needs a command", ""),
        (["check", "--key-file", "a"], "\"--key-file\" is not an option of check", "check"),
        (["check", "-json", "a"], "\"-json\" is not an option of check; did you mean \"--json\"?", "check"),
        (["verify", "--key-file", "k"], "verify needs a receipt", "verify"),
        (["verify", "a", "b", "--key-file", "k"], "verify takes 1 word beside its options, not 2", "verify"),
        (["verify", "a"], "verify needs exactly one of --key-file FILE, --key HEX, --root FILE", "verify"),
        (
            ["verify", "a", "--key-file", "k", "--key", "00"],
            "verify needs exactly one of --key-file FILE, --key HEX, --root FILE", "verify"
        ),
        (
            ["verify", "a", "--key-file", "k", "--root", "r"],
            "verify needs exactly one of --key-file FILE, --key HEX, --root FILE", "verify"
        ),
        (["verify", "a", "--key", "00", "--revocation-list", "l"], "--revocation-list goes with --root", "verify"),
        (
            ["verify", "a", "--key", "00", "--at", "9999-12-31T23:00:00-02:00"],
            "--at needs a moment of years 1 to 9999 as 2012-09-21T01:31:38Z", "verify"
        ),
        (["verify", "a", "--key", "secret"], "--key needs hexadecimal digits, two for each byte", "verify"),
        (["verify", "a", "--key", "123"], "--key needs hexadecimal digits, two for each byte", "verify"),
        (
            ["verify", "a", "--key", "00", "--at", "noon"],
            "--at needs a moment of years 1 to 9999 as 2012-09-21T01:31:38Z", "verify"
        ),
    ])
    func `Arguments that make none end with one sentence and 2`(arguments: [String], sentence: String, command: String)
    {
        let run = Run(arguments)
        #expect(run.code == 2)
        let help = command.isEmpty ? "sandbox-store --help" : "sandbox-store \(command) --help"
        #expect(run.complaints == "sandbox-store: \(sentence); see \(help)\n")
        #expect(run.output.isEmpty)
    }

    private nonisolated static let kinds =
        "product, account, device, family, group, transaction, sold, undecided, interrupted, refunded, refund-request"
        + " or unfinished"

    private nonisolated static let options = CommandTable.own.flatMap { row in
        row.options.filter { $0.operand != nil }.map { (row.name, $0) }
    }

    @Test(arguments: options)
    func `An option needs a word that is not empty, once`(command: String, option: CommandOption) throws {
        let sentence = try #require(option.operand?.sentence)
        let mistakes = [
            ([option.name], "needs \(sentence)"),
            ([option.name, ""], "needs \(sentence), and was given an empty text"),
            ([option.name, " "], "needs \(sentence), and was given an empty text"),
            ([option.name, "a", option.name, "b"], "was given twice"),
        ]
        for (words, mistake) in mistakes {
            let run = Run([command] + words)
            #expect(run.code == 2)
            #expect(
                run.complaints == "sandbox-store: \(option.name) \(mistake); see sandbox-store \(command) --help\n"
            )
        }
    }

    @Test(arguments: CommandTable.commands.map(\.name))
    func `An unknown option is answered with the one that was meant`(command: String) throws {
        let row = try CommandTable.row(named: command)
        for option in row.allOptions {
            let word = String(option.name.dropLast())
            let run = Run(command, word)
            #expect(run.code == 2)
            let hint = "\"\(word)\" is not an option of \(command); did you mean \"\(option.name)\"?"
            #expect(run.complaints == "sandbox-store: \(hint); see sandbox-store \(command) --help\n")
        }
    }
}

/// The texts of `--help`.
@MainActor
@Suite struct HelpTests {
    private nonisolated static let own = CommandTable.own.map(\.name)

    /// Returns the options that a help describes, in lines of their own.
    private func options(in help: String) -> [String] {
        help.split(separator: "\n").filter { $0.hasPrefix("    --") }.compactMap { $0.split(separator: " ").first }
            .map(String.init)
    }

    @Test(arguments: [[], ["--help"], ["-h"], ["--store", "s", "--help"], ["--json", "-h"]])
    func `Help is printed and is no failure`(arguments: [String]) {
        let run = Run(arguments)
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("sandbox-store: a store for testing in-app purchases"))
        for command in Self.own { #expect(run.output.contains("\nsandbox-store \(command)")) }
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(run.complaints.isEmpty)
    }

    @Test(arguments: own) func `The help of a command fits 80 columns and describes its options`(command: String) throws
    {
        let run = Run(command, "--help")
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("sandbox-store \(command)"))
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(options(in: run.output) == (try CommandTable.row(named: command).options.map(\.name)))
        for arguments in [
            [command, "a", "-h"], ["--json", command, "--help"], [command, "--store", "--help"], ["help", command],
        ] {
            #expect(Run(arguments).output == run.output)
        }
    }

    @Test(arguments: ["demo", "check", "verify", "serve", "init", "completion"])
    func `The help of a command is a part of the whole`(command: String) {
        #expect(Run("--help").output.contains("\n\(Run(command, "--help").output)"))
    }

    @Test(arguments: ScenarioCommand.all.map(\.name))
    func `The help of a command of scenarios is that command's alone`(command: String) throws {
        let help = try #require(ScenarioCommand.named(command)).help
        for arguments in [["help", command], [command, "--help"], ["--store", "no such file", "help", command]] {
            let run = Run(arguments)
            #expect(run.code == 0 && run.output == help + "\n" && run.complaints.isEmpty)
        }
    }

    @Test func `Help on what is no command names a similar one`() {
        let run = Run("help", "sevre")
        #expect(run.code == 2)
        let sentence = "\"sevre\" is not a command of sandbox-store; did you mean \"serve\"?"
        #expect(run.complaints == "sandbox-store: \(sentence); see sandbox-store --help\n")
        #expect(Run("help", "buy", "refund").code == 2)
    }

    @Test func `The version is one line, and belongs to no command`() {
        #expect(Run("--version").output == "sandbox-store \(SoftwareVersion.text)\n")
        #expect(Run("--version", "--json").output == "sandbox-store \(SoftwareVersion.text)\n")
        #expect(Run("demo", "--version").code == 2)
        #expect(Run("--version", "demo").code == 2)
        #expect(Run("---complete", "--ver").output == "--version\n")
    }

    @Test func `Behind two hyphens nobody asks for help`() {
        let run = Run("check", "--", "--help")
        #expect(run.code == 2)
        #expect(run.output == "there is no file --help\n")
    }

    @Test(arguments: CommandTable.commands.map(\.name))
    func `Help, completion and parser know the same options`(command: String) throws {
        let row = try CommandTable.row(named: command)
        let completed = Run("---complete", command, "-").output.split(separator: "\n").map(String.init)
        #expect(completed == Set(row.allOptions.map(\.name) + ["--help"]).sorted())
        let help = Run(command, "--help").output
        #expect(Set(completed).isSuperset(of: options(in: help)))
        // The options of every store are described once, and behind try are those of any command.
        let elsewhere = command == "try" ? Run("help").output : Self.own.contains(command) ? "" : Run("--help").output
        for option in completed where option != "--help" {
            #expect((help + elsewhere).split { !$0.isLetter && $0 != "-" }.contains(Substring(option)))
            #expect(!mistake([command, option]).contains("is not an option"))
        }
    }

    /// Returns the mistake in arguments; empty if there is none.
    private func mistake(_ arguments: [String]) -> String {
        do {
            _ = try Command(arguments)
            return ""
        } catch {
            return "\(error)"
        }
    }
}
