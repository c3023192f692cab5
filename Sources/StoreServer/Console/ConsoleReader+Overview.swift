import Foundation
import StoreCore
import StoreScenario

extension ConsoleReader {
    private static let mostRows = 8
    private static let mostWaiting = 50
    private static let mostCustomers = 200

    /// What waits, what has just happened, what falls due next, and what a page needs in each of its views, such as words
    /// to choose from.
    var overview: JSONValue {
        get throws {
            let context = ConsoleContext(store)
            let (recent, total) = try chronicle.transactions(limit: Self.mostRows)
            let (counts, notifications) = (store.counts, try view.notificationCounts)
            let clock = store.clock as? any MovableClock
            let (changes, due) = store.dueChanges(limit: Self.mostRows)
            return [
                "app": .string(view.bundleIdentifier), "environment": .string(view.environment),
                "storefront": .string(store.storefront?.countryCode ?? ""),
                "clock": [
                    "now": .date(context.now), "isMovable": .bool(clock != nil),
                    "lead": .optional(clock?.lead.map { Int($0) }),
                ],
                "counts": [
                    "transactions": .number(total), "subscriptions": .number(counts.subscriptions),
                    "running": .number(counts.running), "accounts": .number(counts.accounts),
                    "devices": .number(counts.devices), "products": .number(counts.products),
                    "notifications": .number(notifications.all),
                ],
                "waiting": try waiting(context),
                "recent": ["rows": .array(context.rows(recent)), "total": .number(total)],
                "due": ["rows": .array(changes.map { row($0, context) }), "total": .number(due)],
                "server": [
                    "notificationURL": .optional(control.outbox.url?.absoluteString),
                    "isAvailable": .bool(control.settings.isAvailable),
                    "isReleased": .bool(control.settings.isReleased), "failed": .number(notifications.failed),
                    "quirks": .array(store.quirks.names.map(JSONValue.string)),
                ],
                "customers": .array(
                    store.customers(limit: Self.mostCustomers) { _, _ in true }.page.map {
                        [
                            "account": .string($0.account), "devices": .array($0.devices.map { .string($0.name) }),
                            "asksToBuy": .bool($0.asksToBuy),
                        ]
                    }
                ),
                "words": [
                    "types": .array(NotificationTypes.all.map(JSONValue.string)),
                    "kinds": .array(
                        StoreProduct.Kind.allCases.map {
                            .array([.string($0.rawValue), .string(ConsoleWords.kind($0))])
                        }
                    ),
                ],
            ]
        }
    }

    private static let sentences = ["interrupted": "was interrupted", "refund": "asks for a refund"]

    /// The purchases and requests that wait for a decision.
    private func waiting(_ context: ConsoleContext) throws -> JSONValue {
        let undecided = store.undecidedRequests
        let all =
            undecided.map { (kind: "purchase", transaction: $0.transaction) }
            + store.interruptedPurchases.map { (kind: "interrupted", transaction: $0.transaction) }
            + store.refundRequests.map { (kind: "refund", transaction: $0) }
        let shown = all.prefix(Self.mostWaiting)
        let totals = Dictionary(undecided.prefix(Self.mostWaiting).map { ($0.transaction, $0.total) }) { $1 }
        let transactions = try chronicle.transactions(shown.map(\.transaction))
        let kinds = Dictionary(shown.map { ($0.transaction, $0.kind) }) { $1 }
        let rows = zip(transactions, context.rows(transactions)).map { transaction, row -> JSONValue in
            let kind = kinds[transaction.id] ?? "purchase"
            // The row of a purchase says what it waits for.
            let own: JSONValue = Self.sentences[kind].map { ["sentence": .string($0)] } ?? row.keeping(["sentence"])
            let total = totals[transaction.id]
            return ["kind": .string(kind)]
                + row.keeping(["transaction", "product", "title", "quantity", "account", "device", "date", "acts"])
                + own
                + (total.map { context.money($0, context.currency) } ?? context.money(transaction))
        }
        return ["rows": .array(rows), "total": .number(all.count)]
    }

    private func row(_ change: DueChange, _ context: ConsoleContext) -> JSONValue {
        [
            "date": .date(change.date), "what": .string(change.kind.rawValue),
            "sentence": .string(context.sentence(about: change)), "account": .string(change.account),
            "product": .string(change.product), "title": .string(context.title(of: change.product)),
            "transaction": .string(change.transaction),
        ]
    }
}

extension ConsoleContext {
    /// Returns what a change of a subscription does, in a sentence.
    fileprivate func sentence(about change: DueChange) -> String {
        let title = title(of: change.product)
        switch change.kind {
        case .renews: return "\(title) renews for \(price(change.charge ?? 0))"
        case .ends: return "\(title) ends: \(ConsoleWords.reason(change.end))"
        case .paymentFails: return "the payment for \(title) fails"
        case .graceEnds: return "the grace period of \(title) ends"
        }
    }
}

extension JSONValue {
    /// Returns an object with only some of its members.
    fileprivate func keeping(_ keys: Set<String>) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { keys.contains($0.key) })
    }
}
