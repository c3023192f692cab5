import Foundation

/// The quirks of what an app reads from the history.
final class HistoryQuirks: Sendable {
    private let concealed: ConcealedHistory?
    private let looksCanceled: Bool
    /// Whether unpaid periods are listed during billing retry.
    let listsUnpaidPeriods: Bool

    init(_ concealed: ConcealedHistory?, _ rules: SandboxRules) {
        self.concealed = concealed
        looksCanceled = rules.quirks[.looksCanceledForAMoment] != nil
        listsUnpaidPeriods = rules.renewsUnpaid
    }

    /// Returns whether a transaction is not listed yet.
    func conceals(_ transaction: TransactionNumber, at now: Date) -> Bool {
        concealed?.conceals(transaction, at: now) ?? false
    }

    /// Returns whether a running subscription's status says that it renews.
    func willRenew(_ index: SubscriptionIndex, _ subscriptions: borrowing Subscriptions, at now: Date) -> Bool {
        let end = subscriptions[index].term.end
        if isBetweenPeriods(index, subscriptions, at: now) { return false }
        return concealed?.autoRenewal(of: index, until: end, at: now) ?? subscriptions[index].willRenew
    }

    /// Returns whether a subscription looks as if it had ended, although its renewal is about to arrive.
    private func isBetweenPeriods(_ index: SubscriptionIndex, _ subscriptions: borrowing Subscriptions, at now: Date)
        -> Bool
    {
        looksCanceled && subscriptions[index].term.end <= now && subscriptions.trouble(of: index) == nil
    }
}
