import Foundation
import Testing

@testable import sandbox_store

@MainActor
@Suite struct CommandTests {
    @Test(arguments: [
        ([], Command.help),
        (["--help"], .help),
        (["-h"], .help),
        (["demo", "--help"], .help),
        (["check", "a", "-h"], .help),
        (["demo"], .demo(DemoOptions())),
        (["demo", "a"], .demo(DemoOptions(file: "a"))),
        (["demo", "--ask"], .demo(DemoOptions(asks: true))),
        (["demo", "a", "--ask"], .demo(DemoOptions(file: "a", asks: true))),
        (["demo", "--ask", "--", "--help"], .demo(DemoOptions(file: "--help", asks: true))),
        (["check", "a", "b"], .check(files: ["a", "b"])),
        (["check", "--", "-a"], .check(files: ["-a"])),
        (["check", "--json", "a"], .check(files: ["a"], isJSON: true)),
        (
            ["serve", "--store", "s", "--json", "--ca", "c"],
            .serve(ServeOptions(store: "s", folder: "c", isJSON: true))
        ),
        (["verify", "a", "--key-file", "k"], .verify(VerifyOptions(file: "a", key: .file("k")))),
        (["verify", "--root", "r", "a"], .verify(VerifyOptions(file: "a", key: .root("r")))),
        (
            ["verify", "--root", "r", "--revocation-list", "l", "a"],
            .verify(VerifyOptions(file: "a", key: .root("r"), revocationList: "l"))
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
        (["verify", "--help"], .help),
        (["serve", "--store", "s", "--ca", "c"], .serve(ServeOptions(store: "s", folder: "c"))),
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
        (["serve", "--store", "--help"], .help),
        (["status"], .store(StoreOptions(work: .command(["status"])))),
        (["buy", "--help"], .store(StoreOptions(work: .command(["help", "buy"])))),
        (["run", "--help"], .help),
        (
            ["--json", "--store", "s", "buy", "sword", "--quantity", "2"],
            .store(StoreOptions(work: .command(["buy", "sword", "--quantity", "2"]), store: "s", isJSON: true))
        ),
        (
            ["add-account", "--json", "--", "--json"],
            .store(StoreOptions(work: .command(["add-account", "--", "--json"]), isJSON: true))
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
    ])
    func `Arguments that make sense`(arguments: [String], command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [
        (["sell"], "\"sell\" is not a command of sandbox-store"),
        (["--fast"], "\"--fast\" is not an option of sandbox-store"),
        (["refnud"], "\"refnud\" is not a command of sandbox-store; did you mean \"refund\"?"),
        (["chekc", "a"], "\"chekc\" is not a command of sandbox-store; did you mean \"check\"?"),
        (["--store", "s"], "a command is missing"),
        (["--store"], "--store needs a file"),
        (["--store", "s", "--store", "t", "status"], "--store and --storekit can be given once"),
        (
            ["--store", "s", "--storekit", "f", "status"],
            "a store in a file keeps its products: --store and --storekit do not go together"
        ),
        (["init", "f"], "init needs the file that is to keep the store: --store FILE"),
        (["--store", "s", "init"], "init makes a store of one .storekit file; 0 were given"),
        (["--store", "s", "init", "f", "--at", "x"], "\"x\" is no moment as in 2012-09-21T01:31:38Z"),
        (["run"], "run performs one scenario; 0 were given"),
        (["completion", "fish"], "completion is for bash or zsh"),
        (["serve"], "serve needs a file for the store and a folder for keys: --store FILE --ca FOLDER"),
        (
            ["serve", "--store", "s"],
            "serve needs a file for the store and a folder for keys: --store FILE --ca FOLDER"
        ),
        (["serve", "--fast"], "\"--fast\" is not an option of serve"),
        (["serve", "--store"], "--store needs a file"),
        (
            ["serve", "--store", "s", "--ca", "c", "--bundle", ""],
            "--bundle needs an identifier, and was given an empty text"
        ),
        (["serve", "--store", " ", "--ca", "c"], "--store needs a file, and was given an empty text"),
        (
            ["serve", "--store", "s", "--ca", "c", "--shared-secret", ""],
            "--shared-secret needs a text, and was given an empty text"
        ),
        (["--store", "", "status"], "--store needs a file, and was given an empty text"),
        (["verify", "r", "--key", ""], "--key needs hexadecimal digits, and was given an empty text"),
        (
            ["serve", "--store", "s", "--ca", "c", "--receipt-limit", "much"],
            "--receipt-limit is a number of bytes above 0"
        ),
        (["serve", "--store", "s", "--store", "t"], "--store was given twice"),
        (["serve", "--store", "s", "--ca", "c", "--port", "65536"], "--port is a number from 0 to 65535"),
        (
            ["serve", "--store", "s", "--ca", "c", "--notify", "ftp://host/"],
            "--notify needs a URL that begins with http:// or https://"
        ),
        (["demo", "--ask", "--json"], "a question is for people to read: --ask and --json do not go together"),
        (["demo", "--fast"], "\"--fast\" is not an option of demo"),
        (["demo", "a", "b"], "demo plays on one file; 2 were given"),
        (["check"], "check needs a file to check"),
        (["check", "--ask", "a"], "\"--ask\" is not an option of check"),
        (["check", "--key-file", "a"], "\"--key-file\" is not an option of check"),
        (["verify", "--key-file", "k"], "verify judges one receipt; 0 were given"),
        (["verify", "a", "b", "--key-file", "k"], "verify judges one receipt; 2 were given"),
        (["verify", "a"], "verify needs the store's key or root, once: --key-file FILE, --key HEX or --root FILE"),
        (
            ["verify", "a", "--key-file", "k", "--key-file", "l"],
            "verify needs the store's key or root, once: --key-file FILE, --key HEX or --root FILE"
        ),
        (
            ["verify", "a", "--key-file", "k", "--key", "00"],
            "verify needs the store's key or root, once: --key-file FILE, --key HEX or --root FILE"
        ),
        (
            ["verify", "a", "--key-file", "k", "--root", "r"],
            "verify needs the store's key or root, once: --key-file FILE, --key HEX or --root FILE"
        ),
        (["verify", "a", "--key-file"], "--key-file needs a file"),
        (["verify", "a", "--root"], "--root needs a file"),
        (["verify", "a", "--root", "r", "--revocation-list"], "--revocation-list needs a file"),
        (["verify", "a", "--key", "00", "--revocation-list", "l"], "--revocation-list goes with --root, once"),
        (
            ["verify", "a", "--root", "r", "--revocation-list", "l", "--revocation-list", "m"],
            "--revocation-list goes with --root, once"
        ),
        (
            ["verify", "a", "--key", "00", "--at", "9999-12-31T23:00:00-02:00"],
            "\"9999-12-31T23:00:00-02:00\" is not in the years 1 to 9999, in which answers tell their dates"
        ),
        (["verify", "a", "--key", "secret"], "--key needs hexadecimal digits, two for each byte"),
        (["verify", "a", "--key", "123"], "--key needs hexadecimal digits, two for each byte"),
        (["verify", "a", "--key", ""], "--key needs hexadecimal digits, and was given an empty text"),
        (["verify", "a", "--key", "00", "--at", "noon"], "\"noon\" is no moment as in 2012-09-21T01:31:38Z"),
        (
            ["verify", "a", "--key", "00", "--at", "2012-09-21T01:31:38Z", "--at", "2012-09-21T01:31:38Z"],
            "verify judges at one moment; 2 were given"
        ),
        (["verify", "a", "--fast"], "\"--fast\" is not an option of verify"),
    ])
    func `Arguments that make none end with one sentence and 2`(arguments: [String], sentence: String) {
        let run = Run(arguments)
        #expect(run.code == 2)
        #expect(run.complaints == "sandbox-store: \(sentence); see sandbox-store --help\n")
        #expect(run.output.isEmpty)
    }

    @Test(arguments: [[], ["--help"], ["demo", "-h"]])
    func `Help is printed and is no failure`(arguments: [String]) {
        let run = Run(arguments)
        #expect(run.code == 0)
        #expect(run.output == Command.usage)
        #expect(run.complaints.isEmpty)
    }
}
