import Foundation
import PostgresCluster
import StoreCore
import StoreCrypto
import StorePostgres
import StoreSQLite
import StoreServer
import TestSupport
import Testing

@testable import sandbox_store

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `serve`, as a process that is told to end.
@Suite(
    .fewAtATime,
    .enabled(if: MicroHTTPD.isAvailable && SQLite.isAvailable && Libcrypto.isAvailable, "a library is missing")
)
struct ServeTests {
    private func arguments(_ directory: Directory, _ more: String...) -> [String] {
        let path = { (name: String) in directory.url.appending(path: name).path(percentEncoded: false) }
        return ["--store", path("store.sqlite"), "--ca", path("keys")] + more
    }

    private func ask(_ service: Service, _ method: String, _ path: String, _ directory: Directory) async throws -> Data
    {
        let credentials = try StoreServer.Credentials(folder: directory.url.appending(path: "keys"))
        var request = URLRequest(url: try #require(URL(string: "inApps/v1/\(path)", relativeTo: service.url)))
        request.httpMethod = method
        let token = try credentials.token(bundleIdentifier: "com.example.shop")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await URLSession.shared.data(for: request).0
    }

    @Test func `A server that does not begin leaves no keys behind`() throws {
        let directory = try Directory()
        let temporary = directory.url.appending(path: "temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
        let environment = directory.environment.merging(["TMPDIR": temporary.path]) { $1 }
        _ = try directory.write("Shop.storekit", "no JSON")
        let arguments = ["serve", "--configuration", "Shop.storekit"]
        let run = try runProgram(arguments, in: directory.url, environment: environment)
        #expect(run.code == 1 && run.complaints.contains("Shop.storekit"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
    }

    @Test(.sharedStore) func `A store on a database server is served by several processes`() async throws {
        let directory = try Directory()
        let cluster = try PostgresCluster.shared.get()
        let url = cluster.address(of: "team 1")
        let keys = directory.url.appending(path: "keys").path(percentEncoded: false)
        let services = try (0..<2).map { _ in
            try Service(["--store", url, "--ca", keys, "--bundle", "com.example.shop"], in: directory)
        }
        let database = try PostgresDatabase(cluster.settings)
        #expect(try database.stores().contains("team 1"))
        let store = try SandboxStore(
            products: [.consumable("sword", price: "0.99")],
            clock: SystemClock.shared,
            ledger: database.ledger("team 1")
        )
        try store.account.buy("sword")
        let sold = try #require(try store.transactions.last)
        for service in services {
            let answer = try await ask(service, "GET", "history/\(sold.id)", directory)
            #expect(String(decoding: answer, as: UTF8.self).contains("signedTransactions"))
        }
        for service in services { #expect(service.end(SIGTERM) == 0) }
    }

    @Test(.sharedStore) func `The clock of a store that others have open too is moved by nobody`() async throws {
        let directory = try Directory()
        let url = try PostgresCluster.shared.get().address(of: "team")
        let keys = directory.url.appending(path: "keys").path(percentEncoded: false)
        let service = try Service(["--store", url, "--ca", keys], in: directory)
        let (status, answer) = try await service.ask("act", "advance 1mo")
        #expect(status == 422)
        #expect(answer.contains("this store's clock cannot be moved"))
        // The page has no buttons then.
        #expect(try await service.ask("overview").text.contains("\"isMovable\":false"))
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `The clock of a store in a file is moved by its page`() async throws {
        let directory = try Directory()
        let service = try Service(arguments(directory), in: directory)
        let (status, answer) = try await service.ask("act", "advance 1mo")
        #expect(status == 200)
        #expect(answer.contains("it is "))
        #expect(try await service.ask("overview").text.contains("\"isMovable\":true"))
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `What cannot be written beside the store is told by the act that set it, and by no other`() async throws
    {
        let directory = try Directory()
        let configuration = SandboxStoreTool.demoFile.path
        let store = directory.url.appending(path: "store.sqlite").path(percentEncoded: false)
        let service = try Service(["--store", store, "--configuration", configuration], in: directory)
        // As good as a full disk: nothing can take the file's place.
        let state = directory.url.appending(path: "store.sqlite.state")
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        for act in ["status", "buy consumable", "transactions"] {
            let (status, answer) = try await service.ask("act", act)
            #expect(status == 200, "\(act): \(answer)")
        }
        let (status, answer) = try await service.ask("act", "locale de_DE")
        #expect(status == 500)
        #expect(answer.contains("it is done, but what was set (locale de_DE) will be lost when this process ends"))
        #expect(answer.contains("store.sqlite.state: the file cannot be written: Is a directory"))
        #expect(try await service.ask("act", "buy consumable").status == 200)
        // It is written when it can be.
        try FileManager.default.removeItem(at: state)
        #expect(try await service.ask("act", "buy consumable").status == 200)
        #expect(try String(contentsOf: state, encoding: .utf8).contains("locale de_DE"))
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `Questions and purchases leave the file beside the store alone`() async throws {
        let directory = try Directory()
        let configuration = SandboxStoreTool.demoFile.path
        let store = directory.url.appending(path: "store.sqlite").path(percentEncoded: false)
        let service = try Service(["--store", store, "--configuration", configuration], in: directory)
        let state = directory.url.appending(path: "store.sqlite.state")
        for act in ["status", "buy consumable"] { #expect(try await service.ask("act", act).status == 200) }
        #expect(!FileManager.default.fileExists(atPath: state.path))
        #expect(try await service.ask("act", "advance 1mo").status == 200)
        let content = try Data(contentsOf: state)
        let mode = try FileManager.default.attributesOfItem(atPath: state.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        for act in ["status", "buy consumable", "transactions"] {
            #expect(try await service.ask("act", act).status == 200)
        }
        #expect(try Data(contentsOf: state) == content)
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func `The store and the keys outlive the process, which ends when it is told to`() async throws {
        let directory = try Directory()
        let arguments = arguments(directory, "--bundle", "com.example.shop", "--notify", "http://127.0.0.1:9/")
        let first = try Service(arguments, in: directory)
        #expect(first.line.hasPrefix("serving at http://127.0.0.1:"))
        #expect(first.line.contains("/keys/AuthKey_") && first.line.contains("/keys/root.pem"))
        let answer = try JSONDecoder().decode(
            [String: String].self,
            from: try await ask(first, "POST", "notifications/test", directory)
        )
        let token = try #require(answer["testNotificationToken"])
        #expect(first.end(SIGTERM) == 0)

        let second = try Service(arguments, in: directory)
        let issuer = { (line: String) in line.split(separator: " ").drop { $0 != "issuer" }.dropFirst().first }
        #expect(issuer(first.line) == issuer(second.line))
        let found = try await ask(second, "GET", "notifications/test/\(token)", directory)
        #expect(String(decoding: found, as: UTF8.self).contains("signedPayload"))
        #expect(second.end(SIGINT) == 0)
    }

    @MainActor
    @Test func `What the command line signs is accepted by the server of the same file, and leads to one root`()
        async throws
    {
        let directory = try Directory()
        let file = directory.url.appending(path: "shop.db").path(percentEncoded: false)
        #expect(Run("--store", file, "init", SandboxStoreTool.demoFile.path).code == 0)
        #expect(Run("--store", file, "buy", "consumable").code == 0)
        let receipt = Run("--store", file, "receipt").output.trimmingCharacters(in: .newlines)
        var jws = [Run("--store", file, "receipt", "--jws").output]
        let service = try Service(["--store", file], in: directory)
        var request = URLRequest(url: try service.url.appending(path: "verifyReceipt"))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(["receipt-data": receipt])
        let answer = String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
        #expect(answer.contains(#""status":0"#) && answer.contains(#""product_id":"consumable""#), "\(answer)")
        let (status, text) = try await service.ask("act", "receipt --jws")
        #expect(status == 200)
        let served = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        jws.append(try #require(served?["jws"] as? String))
        #expect(service.end(SIGTERM) == 0)
        for signed in jws {
            let verified = Run("verify", try directory.write("jws", signed), "--root", file + ".keys/root.pem")
            #expect(verified.code == 0, "\(verified.output)\(verified.complaints)")
        }
    }

    @MainActor
    @Test func `A folder named once is the folder of later servers and commands`() throws {
        let directory = try Directory()
        let file = directory.url.appending(path: "shop.db").path(percentEncoded: false)
        #expect(Run("--store", file, "init", SandboxStoreTool.demoFile.path).code == 0)
        for arguments in [["--ca", "certificates"], []] {
            let service = try Service(["--store", file] + arguments, in: directory)
            #expect(service.line.contains("/certificates/root.pem"))
            #expect(service.end(SIGTERM) == 0)
        }
        // Commands write the file anew.
        #expect(Run("--store", file, "advance", "1d").code == 0)
        #expect(Run("--store", file, "buy", "consumable").code == 0)
        let receipt = try directory.write("receipt", Run("--store", file, "receipt").output)
        let root = directory.url.appending(path: "certificates/root.pem").path(percentEncoded: false)
        #expect(Run("verify", receipt, "--root", root).code == 0)
    }

    @Test func `The address of the page is printed, unless other machines reach the server`() async throws {
        let directory = try Directory()
        let own = try Service(arguments(directory), in: directory)
        let address = try #require(own.line.split(whereSeparator: \.isWhitespace).last)
        #expect(address.wholeMatch(of: #/http://127\.0\.0\.1:\d+/console#token=[\w-]{43}/#) != nil)
        let (page, _) = try await URLSession.shared.data(from: try #require(URL(string: String(address))))
        #expect(String(decoding: page, as: UTF8.self).contains("<title>Sandbox store</title>"))
        #expect(own.end(SIGTERM) == 0)
        let open = try Service(arguments(directory, "--host", "0.0.0.0"), in: directory)
        #expect(open.line.hasPrefix("serving at ") && !open.line.contains("console"))
        #expect(open.end(SIGTERM) == 0)
    }

    // MARK: The log

    /// A line of the log without its date and port.
    private func withoutChance(_ line: String?) -> String? {
        line?.replacing(#/^\d{4}-\d\d-\d\dT[\d:]+Z/#, with: "DATE").replacing(#/\d+-\d\d-\d\dT[\d:]+Z/#, with: "DATE")
            .replacing(#/[\da-f]{8}-[\da-f-]{27}/#, with: "UUID")
    }

    @Test func `Each notification and each request is a line, without what is secret`() async throws {
        let directory = try Directory()
        let configuration = SandboxStoreTool.demoFile.path
        let url = "http://user:password@127.0.0.1:9/path?key=secret"
        let service = try Service(
            arguments(directory, "--configuration", configuration, "--notify", url, "--bundle", "com.example.shop"),
            in: directory
        )
        _ = try await service.ask("act", "buy consumable")
        let sent = "DATE notification ONE_TIME_CHARGE of 1 to http://127.0.0.1:9/path: SOCKET_ISSUE"
        #expect(withoutChance(service.nextLine()) == sent)
        _ = try await ask(service, "GET", "transactions/1?secret=1", directory)
        #expect(withoutChance(service.nextLine()) == "DATE request GET /inApps/v1/transactions/1: 200")
        _ = try await ask(service, "GET", "a%0A%1Bb", directory)
        #expect(withoutChance(service.nextLine()) == #"DATE request GET /inApps/v1/a\n\u{1B}b: 404"#)
        #expect(service.end(SIGTERM) == 0)
        #expect(service.nextLine() == nil)
    }

    @Test func `Each line is an object on demand`() async throws {
        let directory = try Directory()
        let configuration = SandboxStoreTool.demoFile.path
        for option in [["--log", "json"], ["--json"]] {
            let service = try Service(
                arguments(directory, "--bundle", "com.example.shop") + ["--configuration", configuration] + option,
                in: directory
            )
            #expect(service.line.hasPrefix(option == ["--json"] ? "{" : "serving at "))
            let url = try service.url
            _ = try await URLSession.shared.data(from: url.appending(path: "verifyReceipt"))
            let line = #"{"request":1,"date":"DATE","method":"GET","path":"/verifyReceipt","status":200}"#
            #expect(withoutChance(service.nextLine()) == line)
            #expect(service.end(SIGTERM) == 0)
        }
    }

    @Test func `A quiet server prints its first lines only`() async throws {
        let directory = try Directory()
        let service = try Service(arguments(directory, "--quiet"), in: directory)
        _ = try await URLSession.shared.data(from: service.url.appending(path: "verifyReceipt"))
        #expect(service.end(SIGTERM) == 0)
        #expect(service.nextLine() == nil)
    }

    @Test func `A server goes on if nobody reads its lines any more`() async throws {
        let directory = try Directory()
        let service = try Service(arguments(directory), in: directory)
        try service.closeOutput()
        for _ in 1...3 { _ = try await URLSession.shared.data(from: service.url.appending(path: "verifyReceipt")) }
        #expect(service.end(SIGTERM) == 0)
    }

    @MainActor
    @Test func `A file, folder or address that cannot be used is told in a sentence`() throws {
        let directory = try Directory()
        let file = try directory.write("file", "is no database")
        let folder = directory.url.appending(path: "keys").path(percentEncoded: false)
        let noStore = Run("serve", "--store", file, "--ca", folder)
        #expect(noStore.code == 1 && noStore.complaints.hasPrefix("sandbox-store: "))
        let noFolder = Run("serve", "--store", "\(folder)/store", "--ca", file)
        #expect(noFolder.code == 1 && noFolder.output.isEmpty)
        let noHost = Run(["serve"] + arguments(directory, "--host", "nowhere"))
        #expect(noHost.code == 1 && noHost.complaints.contains("\"nowhere\" is no address"))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where no PostgreSQL server can be started.
    fileprivate static var sharedStore: Self {
        .enabled(
            if: Postgres.isAvailable && PostgresCluster.isAvailable,
            Comment(rawValue: Postgres.isAvailable ? PostgresCluster.advice : Postgres.advice)
        )
    }
}
