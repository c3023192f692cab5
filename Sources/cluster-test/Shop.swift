import Foundation
import StoreCore
import StorePostgres

/// The store that all processes open on one ledger.
enum Shop {
    static let name = "shop"
    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"), .nonConsumable("full.game", price: "4.99"),
    ]

    /// Connects to the database, as often as it takes.
    static func connect(_ settings: String, log: StoreLog) throws -> PostgresDatabase {
        var options = PostgresDatabase.Options()
        options.patience = 5
        options.responseTime = 2
        options.pollInterval = 5
        options.snapshotDistance = 100
        return try insist { [options] in try PostgresDatabase(settings, options: options, log: log) }
    }

    /// Opens the store with a clock that is minutes ahead of the system's, as often as it takes.
    static func open(_ database: PostgresDatabase, minutes: Int) throws -> SandboxStore {
        let clock = ShiftedClock(notBefore: Date(timeIntervalSinceNow: Double(minutes) * 60))
        return try insist { try SandboxStore(products: products, clock: clock, ledger: database.ledger(name)) }
    }

    /// Does something as often as it takes.
    ///
    /// - Throws: the body's errors, but for one of a database that is away.
    static func insist<Value>(_ body: () throws -> Value) throws -> Value {
        while true {
            do {
                return try body()
            } catch PostgresDatabaseError.Code.unreachable {
            } catch PostgresDatabaseError.Code.readOnly {}
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    /// Returns everything that two stores on one ledger have to agree on.
    static func text(of store: SandboxStore) throws -> String {
        var lines = try store.transactions.map { "\($0) by \($0.account ?? "") for \($0.charge ?? 0)" }
        for account in store.accounts {
            lines.append("\(account.name): \(account.entitlements.map { "\($0)" }.sorted())")
        }
        lines.append(try store.timeline.description)
        return lines.joined(separator: "\n")
    }
}
