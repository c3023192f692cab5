import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreServer
import TestSupport
import Testing

@testable import sandbox_store

/// Commands on a store that a server has open.
@MainActor
@Suite(
    .fewAtATime,
    .enabled(if: MicroHTTPD.isAvailable && SQLite.isAvailable && Libcrypto.isAvailable, "a library is missing")
)
struct ServedStoreTests {
    private let directory: Directory
    private let path: String

    init() throws {
        directory = try Directory()
        path = directory.url.appending(path: "shop.db").path
        let made = Run("--store", path, "init", SandboxStoreTool.demoFile.path)
        try #require(made.code == 0, "\(made.complaints)")
    }

    private func serve(_ store: String? = nil, _ more: String...) throws -> Service {
        let keys = directory.url.appending(path: "keys").path(percentEncoded: false)
        return try Service(["--store", store ?? path, "--ca", keys] + more, in: directory)
    }

    private func run(_ arguments: String...) -> Run { Run(["--store", path] + arguments) }

    /// Runs the program for the user who has only the test's directory.
    private func runProgram(
        _ arguments: [String],
        _ variables: [String: String] = [:]
    ) throws -> (output: String, complaints: String, code: Int32) {
        let environment = directory.environment.merging(variables) { $1 }
        return try SandboxStoreTests.runProgram(arguments, in: directory.url, environment: environment)
    }

    /// The token in the folder of the keys.
    private func token(_ service: Service) throws -> (file: String, text: String) {
        let port = try #require(try service.url.port)
        let file = directory.url.appending(path: "keys/control-\(port).token")
        return (file.path, try String(contentsOf: file, encoding: .utf8))
    }

    // MARK: A store in a file

    @Test func `A command on a store that is being served is performed there, and says so`() throws {
        let service = try serve()
        let note = "\(path) is being served at \(try service.url.absoluteString): performed there\n"
        let bought = run("buy", "consumable")
        #expect(bought.code == 0 && bought.output == "ordered: #1 consumable: purchased\n")
        #expect(bought.complaints == note)
        let names = run("names", "sold")
        #expect(names.output == "1\n" && names.complaints == note)
        #expect(Run("---complete", "--store", path, "refund", "").output == "last\nfirst\n1\n")
        #expect(service.end(SIGTERM) == 0)
        let later = run("names", "sold")
        #expect(later.output == "1\n" && later.complaints.isEmpty)
    }

    @Test func `A store that is being served is not served a second time, and the first server is named`() throws {
        let service = try serve()
        let keys = directory.url.appending(path: "keys").path(percentEncoded: false)
        let second = try runProgram(["serve", "--store", path, "--ca", keys])
        let address = try service.url.absoluteString
        #expect(second.code == 1 && second.output.isEmpty)
        #expect(second.complaints.contains("\(path) is being served at \(address) already: stop that server first"))
    }

    @Test func `A store that another process has open is not said to be served by a server that was killed`() throws {
        #expect(try serve().end(SIGKILL) == -1)
        let database = try SQLiteDatabase(at: URL(filePath: path))
        defer { database.close() }
        let keys = directory.url.appending(path: "keys").path(percentEncoded: false)
        let second = try runProgram(["serve", "--store", path, "--ca", keys])
        #expect(second.code == 1 && second.output.isEmpty)
        #expect(second.complaints.contains("is in use: another process has it open"))
    }

    @Test func `A folder in place of a token or a secret is told in a sentence`() throws {
        let folder = directory.url.path
        let token = try runProgram(["--server", "http://127.0.0.1:1", "--token", folder, "products"])
        #expect(token.code == 1)
        #expect(token.complaints.hasSuffix("the server's token cannot be read from \(folder): it is a folder\n"))
        let secret = try runProgram(["serve", "--shared-secret-file", folder])
        #expect(secret.code == 1)
        #expect(secret.complaints.hasSuffix("the shared secret cannot be read from \(folder): it is a folder\n"))
    }

