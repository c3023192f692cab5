import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import StoreScenario
import Testing

@testable import sandbox_store

/// Commands on a store in a file, each by a run of its own.
@MainActor
@Suite(.enabled(if: SQLite.isAvailable, "SQLite is missing"))
struct StoreFileTests {
    private static let silver = "subscription_silver"
    private let directory: Directory
    private let path: String

    init() throws {
        directory = try Directory()
        path = directory.url.appending(path: "shop.db").path
        let made = Run("--store", path, "init", SandboxStoreTool.demoFile.path)
        try #require(made.code == 0, "\(made.complaints)")
    }

    private func run(_ arguments: String...) -> Run { Run(["--store", path] + arguments) }

    private func json(_ arguments: String...) throws -> Any {
        let run = Run(["--store", path, "--json"] + arguments)
        try #require(run.code == 0, "\(run.complaints)")
        return try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    }

    @Test func `The next run goes on: with products, accounts, time, settings and what waits`() throws {
        #expect(run("add-account", "Anna B").code == 0)
        #expect(run("add-device", "phone", "--account", "Anna B").code == 0)
        #expect(run("buy", Self.silver, "--account", "Anna B").output == "ordered: #1 \(Self.silver): purchased\n")
        #expect(run("authorizer", "later").code == 0)
        #expect(run("buy", "consumable").output == "ordered: #2 consumable: purchasing\n")
        #expect(run("advance", "1w").output.hasPrefix("it is 2025-01-08T00:00:00Z\n"))
        #expect(run("advance", "12h").output == "it is 2025-01-08T12:00:00Z\n")
        #expect(run("approve").output == "decided: #2 consumable: purchased\n")
        let transactions = try #require(try json("transactions") as? [[String: Any]])
        #expect(transactions.map { $0["transaction"] as? String } == ["1", "2", "3"])
        #expect(transactions.map { $0["account"] as? String } == ["Anna B", "account", "Anna B"])
        #expect(transactions.last?["date"] as? String == "2025-01-08T00:00:00Z")
    }

    @Test func `The time that went by without an event is kept`() throws {
        #expect(run("advance", "1y").code == 0)
        let status = try #require(try json("status") as? [String: Any])
        #expect(status["now"] as? String == "2026-01-01T00:00:00Z")
    }

    @Test func `What was done is kept before it is told`() throws {
        // Whoever reads it may end the process by reading no more.
        let state = URL(filePath: path + ".state")
        let known = Locked<[Data]>([])
        let console = Console(
            write: { _ in known.withLock { $0.append((try? Data(contentsOf: state)) ?? Data()) } },
            complain: { _ in },
            read: { nil },
            isTerminal: false
        )
        #expect(SandboxStoreTool(console: console).run(["--store", path, "advance", "1y"]) == 0)
        let last = try Data(contentsOf: state)
        #expect(known.withLock { $0 } == [last])
    }

    @Test func `A store whose state was lost goes on from its last event`() throws {
        #expect(run("advance", "1d").code == 0)
        #expect(run("buy", "consumable").code == 0)
        try FileManager.default.removeItem(atPath: path + ".state")
        #expect(run("status").output.hasPrefix("now              2025-01-02T00:00:00Z\n"))
    }

    @Test func `A state that cannot be read is refused, and nothing is lost`() throws {
        try Data("{".utf8).write(to: URL(filePath: path + ".state"))
        let refused = run("status")
        #expect(refused.code == 1)
        #expect(refused.complaints.contains("time and settings cannot be read from \(path).state"))
        #expect(try Data(contentsOf: URL(filePath: path + ".state")) == Data("{".utf8))
    }

