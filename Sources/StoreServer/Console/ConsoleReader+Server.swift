import Foundation
import StoreCore
import StoreScenario

// What the app's server is told, and asks.
extension ConsoleReader {
    /// Returns a page of the notifications, newest first, without their payloads.
    func notifications(_ query: ControlQuery) throws -> JSONValue {
        let (page, total, hasMore) = try view.newestNotifications(
            NotificationQuery(
                type: query["type"],
                transaction: query["transaction"],
                outcome: query["result"].flatMap { ServerNotification.Outcome(rawValue: $0) },
                before: try ControlReader.place(in: query) { ServerNotification.Position(text: $0) },
                limit: query.limit
            )
        )
        return Self.page(try rows(page), total: total, next: hasMore ? page.last?.position.text : nil)
    }

    /// Returns a notification with its payloads; nil if there is none.
    func notification(_ identifier: String) throws -> JSONValue? {
        guard let notification = try control.reader.notification(identifier) else { return nil }
        // The log of posts has what the ledger does not: the addresses, and the responses.
        let posts = control.reader.deliveries.lines(after: 0, limit: 1000).filter {
            $0.identifier == notification.identifier
        }
        return try control.reader.row(notification) + facts(about: [notification])[0]
            + ["posts": .array(posts.map(\.json))]
    }

    /// Returns notifications without their payloads.
    func rows(_ notifications: [ServerNotification]) throws -> [JSONValue] {
        zip(notifications, try facts(about: notifications)).map { $0.json + $1 }
    }

    /// Returns the product, the account and the outcome of each notification.
    private func facts(about notifications: [ServerNotification]) throws -> [JSONValue] {
        let transactions = try chronicle.transactions(notifications.compactMap(\.transaction?.transactionId))
        let accounts = Dictionary(transactions.map { ($0.id, $0.account) }) { $1 }
        return notifications.map { notification in
            let transaction = notification.transaction
            return [
                "product": .optional(transaction?.productId),
                "account": .optional(transaction.flatMap { accounts[$0.transactionId] ?? nil }),
                "result": .string(notification.outcome.rawValue),
            ]
        }
    }

    /// Returns a page of the requests that the App Store's servers answered, newest first.
    func requests(_ query: ControlQuery) throws -> JSONValue {
        let log = control.requests
        let found = log.newest(before: try Self.number(query), limit: query.limit + 1)
        let page = found.prefix(query.limit)
        let next = found.count > page.count ? page.last?.number : nil
        return Self.page(page.map(\.json), total: log.count, next: next.map { "\($0)" })
    }
}
