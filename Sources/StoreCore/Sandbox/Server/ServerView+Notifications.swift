import Foundation

// Notifications are a fold over the ledger: the same record results in the same notification in every process.
extension ServerView {
    /// Begins notifications of all changes from now on; does nothing if they have begun already.
    ///
    /// - Throws: the ledger's errors.
    package func beginNotifications() throws {
        try driver.change { state, events, now in
            guard !state.server.notifies else { return }
            events.append(LedgerRecord(date: now, event: .operator(.server(.notificationsBegun))))
        }
    }

    /// Requests a test notification, even if notifications have not begun.
    ///
    /// - Returns: the token of the test notification.
    /// - Throws: the ledger's errors.
    package func requestTestNotification() throws -> String {
        var token = ""
        try driver.change { state, events, now in
            // The events that are appended with this one, such as due renewals, precede it.
            token = Self.testToken(bundleIdentifier, state.position + events.count)
            events.append(LedgerRecord(date: now, event: .operator(.server(.testRequested(token: token)))))
        }
        return token
    }

    /// Returns the notifications after a position.
    ///
    /// - Parameters:
    ///   - position: the position; nil for all notifications.
    ///   - date: a date before which notifications may be left out; some may be included if the clock was set back.
    ///   - limit: the maximum number of notifications.
    /// - Returns: the notifications, oldest first, each with its attempts at delivery so far.
    /// - Throws: the error that prevents reading the ledger.
    package func notifications(
        after position: ServerNotification.Position?,
        since date: Date? = nil,
        limit: Int
    ) throws -> [ServerNotification] {
        try readNotifications { try $0.notifications(after: position, since: date, limit: limit) }
    }

    /// Returns a page of the notifications that a query selects, newest first.
    ///
    /// - Returns: the page, the number of notifications on all pages, and whether there are older ones.
    /// - Throws: the error that prevents reading the ledger.
    package func newestNotifications(
        _ query: NotificationQuery
    ) throws -> (page: [ServerNotification], total: Int, hasMore: Bool) {
        try readNotifications { try $0.newest(query) }
    }

    /// The number of notifications, and of those whose last delivery failed.
    package var notificationCounts: (all: Int, failed: Int) { get throws { try readNotifications(\.counts) } }

    /// Returns the notification at a position; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func notification(at position: ServerNotification.Position) throws -> ServerNotification? {
        try readNotifications { try $0.notification(at: position) }
    }

    /// Returns the notification with an identifier; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func notification(_ identifier: UUID) throws -> ServerNotification? {
        try readNotifications { try $0.notification(identifier) }
    }

    /// Returns the last notification before a position; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func notification(before position: ServerNotification.Position) throws -> ServerNotification? {
        try readNotifications { try $0.notification(before: position) }
    }

    /// Returns the position of the newest notification; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func lastNotification() throws -> ServerNotification.Position? { try readNotifications { $0.last } }

    /// Returns the test notification with a token; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func testNotification(_ token: String) throws -> ServerNotification? {
        try readNotifications { try $0.test(token) }
    }

    /// Records an attempt at delivering a notification; nothing happens if there is no such notification.
    ///
    /// - Throws: the ledger's errors.
    package func recordAttempt(_ result: String, at position: ServerNotification.Position) throws {
        guard try readNotifications({ $0.has(position) }) else { return }
        try driver.change { _, events, now in
            let change = ServerChange.attempted(record: position.record, index: position.index, result: result)
            events.append(LedgerRecord(date: now, event: .operator(.server(change))))
        }
    }

    /// Reads the notifications, after performing everything due by now.
    ///
    /// Each record is applied once, by the first read that finds it in the ledger.
    private func readNotifications<R>(_ body: (NotificationFold) throws -> R) throws -> R {
        let environment = environment
        return try driver.look { driverState, _ in
            try notificationFold.withLock { cached in
                // The fold is replaced for a signer of another environment, since payloads contain the environment.
                let known = cached.flatMap { $0.settings.environment == environment ? $0 : nil }
                let fold = known ?? newFold(environment, driverState.settings.rules.renewalRate)
                cached = fold
                while fold.position < driverState.state.position {
                    let limit = min(1024, driverState.state.position - fold.position)
                    let new = try driverState.records.read(after: fold.position, limit: limit)
                    guard !new.isEmpty else { throw StoreFailure.cutShort(at: fold.position) }
                    for record in new { fold.take(record) }
                }
                return try body(fold)
            }
        }
    }

    private func newFold(_ environment: String, _ rate: RenewalRate) -> NotificationFold {
        NotificationFold(
            NotificationFold.Settings(
                bundleIdentifier: bundleIdentifier,
                environment: environment,
                renewalRate: rate,
                appTransaction: { [driver] in driver.appTransaction(of: $0, $1) }
            )
        )
    }

    /// Returns a unique token for a request, in the App Store's form.
    private static func testToken(_ bundleIdentifier: String, _ place: Int) -> String {
        let name = "test \(bundleIdentifier.utf8.count) \(bundleIdentifier)\(place)"
        return UUID(named: name).uuidString.lowercased()
    }
}

/// A moment of a store.
///
/// All payloads of a transaction within a moment are equal, except for fractions of a second in their signing dates.
package struct ServerMoment: Hashable, Sendable {
    /// The position of the last record of the ledger.
    let position: Int
    /// The whole seconds since the beginning of 1970, UTC, by the store's clock.
    let second: Int64
}

extension ServerView {
    /// The current moment, after performing everything due by now; nil while a signature defect is set.
    ///
    /// The ledger does not contain the defect, so payloads could change without a new record.
    package var moment: ServerMoment? {
        driver.look { driverState, now in
            guard driver.signing.withLock({ $0.defect }) == nil else { return nil }
            return ServerMoment(position: driverState.state.position, second: PayloadDate(now).seconds)
        }
    }
}