    @Test func `Notifications are listed, and one is sent again by the server that sends them`() throws {
        let received = Locked(0)
        let receiver = try HTTPServer { _ in
            received.withLock { $0 += 1 }
            return HTTPResponse(200)
        }
        #expect(run("notifications").output == "no notifications\n")
        let service = try serve(nil, "--notify", "http://127.0.0.1:\(receiver.port)/")
        #expect(run("buy", "consumable").code == 0)
        #expect(service.nextLine()?.contains("notification ONE_TIME_CHARGE of 1") == true)
        let row = try #require(run("notifications").output.split(separator: "\n").last)
        #expect(row.contains("ONE_TIME_CHARGE") && row.split(separator: " ").suffix(3) == ["1", "1", "SUCCESS"])
        let identifier = String(row.prefix { $0 != " " })
        let again = run("resend", identifier)
        #expect(again.code == 0 && again.output == "sent again: \(identifier)\n")
        #expect(service.nextLine()?.contains("(resent): 200 SUCCESS") == true)
        #expect(received.withLock { $0 } == 2)
        let unknown = run("resend", UUID().uuidString)
        #expect(unknown.code == 1 && unknown.complaints.contains("no notification of this store has this identifier"))
        let wrong = run("resend", "1")
        #expect(wrong.code == 1 && wrong.complaints.contains("\"1\" is not the UUID of a notification"))
        #expect(service.end(SIGTERM) == 0)
        let alone = run("resend", identifier)
        #expect(alone.code == 1 && alone.complaints.contains("nobody sends notifications of this store"))
        let rows = run("notifications").output.split(separator: "\n")
        #expect(rows.last?.split(separator: " ").suffix(2) == ["2", "SUCCESS"])
    }

    @Test func `A clock that a command stopped runs again where serve is told so`() throws {
        let first = try serve()
        #expect(run("clock", "fixed").code == 0)
        #expect(first.end(SIGTERM) == 0)
        let second = try serve()
        #expect(run("status").output.contains("clock            fixed"))
        #expect(second.end(SIGTERM) == 0)
        let third = try serve(nil, "--clock", "running")
        #expect(run("status").output.contains("clock            running"))
        #expect(third.end(SIGTERM) == 0)
        let fourth = try serve(nil, "--clock", "fixed")
        #expect(run("status").output.contains("clock            fixed"))
        #expect(fourth.end(SIGTERM) == 0)
    }

