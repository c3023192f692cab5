import Foundation
import StoreCore
import StoreScenario

extension ConsoleReader {
    /// Returns a page of the subscriptions of all accounts, newest first, each with its last periods.
    func subscriptions(_ query: ControlQuery) throws -> JSONValue {
        let context = ConsoleContext(store)
        let search = ConsoleSearch(query["search"])
        let (page, total, next) = store.subscriptions(before: try Self.number(query), limit: query.limit) { one in
            let product = one.subscription.productIdentifier
            return query.admits(product, as: "product") && query.admits(one.account, as: "account")
                && query.admits(one.subscription.state.word, as: "state")
                && search.finds(
                    [product, context.title(of: product), one.account, one.subscription.groupIdentifier],
                    number: one.subscription.originalTransaction
                )
        }
        let changes = store.nextChanges(of: page.map(\.number))
        let periods = try periods(of: page)
        let devices = context.devices(of: page.map(\.account))
        let rows = page.map { one in
            context.row(
                one,
                changes[one.number],
                periods[one.subscription.originalTransaction] ?? [],
                canBuy: devices[one.account] != nil
            )
        }
        return Self.page(rows, total: total, next: next.map { "\($0)" })
    }

    /// Returns the last purchases and renewals of some subscriptions, oldest first, by their first transactions.
    private func periods(of page: [NumberedSubscription]) throws -> [String: [SandboxTransaction]] {
        var periods = Dictionary(page.map { ($0.subscription.originalTransaction, [SandboxTransaction]()) }) { $1 }
        try chronicle.forEachTransaction { transaction in
            // A free purchase that only changes how a subscription renews begins no period.
            guard transaction.expirationDate != nil, transaction.isSale, transaction.chargedAmount != nil else {
                return
            }
            let original = transaction.original ?? transaction.id
            let isNext = periods[original].map { known in
                transaction.chargedAmount != 0 || known.last?.expirationDate != transaction.expirationDate
            }
            guard isNext == true else { return }
            periods[original]?.append(transaction)
            // Removed in bulk, since each removal moves all others.
            if periods[original]?.count ?? 0 > 2 * ConsoleContext.mostPeriods {
                periods[original]?.removeFirst(ConsoleContext.mostPeriods)
            }
        }
        return periods
    }
}

extension ConsoleContext {
    fileprivate static var mostPeriods: Int { 24 }

    fileprivate func row(
        _ one: NumberedSubscription,
        _ change: DueChange?,
        _ periods: [SandboxTransaction],
        canBuy: Bool
    ) -> JSONValue {
        let (subscription, newest) = (one.subscription, periods.last)
        let isRefundable = newest.map { $0.cancellationDate == nil } ?? false
        let acts = ConsoleAct.acts(
            on: subscription,
            of: one.account,
            period: isRefundable ? newest?.id : nil,
            canBuy: canBuy
        )
        var bars = periods.suffix(Self.mostPeriods).map { period($0, subscription) }
        if let end = subscription.gracePeriodExpirationDate {
            bars.append(
                [
                    "from": .date(subscription.expirationDate), "until": .date(end), "kind": .string("grace"),
                    "transaction": .null,
                ]
            )
        }
        return [
            "account": .string(one.account), "product": .string(subscription.productIdentifier),
            "title": .string(title(of: subscription.productIdentifier)),
            "group": .string(subscription.groupIdentifier), "state": .string(subscription.state.word),
            "sentence": .string(sentence(about: one, change)),
            "until": .date(subscription.gracePeriodExpirationDate ?? subscription.expirationDate),
            "renews": .bool(subscription.willRenew), "original": .string(subscription.originalTransaction),
            "transaction": .string(newest?.id ?? subscription.originalTransaction),
        ] + money(newest) + ["periods": .array(Array(bars.suffix(Self.mostPeriods))), "acts": acts.json]
    }

    private func period(_ transaction: SandboxTransaction, _ subscription: SandboxSubscription) -> JSONValue {
        let isCurrent = transaction.expirationDate == subscription.expirationDate
        let kind =
            if transaction.cancellationDate != nil {
                "refunded"
            } else if transaction.chargedAmount == 0 {
                "trial"
            } else {
                isCurrent && subscription.offer != nil ? "offer" : "paid"
            }
        return [
            "from": .date(transaction.date), "until": .optional(transaction.expirationDate), "kind": .string(kind),
            "transaction": .string(transaction.id),
        ]
    }

    private func sentence(about one: NumberedSubscription, _ change: DueChange?) -> String {
        let subscription = one.subscription
        let end = day(subscription.expirationDate)
        switch subscription.state {
        case .expired: return "ended \(end): \(ConsoleWords.reason(subscription.endReason))"
        case .inGracePeriod:
            let grace = subscription.gracePeriodExpirationDate ?? subscription.expirationDate
            return "the payment failed; access until \(day(grace))"
        case .inBillingRetryPeriod:
            return "the payment failed; no access" + (one.retryEnd.map { ", tried again until \(day($0))" } ?? "")
        case .subscribed: break
        }
        guard let change else { return "until \(end)" }
        switch change.kind {
        case .renews:
            let isSame = change.product == subscription.productIdentifier
            let product = isSame ? "" : " as \(title(of: change.product))"
            return "until \(end), then renews\(product) for \(price(change.charge ?? 0))"
                + (subscription.commitment.map { "; \(ConsoleWords.commitment($0, now))" } ?? "")
        case .ends: return "until \(end), then ends: \(ConsoleWords.reason(change.end))"
        case .paymentFails: return "until \(end), then the payment fails"
        case .graceEnds: return "until \(end), then the grace period ends"
        }
    }
}

extension SandboxSubscription.State {
    /// The state in plain words.
    var word: String {
        switch self {
        case .subscribed: "running"
        case .inGracePeriod: "grace"
        case .inBillingRetryPeriod: "retry"
        case .expired: "ended"
        }
    }
}