    @Test func `A server goes on from the time that was kept, and keeps what is set on its page`() throws {
        #expect(run("advance", "3y").code == 0)
        let database = try SQLiteDatabase(at: URL(filePath: path))
        let performer = ScenarioPerformer(store: try SandboxStore(ledger: database.ledger))
        #expect(
            try SettingsFile(beside: path).time(of: database.ledger) == Date("2028-01-01T00:00:00Z", strategy: .iso8601)
        )
        _ = try performer.perform("purchase-failure paymentInvalid")
        try SettingsFile(beside: path).keep(performer)
        database.close()
        #expect(run("buy", "consumable").output.contains("failed, paymentInvalid"))
    }

    @Test func `What cannot be kept is named, once, and kept as soon as it can be`() throws {
        let database = try SQLiteDatabase(at: URL(filePath: path))
        let performer = ScenarioPerformer(store: try SandboxStore(ledger: database.ledger))
        let settings = SettingsFile(beside: path)
        try settings.restore(performer)
        try FileManager.default.removeItem(atPath: path + ".state")
        try FileManager.default.createDirectory(atPath: path + ".state", withIntermediateDirectories: true)
        for line in ["purchase-failure paymentInvalid", "advance 1d"] {
            _ = try performer.perform(line)
            let what = line == "advance 1d" ? "the store's time" : "what was set (purchase-failure paymentInvalid)"
            let error = try #require(throws: StoreFile.Failure.self) { try settings.keep(performer) }
            #expect(error.description.contains(what))
            #expect(error.description.contains("will be lost when this process ends"))
            // Nothing new is lost with what follows.
            _ = try performer.perform("status")
            try settings.keep(performer)
        }
        try FileManager.default.removeItem(atPath: path + ".state")
        try settings.keep(performer)
        database.close()
        #expect(run("status").output.hasPrefix("now              2025-01-02T00:00:00Z\n"))
    }

    @Test func `Only the user can read time, settings and key, and questions write none of them`() throws {
        let files = [path + ".state", path + (Libcrypto.isAvailable ? ".keys/root.key.pem" : ".key")]
        for file in files {
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        }
        let dates = {
            try files.map { try FileManager.default.attributesOfItem(atPath: $0)[.systemFileNumber] as? Int }
        }
        let before = try dates()
        for question in ["status", "products", "transactions"] { #expect(run(question).code == 0) }
        #expect(run("buy", "consumable").code == 0)
        #expect(try dates() == before)
    }

    @Test func `Settings of the file are kept, and reset ends them`() throws {
        #expect(run("purchase-failure", "paymentInvalid").code == 0)
        #expect(run("buy", "consumable").output.contains("failed, paymentInvalid"))
        #expect(run("reset").code == 0)
        #expect(run("buy", "consumable").output.contains("purchased"))
    }

    @Test(.libcrypto, arguments: [nil, "1999-12-31T00:00:00Z", "2060-01-01T00:00:00Z"])
    func `Receipts and JWS lead to the root beside the store, at any time`(start: String?) throws {
        let path = directory.url.appending(path: "other.db").path
        let begin = start.map { ["--at", $0] } ?? []
        #expect(Run(["--store", path, "init", SandboxStoreTool.demoFile.path] + begin).code == 0)
        #expect(Run("--store", path, "buy", "consumable").code == 0)
        #expect(!FileManager.default.fileExists(atPath: path + ".key"))
        for (kind, options) in [("app receipt", ["receipt"]), ("app transaction", ["receipt", "--jws"])] {
            let signed = try directory.write("signed", Run(["--store", path] + options).output)
            let verified = Run("verify", signed, "--root", path + ".keys/root.pem")
            #expect(verified.code == 0, "\(kind): \(verified.output)\(verified.complaints)")
            #expect(verified.output.contains("The root vouches for this \(kind)."), "\(verified.output)")
        }
    }

    @Test(.enabled(if: !Libcrypto.isAvailable, "libcrypto is there"))
    func `Without libcrypto, receipts are signed with the key beside the store`() throws {
        #expect(run("buy", "consumable").code == 0)
        let receipt = try directory.write("receipt", run("receipt").output)
        let verified = Run("verify", receipt, "--key-file", path + ".key")
        #expect(verified.code == 0 && verified.output.contains("The store vouches for this app receipt."))
    }

    @Test(.libcrypto) func `A purchase makes no key that signs, and a receipt does`() throws {
        let files = { Set(try FileManager.default.contentsOfDirectory(atPath: path + ".keys")) }
        #expect(run("buy", "consumable").code == 0)
        #expect(try files() == ["root.pem", "root.key.pem"])
        #expect(run("receipt").code == 0)
        #expect(try files().isSuperset(of: ["intermediate.pem", "receipt.key.pem"]))
    }

    @Test(.libcrypto) func `A key of earlier receipts stays, and verifies these`() throws {
        let key = Data("a key of another time".utf8)
        try key.write(to: URL(filePath: path + ".key"))
        try FileManager.default.removeItem(atPath: path + ".keys")
        #expect(run("buy", "consumable").code == 0)
        let receipt = TransactionReceipt(
            productIdentifier: "consumable",
            transactionIdentifier: "1",
            purchaseDate: Date(timeIntervalSince1970: 1_735_689_600),
            bundleIdentifier: "com.example.app",
            bundleVersion: "1.0"
        )
        let earlier = try directory.write(
            "earlier",
            receipt.data(signedBy: HMACReceiptSigner(key: key)).base64EncodedString()
        )
        #expect(Run("verify", earlier, "--key-file", path + ".key").code == 0)
        let later = try directory.write("later", run("receipt").output)
        #expect(Run("verify", later, "--root", path + ".keys/root.pem").code == 0)
        #expect(try Data(contentsOf: URL(filePath: path + ".key")) == key)
    }

    @Test func `A folder of keys that was named is remembered, and found when all is moved`() throws {
        let settings = SettingsFile(beside: path)
        #expect(try settings.keyFolder().path == path + ".keys")
        let inside = directory.url.appending(path: "certificates").path
        let other = try Directory()
        let elsewhere = other.url.appending(path: "certificates").path
        let inMoved = directory.url.appending(path: "moved/certificates").standardizedFileURL.path
        for (name, expected) in [(inside, inMoved), (elsewhere, elsewhere)] {
            let settings = SettingsFile(beside: path)
            #expect(try settings.keyFolder(name).path == name)
            // Only what is kept is remembered.
            let before = try SettingsFile(beside: path).keyFolder().path
            #expect(before != name)
            try settings.keepKeys(at: .now)
            #expect(try SettingsFile(beside: path).keyFolder().path == name)
            let moved = directory.url.appending(path: "moved")
            try FileManager.default.createDirectory(at: moved, withIntermediateDirectories: true)
            let place = moved.appending(path: "shop.db").path
            try? FileManager.default.removeItem(atPath: place + ".state")
            try FileManager.default.copyItem(atPath: path + ".state", toPath: place + ".state")
            #expect(try SettingsFile(beside: place).keyFolder().path == expected)
        }
        // The time and the settings stay, and so does the folder when these are kept.
        #expect(run("status").output.hasPrefix("now              2025-01-01T00:00:00Z\n"))
        try settings.keepKeys(at: .now)
        #expect(run("advance", "1d").code == 0)
        #expect(try SettingsFile(beside: path).keyFolder().path == path + ".keys")
    }

    @Test(.libcrypto) func `A folder that cannot be used is told, and nothing is done`() throws {
        try FileManager.default.removeItem(atPath: path + ".keys/root.key.pem")
        let refused = run("buy", "consumable")
        #expect(refused.code == 1 && refused.complaints.contains("root.key.pem: the file is missing"))
        try FileManager.default.removeItem(atPath: path + ".keys")
        #expect(try #require(try json("transactions") as? [Any]).isEmpty)
    }

    @Test func `A store is made once, and used when it is made`() throws {
        let again = run("init", SandboxStoreTool.demoFile.path)
        #expect(again.code == 1)
        #expect(again.complaints == "sandbox-store: \(path) exists already; init makes a new store\n")
        let missing = Run("--store", path + "x", "status")
        #expect(missing.code == 2)
        let advice = "sandbox-store --store \(path)x init FILE.storekit makes one"
        #expect(missing.complaints == "sandbox-store: there is no file \(path)x; \(advice)\n")
        #expect(!FileManager.default.fileExists(atPath: path + "x"))
    }

    @Test func `A file that is no configuration leaves no store behind`() throws {
        let bad = try directory.write("bad.storekit", "{")
        #expect(Run("--store", path + "y", "init", bad).code == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).allSatisfy { !$0.contains("dby") }
        )
    }

    @Test func `A store begins when it is told to`() throws {
        let other = directory.url.appending(path: "other.db").path
        #expect(Run("--store", other, "init", SandboxStoreTool.demoFile.path, "--at", "2030-05-05T05:05:05Z").code == 0)
        #expect(Run("--store", other, "status").output.contains("2030-05-05T05:05:05Z"))
    }

    @Test(.libcrypto) func `A store begins at no time at which its certificates are not valid`() {
        let early = Run("--store", path + "y", "init", SandboxStoreTool.demoFile.path, "--at", "1950-01-01T00:59:59Z")
        #expect(early.code == 2 && early.complaints.contains("before 1950-01-01T01:00:00Z, the first moment"))
        #expect(!FileManager.default.fileExists(atPath: path + "y"))
    }

    @Test(.libcrypto) func `A store that was refused to go beyond the year 9999 opens again`() {
        #expect(run("advance", "9000y").code == 1)
        #expect(run("buy", "consumable").code == 0)
    }

    @Test func `A scenario stops at the first refusal, and what was done before is kept`() throws {
        let file = try directory.write(
            "shop.scenario",
            "buy consumable\nadvance 1d\n  refund 7 # no such\nbuy consumable\n"
        )
        let result = run("run", file)
        #expect(result.code == 1)
        #expect(
            result.output == """
                buy consumable
                    ordered: #1 consumable: purchased
                advance 1d
                    it is 2025-01-02T00:00:00Z

                """
        )
        #expect(
            result.complaints
                == "sandbox-store: shop.scenario:3: refund: nobody paid for a transaction \"7\" in this store\n"
        )
        #expect(run("status").output.contains("2025-01-02T00:00:00Z"))
        #expect(try #require(try json("transactions") as? [Any]).count == 1)
    }

    @Test func `A scenario that makes no sense touches nothing`() throws {
        let file = try directory.write("shop.scenario", "buy consumable\nfrobnicate\n")
        let result = run("run", file)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        let sentence = "\"frobnicate\" is not a command; the command help lists them"
        #expect(result.complaints == "sandbox-store: shop.scenario:2:1: \(sentence)\n")
        #expect(try #require(try json("transactions") as? [Any]).isEmpty)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where stores in files sign with an HMAC key.
    fileprivate static var libcrypto: Self {
        .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice))
    }
}
