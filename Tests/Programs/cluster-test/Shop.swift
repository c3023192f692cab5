import Foundation
import StoreCore
import StorePostgres

/// The store that all processes open on one ledger.
enum Shop {
    static let name = "shop"
    /// The products, which the simulator's model knows.
    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("game", price: "4.99"),
        .autoRenewable(
            "basic",
            price: "4.99",
            period: .init(1, .month),
            group: group,
            level: 2,
            introductoryOffer: .freeTrial(.init(1, .week))
        ),
        .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: group, level: 1),
    ]
    static let group = "club"
    /// The length of every subscription period.
    static let period = RenewalRate.Period.tenSeconds

    /// Connects to the database, as often as it takes.
    ///
    /// A process that is to notice faults waits little for the database; one that only checks what came of them, as long
    /// as a busy machine takes.
    static func connect(_ settings: String, noticesFaults: Bool = true, log: StoreLog) throws -> PostgresDatabase {
        var options = PostgresDatabase.Options()
        (options.patience, options.responseTime) = noticesFaults ? (5, 2) : (600, 60)
        options.pollInterval = 5
        options.snapshotDistance = 100
        return try insist { [options] in try PostgresDatabase(settings, options: options, log: log) }
    }

    /// Opens the store with a clock that is ahead of the system's, as often as it takes.
    static func open(_ database: PostgresDatabase, lead: TimeInterval) throws -> SandboxStore {
        let clock = ShiftedClock(notBefore: Date(timeIntervalSinceNow: lead))
        return try insist {
            try SandboxStore(
                products: products,
                clock: clock,
                ledger: database.ledger(name),
                renewalRate: .everyPeriod(period)
            )
        }
    }

    /// Ends all subscriptions: no process renews anything from then on, whatever its clock.
    static func endSubscriptions(_ database: PostgresDatabase) throws {
        let store = try open(database, lead: Role.longestLead + period.rawValue)
        for account in store.accounts {
            for subscription in account.subscriptions where subscription.isRunning {
                try account.setAutoRenew(false, inGroup: subscription.groupIdentifier)
            }
        }
        store.advance(by: period.rawValue)
        let isRunning = store.accounts.contains { $0.subscriptions.contains(where: \.isRunning) }
        if isRunning { throw Contradiction("a subscription that does not renew has not ended") }
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
        var lines = try store.transactions.map { "\($0) by \($0.account ?? "") for \($0.chargedAmount ?? 0)" }
        for account in store.accounts {
            lines.append("\(account.name): \(account.entitlements.map { "\($0)" }.sorted())")
        }
        lines.append(try store.timeline.description)
        return lines.joined(separator: "\n")
    }
}
