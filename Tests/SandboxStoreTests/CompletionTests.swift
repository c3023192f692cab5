import Foundation
import StoreCore
import StoreSQLite
import StoreScenario
import Testing

@testable import sandbox_store

/// The script for a shell, run by that shell.
@Suite struct CompletionTests {
    /// The tool as it is installed, which the scripts ask.
    private static let program = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "sandbox-store")
        .path
    private static let zsh = ["/usr/bin/zsh", "/bin/zsh"].first(where: FileManager.default.isExecutableFile)

    /// What is typed behind the program's name, and some of the words that complete it; nil for none.
    private static let typed: [(words: [String], found: [String]?)] = [
        (["app"], ["app-purchase", "approve"]),
        (["refund"], ["refund", "refund-decision", "refund-requests"]),
        (["--st"], ["--store", "--storekit"]),
        (["--store", "f", "ask"], ["ask-to-buy"]),
        (["ask-to-buy", "o"], ["on", "off"]),
        (["renewal-rate", "month-3"], ["month-30min", "month-30s"]),
        (["buy", "sword", "--q"], ["--quantity"]),
        (["buy", "--quantity", "2", "sword", "--of"], ["--offer"]),
        (["decline", "--failure", "timed"], ["timedOut"]),
        (["decline", "--failure", "timedOut", "la"], ["last"]),
        (["answer-consent", "a"], ["agree"]),
        (["completion", "z"], ["zsh"]),
        (["--port", "80", "comple"], ["completion"]),
        (["help", "win"], ["win-back"]),
        (["try", "app"], ["app-purchase", "approve"]),
        (["names", "und"], ["undecided"]),
        (["names", "--"], ["--help", "--json", "--server", "--store", "--storekit", "--token"]),
        (["--ver"], ["--version"]),
        (["help", "ser"], ["serve"]),
        (["verify", "r", "--key"], ["--key", "--key-file"]),
        (["serve", "--json", "--sh"], ["--shared-secret", "--shared-secret-file"]),
        (["chekc", "--"], nil),
        (["serve", "--port", ""], nil),
        (["serve", "x"], nil),
        (["buy", "--user", "x"], nil),
        (["transactions", "x"], nil),
    ]

    @Test(arguments: typed) func `bash completes`(words: [String], found: [String]?) throws {
        let quoted = ([Self.program] + words).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(CompletionScript(shell: .bash).text)
            complete -p sandbox-store >/dev/null || exit 9
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count)
            _sandbox_store
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try Self.lines(of: "/bin/bash", script) == (found ?? []).sorted())
    }

    @Test(.enabled(if: zsh != nil, "zsh is missing"), arguments: typed)
    func `zsh completes`(words: [String], found: [String]?) throws {
        let quoted = ([Self.program] + words).map { "'\($0)'" }.joined(separator: " ")
        // Outside of the editor: what zsh's own `compadd` would be given.
        let script = """
            compdef() { :; }
            compadd() { shift 3; for word in "$@"; do case $word in "$words[CURRENT]"*) print -r -- $word ;; esac; done; }
            \(CompletionScript(shell: .zsh).text)
            words=(\(quoted)); CURRENT=\(words.count + 1)
            _sandbox_store
            """
        #expect(try Self.lines(of: try #require(Self.zsh), script) == (found ?? []).sorted())
    }

    /// What is typed behind the options that name a store, and the names of that store that complete it.
    private static let named: [(words: [String], found: [String])] = [
        (["buy", "swo"], ["sword", #"sword\ of\ \$\(touch\ pwned\)"#]),
        (["buy", "--account", "ann"], ["anna"]),
        (["sign-in", "anna", "--device", ""], ["device"]),
        (["refund", ""], ["1", "first", "last"]),
        (["approve", ""], ["first", "last"]),
        (["expire", "cl"], ["club"]),
    ]

    @Test(.enabled(if: SQLite.isAvailable, "SQLite is missing"), arguments: named)
    func `bash completes the names of the store behind --store, and runs none`(
        words: [String],
        found: [String]
    ) throws {
        let directory = try Directory()
        let file = directory.url.appending(path: "shop.db").path
        let database = try SQLiteDatabase(at: URL(filePath: file))
        let store = try SandboxStore(
            products: [
                .consumable("sword", price: "1"), .consumable("sword of $(touch pwned)", price: "1"),
                .autoRenewable("gold", price: "1", period: .init(1, .month), group: "club"),
            ],
            ledger: database.ledger
        )
        _ = try store.addAccount("anna")
        try store.account.buy("sword")
        database.close()
        let quoted = ([Self.program, "--store", file] + words).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            cd '\(directory.url.path)' || exit 9
            # macOS's bash has neither.
            enable -n mapfile compopt
            \(CompletionScript(shell: .bash).text)
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count + 2)
            _sandbox_store
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try Self.lines(of: "/bin/bash", script) == found.sorted())
        #expect(!FileManager.default.fileExists(atPath: directory.url.appending(path: "pwned").path))
    }

    @Test(.enabled(if: SQLite.isAvailable, "SQLite is missing")) @MainActor
    func `A transaction is completed by the newest twenty, the newest first`() throws {
        let directory = try Directory()
        let file = directory.url.appending(path: "shop.db").path
        #expect(Run("--store", file, "init", SandboxStoreTool.demoFile.path).code == 0)
        let scenario = try directory.write("a.scenario", String(repeating: "buy consumable\n", count: 25))
        #expect(Run("--store", file, "run", scenario).code == 0)
        let newest = (6...25).reversed().map { "\($0)\n" }.joined()
        #expect(Run("---complete", "--store", file, "refund", "").output == "last\nfirst\n\(newest)")
        #expect(Run("---complete", "--store", file, "finish", "").output == "all\nlast\nfirst\n\(newest)")
        #expect(Run("--store", file, "names", "sold").output.split(separator: "\n").count == 25)
    }

    @Test func `bash keeps the order of the words where it can`() throws {
        let script = """
            \(CompletionScript(shell: .bash).text)
            complete -p sandbox-store
            """
        #expect(try Self.lines(of: "/bin/bash", script).contains { $0.contains("nosort") })
        // macOS's bash, which does not know the option.
        let old = script.replacing("complete -o nosort", with: "complete -o nosortatall")
        #expect(try Self.lines(of: "/bin/bash", old) == ["complete -F _sandbox_store sandbox-store"])
    }

    @Test func `bash completes files`() throws {
        let directory = try Directory()
        let file = try directory.write("shop.storekit", "{}")
        let script = """
            \(CompletionScript(shell: .bash).text)
            COMP_WORDS=('\(Self.program)' --storekit '\(file.dropLast(3))'); COMP_CWORD=2
            _sandbox_store
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try Self.lines(of: "/bin/bash", script) == [file])
    }

    @Test(arguments: [
        ["demo", ""], ["check", ""], ["check", "a", "b", "c"], ["verify", "--root", ""], ["serve", "--ca", ""],
        ["--store", "s", "init", ""], ["run", "--store", ""], ["serve", "--configuration", ""], ["--storekit", ""],
    ])
    @MainActor func `Names of files are left to the shell`(words: [String]) {
        #expect(Run(["---complete"] + words).output == "@files\n")
    }

    @Test @MainActor
    func `A name that nobody can type is not completed, nor is one of a store that cannot be read`() throws {
        let directory = try Directory()
        let file = try directory.write(
            "odd.storekit",
            """
            {"version": {"major": 4}, "products": [
              {"productID": "a\\u001b[2Jb", "type": "Consumable", "displayPrice": "1"},
              {"productID": "abc", "type": "Consumable", "displayPrice": "1"}]}
            """
        )
        #expect(Run("---complete", "--storekit", file, "buy", "a").output == "abc\n")
        let broken = try directory.write("broken.storekit", "{")
        let run = Run("---complete", "--storekit", broken, "refund", "")
        #expect(run.output == "last\nfirst\n")
        #expect(run.complaints.isEmpty && run.code == 0)
    }

    @Test func `Each command has a name of its own, and an option has a word in every command or in none`() {
        let names = CommandTable.commands.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names).isSuperset(of: ScenarioCommand.all.map(\.name)))
        let options = CommandTable.commands.flatMap(\.allOptions)
        let (withWord, plain) = (options.filter { $0.operand != nil }, options.filter { $0.operand == nil })
        #expect(Set(withWord.map(\.name)).isDisjoint(with: plain.map(\.name)))
        let words = ScenarioCommand.all.flatMap(\.options).map(\.name)
        #expect(Set(CommandTable.storeOptions.map(\.name)).isDisjoint(with: words))
    }

    private static func lines(of shell: String, _ script: String) throws -> [String] {
        let process = Process()
        let (output, input) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: shell)
        process.arguments = shell.hasSuffix("zsh") ? ["-f", "-s"] : ["--norc", "-s"]
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("\(script)\n".utf8))
        try input.fileHandleForWriting.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0 || process.terminationStatus == 1)
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init).sorted()
    }
}