    @Test func `A server's answers and refusals are those of a file, with the same exit codes`() throws {
        let other = directory.url.appending(path: "other.db").path
        #expect(Run("--store", other, "init", SandboxStoreTool.demoFile.path).code == 0)
        let good = try directory.write("good.scenario", "# first\nbuy consumable\ntry refund 99\n  products # all\n")
        let plain = try directory.write("plain.scenario", "add-account f\ntry add-account f\naccounts\n")
        let refused = try directory.write("refused.scenario", "add-account c\n  sign-in  d # nobody\nadd-account e\n")
        let first = try directory.write("first.scenario", "approve first\n")
        let invalid = try directory.write("invalid.scenario", "buy consumable\nfrobnicate\n")
        let service = try serve()
        let note = "\(path) is being served at \(try service.url.absoluteString): performed there\n"
        for arguments in [
            ["products"], ["--json", "products"], ["buy", "consumable"], ["buy", "consumabel"], ["refund", "99"],
            ["buy", "consumable", "--quantity", "x"], ["frobnicate"], ["try", "refund", "99"],
            ["--json", "try", "refund", "99"], ["add-account", "Anna \"B\" #1", "--json"], ["accounts"],
            ["add-account", "--", "--json"], ["names", "account"], ["names", "acount"], ["--json", "names", "device"],
            ["run", good], ["run", refused], ["run", first], ["run", invalid], ["--json", "run", plain], ["accounts"],
            ["undecided"], ["buy", "upgrade"], ["finish", "all"], ["help", "buy"], ["init", good],
        ] {
            let (served, kept) = (Run(["--store", path] + arguments), Run(["--store", other] + arguments))
            #expect(served.code == kept.code, "\(arguments)")
            #expect(served.output == kept.output, "\(arguments)")
            let complaints = kept.complaints.replacing(other, with: path)
            let isPerformed =
                ![["frobnicate"], ["names", "acount"], ["run", invalid], ["help", "buy"], ["init", good]]
                .contains(arguments) && !arguments.contains("x")
            #expect(served.complaints == (isPerformed ? note : "") + complaints, "\(arguments)")
        }
        #expect(run("run", refused).complaints.contains("refused.scenario:1: add-account: "))
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `A table of a server fits the terminal, and its header is bold`() throws {
        let service = try serve()
        let run = Run(["--store", path, "products"], hasColors: true, width: 40)
        let lines = run.output.split(separator: "\n")
        #expect(lines.prefix(2).allSatisfy { $0.hasPrefix("\u{1B}[1m") } && !lines[2].contains("\u{1B}"))
        #expect(lines.dropFirst(2).allSatisfy { $0.count <= 40 })
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `The file beside the store is its user's alone, and exists while the server runs`() throws {
        let file = path + ".server"
        let service = try serve()
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let content = try JSONDecoder().decode(ServerFile.self, from: Data(contentsOf: URL(filePath: file)))
        #expect(content.control == "\(try service.url.absoluteString)control/v1")
        #expect(try content.token.hasSuffix(URL(filePath: token(service).file).lastPathComponent))
        let own = directory.url.appending(path: "sandbox-store")
        #expect(try FileManager.default.attributesOfItem(atPath: own.path)[.posixPermissions] as? Int == 0o700)
        let files = try FileManager.default.contentsOfDirectory(atPath: own.path)
        #expect(try files == ["control-\(#require(service.url.port)).token"])
        let kept = own.appending(path: files.first ?? "").path
        #expect(try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions] as? Int == 0o600)
        #expect(service.end(SIGTERM) == 0)
        for file in [file, kept, content.token] { #expect(!FileManager.default.fileExists(atPath: file)) }
    }

    @Test func `A store that others can reach is not operated, and has no such file`() throws {
        let service = try serve(nil, "--host", "0.0.0.0")
        #expect(!FileManager.default.fileExists(atPath: path + ".server"))
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `After a server was killed its store is a file again, and is served again`() throws {
        let killed = try serve()
        #expect(killed.end(SIGKILL) == -1)
        #expect(FileManager.default.fileExists(atPath: path + ".server"))
        let bought = run("buy", "consumable")
        #expect(bought.output == "ordered: #1 consumable: purchased\n" && bought.complaints.isEmpty)
        let next = try serve()
        #expect(try run("names", "sold").complaints.contains(next.url.absoluteString))
        #expect(next.end(SIGTERM) == 0)
    }

    @Test func `A server that has come to the port of one that was killed is not taken for it`() throws {
        // A port that no connection gets between the two servers.
        let port = "\(try ServerUnderTest.freePort())"
        let killed = try serve(nil, "--port", port)
        #expect(killed.end(SIGKILL) == -1)
        let other = directory.url.appending(path: "other.db").path
        #expect(Run("--store", other, "init", SandboxStoreTool.demoFile.path).code == 0)
        let service = try Service(
            ["--store", other, "--ca", directory.url.appending(path: "other keys").path, "--port", port],
            in: directory
        )
        let bought = run("buy", "consumable")
        #expect(bought.output == "ordered: #1 consumable: purchased\n" && bought.complaints.isEmpty)
        #expect(Run("--store", other, "names", "sold").output.isEmpty)
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `A file that others may have written sends no token anywhere`() throws {
        let service = try serve()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + ".server")
        let refused = run("buy", "consumable")
        #expect(refused.code == 1 && refused.output.isEmpty)
        #expect(refused.complaints.hasPrefix("sandbox-store: \(path).server: other users have access to the file"))
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `A server with TLS is named, with what it takes to trust it`() throws {
        let service = try serve(nil, "--tls", "127.0.0.1")
        let refused = run("buy", "consumable")
        #expect(refused.code == 1)
        #expect(refused.complaints.hasPrefix("sandbox-store: no server answers at https://127.0.0.1:"))
        #expect(refused.complaints.hasSuffix("; this machine has to trust the root.pem of a server with TLS\n"))
        #expect(service.end(SIGTERM) == 0)
    }

    // MARK: A server

    @Test func `A server is operated from anywhere, by any of its URLs, with the token of its user`() throws {
        let service = try serve()
        let port = try #require(try service.url.port)
        for url in ["http://127.0.0.1:\(port)", "http://localhost:\(port)/", "\(try service.url)control/v1/"] {
            let found = try runProgram(["names", "device", "--server", url])
            #expect(found.output == "device\n" && found.complaints.isEmpty && found.code == 0)
        }
        let refusal = try runProgram(["--server", service.url.absoluteString, "buy", "consumabel"])
        #expect(refusal.code == 1 && refusal.complaints.contains("did you mean \"consumable\"?"))
        // No proxy is asked for this machine.
        let proxied = try runProgram(
            ["--server", service.url.absoluteString, "names", "device"],
            ["http_proxy": "http://127.0.0.1:9", "all_proxy": "http://127.0.0.1:9"]
        )
        #expect(proxied.output == "device\n" && proxied.code == 0)
        let absent = try runProgram(["--server", "\(try service.url)stores/none/", "names", "device"])
        #expect(absent.code == 1 && absent.complaints.contains("there is no store to operate at"))
        #expect(service.end(SIGTERM) == 0)
        let ended = try runProgram(["--server", service.url.absoluteString, "names", "device"])
        #expect(ended.code == 1)
        #expect(ended.complaints.contains("the token of the server at port \(port) is not known: name its file by"))
    }

    @Test func `The token is taken from a file, else from the environment, and is never shown`() throws {
        let service = try serve()
        let (file, token) = try token(service)
        let url = try service.url.absoluteString
        let elsewhere = ["XDG_RUNTIME_DIR": directory.url.appending(path: "elsewhere").path]
        let variable = ["SANDBOX_STORE_TOKEN": token]
        let wrong = ["SANDBOX_STORE_TOKEN": String(repeating: "x", count: 43)]
        let wrongFile = try directory.write("wrong", wrong.values.joined())
        let noToken = try directory.write("secret", "a secret of another kind")
        let operate = ["--server", url, "names", "device"]
        for (arguments, variables, expected, sentence) in [
            (operate + ["--token", file], elsewhere, 0, ""), (operate + ["--token", file], wrong, 0, ""),
            (operate, elsewhere.merging(variable) { $1 }, 0, ""),
            (operate, wrong, 1, "the server at \(url) has another token"),
            (operate + ["--token", wrongFile], variable, 1, "the server at \(url) has another token"),
            (operate + ["--token", noToken], [:], 1, "what is in \(noToken) is not a server's token"),
            (
                operate, ["SANDBOX_STORE_TOKEN": "two words"], 1,
                "what is in SANDBOX_STORE_TOKEN is not a server's token"
            ),
            (
                operate, elsewhere, 1,
                "the token of the server at port \(try #require(try service.url.port)) is not known"
            ),
        ] {
            let (output, complaints, code) = try runProgram(arguments, variables)
            let isSaid = sentence.isEmpty ? complaints.isEmpty : complaints.contains(sentence)
            #expect(code == expected && isSaid, "\(arguments) \(complaints)")
            for secret in [token, String(repeating: "x", count: 43), "a secret"] {
                #expect(!(output + complaints).contains(secret))
            }
        }
        #expect(service.end(SIGTERM) == 0)
        let ended = try runProgram(operate, variable)
        #expect(ended.code == 1 && ended.complaints.hasPrefix("sandbox-store: no server answers at \(url): "))
        #expect(!ended.complaints.contains(token))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/control/v1"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/control/v1"),
        ("http://[::1]:8080/stores/7f/", "http://[::1]:8080/stores/7f/control/v1"),
        ("https://localhost/stores/7f", "https://localhost/stores/7f/control/v1"),
        ("http://127.1.2.3:1/stores/7f/control/v1/", "http://127.1.2.3:1/stores/7f/control/v1"),
        ("http://127.0.0.1:8080/control/v1", "http://127.0.0.1:8080/control/v1"),
        ("http://127.0.0.1.example.com/", nil), ("http://127.0.0.1@example.com/", nil), ("ftp://127.0.0.1/", nil),
        ("http://example.com:8080/", nil), ("127.0.0.1:8080", nil), ("http://localhost/?a=b", nil),
        ("http://127.0.0.1:1/console#token=secret", nil),
    ])
    func `The URL of a control interface is made from any of a server's, on this machine`(text: String, url: String?) {
        #expect(ControlClient.url(text)?.absoluteString == url)
    }
}
