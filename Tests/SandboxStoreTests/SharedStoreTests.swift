import Foundation
import PostgresCluster
import StoreCore
import StorePostgres
import TestSupport
import Testing

@testable import sandbox_store

/// Commands on a store in a database that other processes have open too.
@MainActor
@Suite(
    .fewAtATime,
    .enabled(
        if: Postgres.isAvailable && PostgresCluster.isAvailable,
        Comment(rawValue: Postgres.isAvailable ? PostgresCluster.advice : Postgres.advice)
    )
)
struct SharedStoreTests {
    private let cluster: PostgresCluster
    /// The store's name, which is a test's own.
    private let name = "team \(UUID().uuidString)"
    private let address: String

    init() throws {
        cluster = try PostgresCluster.shared.get()
        address = cluster.address(of: name)
    }

    private func run(_ arguments: String...) -> Run { Run(["--store", address] + arguments) }

    @Test func `A store is made by one command, and others act on it between those who have it open`() throws {
        let made = run("init", SandboxStoreTool.demoFile.path)
        #expect(made.code == 0)
        #expect(made.output.contains("subscription_silver"))
        let database = try PostgresDatabase(cluster.settings)
        let store = try SandboxStore(clock: SystemClock.shared, ledger: database.ledger(name))
        #expect(run("add-device", "kiosk").code == 0)
        #expect(run("buy", "consumable").output == "ordered: #1 consumable: purchased\n")
        #expect(try store.transactions.map(\.productIdentifier) == ["consumable"])
        try store.account.buy("consumable")
        #expect(run("refund", "2").code == 0)
        #expect(try store.transactions.map { $0.cancellationDate != nil } == [false, true])
        let token = run("token", "kiosk").output.split(separator: "\n").last.flatMap { DeviceToken(String($0)) }
        #expect(try store.device(with: #require(token))?.name == "kiosk")
    }

    @Test func `What a shared store cannot keep, or does not have, is refused in a sentence`() throws {
        #expect(run("products").complaints.contains("there is no store \(name) in the database"))
        let dated = run("init", SandboxStoreTool.demoFile.path, "--at", "2026-01-01T00:00:00Z")
        #expect(dated.code == 1)
        #expect(dated.complaints.contains("leave out --at"))
        #expect(run("init", SandboxStoreTool.demoFile.path).code == 0)
        #expect(run("init", SandboxStoreTool.demoFile.path).complaints.contains("exists already"))
        let set = run("authorizer", "later")
        #expect(set.code == 1)
        #expect(set.complaints.contains("authorizer: each process has its own"))
        #expect(run("reset").complaints.contains("reset: each process has its own"))
        #expect(run("advance", "1w").complaints.contains("cannot be moved"))
        #expect(run("buy", "consumable").output == "ordered: #1 consumable: purchased\n")
    }

    @Test func `A command sells at the rate of the file that it is given`() throws {
        #expect(run("init", SandboxStoreTool.demoFile.path).code == 0)
        let directory = try Directory()
        let fast = directory.url.appending(path: "fast.storekit")
        var file = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: SandboxStoreTool.demoFile)) as? [String: Any]
        )
        var settings = file["settings"] as? [String: Any] ?? [:]
        settings["_timeRate"] = 6
        file["settings"] = settings
        try JSONSerialization.data(withJSONObject: file).write(to: fast)
        #expect(run("--storekit", fast.path, "buy", "subscription_silver").code == 0)
        let database = try PostgresDatabase(cluster.settings)
        let sold = try #require(try SandboxStore(ledger: database.ledger(name)).transactions.last)
        let period = try #require(sold.expirationDate).timeIntervalSince(sold.date)
        #expect(period < 86_400)
    }
}

/// The addresses of stores in a database.
@MainActor
@Suite(.fewAtATime, .enabled(if: Postgres.isAvailable, Comment(rawValue: Postgres.advice)))
struct SharedStoreAddressTests {
    // With a slash that is not escaped, libpq takes a part of the password for the port.
    @Test(arguments: [
        "postgresql://storecore:secret@/postgres?host=/nowhere&port=1#team",
        "postgresql://storecore:secret/x@nowhere/postgres#team",
    ])
    func `A server that cannot be reached is named without its password`(address: String) {
        let away = Run(["--store", address, "products"])
        #expect(away.code == 1)
        #expect(!away.complaints.isEmpty)
        #expect(!away.complaints.contains("secret"))
    }

    @Test(arguments: [
        ("postgres://db/shop", "postgres://db/shop", "store"),
        ("postgresql://db/shop#team%201", "postgresql://db/shop", "team 1"),
        ("postgresql://u:a#b@db/shop#team", "postgresql://u:a#b@db/shop", "team"),
        ("postgresql:///shop?user=u#team@home", "postgresql:///shop?user=u", "team@home"),
    ])
    func `What is behind the sign is the store's name, and a password may have the sign`(
        text: String,
        settings: String,
        name: String
    ) throws {
        let address = try #require(SharedStoreAddress(text))
        #expect((address.settings, address.name) == (settings, name))
        #expect(SharedStoreAddress("shop.sqlite") == nil)
    }
}

extension PostgresCluster {
    /// The server that tests of this process share, in which each store has a name of its own.
    static let shared = Result { try PostgresCluster(settings: ["fsync": "off"]) }

    /// Returns the address of a store with a name, in which spaces are escaped.
    func address(of name: String) -> String {
        let name = name.replacingOccurrences(of: " ", with: "%20")
        return "postgresql:///postgres?host=\(folder.path)&user=storecore#\(name)"
    }
}
