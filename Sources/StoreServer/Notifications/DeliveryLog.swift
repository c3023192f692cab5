import Foundation
import StoreCore
import StoreScenario

/// The last posts of notifications to the app's server.
package typealias DeliveryLog = RecentLog<DeliveryLine>

/// A post of a notification, or an attempt that a rule or the signer has prevented, and the response.
package struct DeliveryLine: Sendable {
    /// The path of the store of a test, below that of its server; nil for the server's own store.
    package private(set) var store: String?
    /// The number of the post, from 1.
    let number: Int
    /// The date of the response, by the store's clock.
    package let date: Date
    let identifier: UUID
    package let type: String
    package let subtype: String?
    package let transaction: String?
    /// The URL, without a password, a query and a fragment.
    package let url: String
    /// The manner, by the name of a ``DeliveryFault``; `normal` or `resent` without one.
    package let manner: String
    /// Whether the result is recorded in the ledger as an attempt.
    let isAttempt: Bool
    /// The HTTP status; nil if there was no response.
    package let status: Int?
    package let result: String

    /// Returns the line of the same post with the path of its store.
    func below(_ path: String) -> DeliveryLine {
        var line = self
        line.store = path
        return line
    }

    /// The line as JSON.
    package var json: JSONValue {
        (store.map { ["store": .string($0)] } ?? [:]) + [
            "delivery": .number(number), "date": .date(date),
            "notification": .string(identifier.uuidString.lowercased()), "type": .string(type),
            "subtype": .optional(subtype), "transaction": .optional(transaction), "url": .string(url),
            "how": .string(manner), "attempt": .bool(isAttempt), "status": .optional(status),
            "result": .string(result),
        ]
    }
}

extension DeliveryLog {
    /// Adds the post of a notification.
    func add(
        _ notification: ServerNotification,
        to url: URL,
        _ manner: String,
        isAttempt: Bool,
        status: Int?,
        _ result: SendAttemptResult
    ) {
        let url = Self.text(of: url)
        add { number, date in
            DeliveryLine(
                number: number,
                date: date,
                identifier: notification.identifier,
                type: notification.type,
                subtype: notification.subtype,
                transaction: notification.transaction?.transactionId,
                url: url,
                manner: manner,
                isAttempt: isAttempt,
                status: status,
                result: result.rawValue
            )
        }
    }

    /// Returns a URL without the parts that may be secret.
    private static func text(of url: URL) -> String {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "" }
        (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
        return (components.string ?? "").shortened(to: 1000)
    }
}
