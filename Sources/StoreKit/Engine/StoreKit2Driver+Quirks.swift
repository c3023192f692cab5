import Foundation
import StoreCore

// The store's quirks that concern the life of a process, which is that of a queue here.
extension StoreKit2Driver {
    /// Returns the store's quirk of a kind; nil if it has none, or does not run in this process.
    func quirk(_ kind: StoreQuirk.Kind) -> StoreQuirk? { state.withLock { $0.reader }?.quirks?.quirks[kind] }

    /// Reports a subscription that a purchase is about to return as an update, if the store has that quirk.
    func announceOwnPurchase(_ identifier: String, _ number: Int) {
        guard quirk(.announcesOwnPurchases) != nil else { return }
        handle { $0.machine.announceReturned(identifier, number, &$1) }
    }

    /// Returns the unfinished transactions of a page, without those that have vanished by a quirk of the store.
    func withoutVanished(_ transactions: SignedTransactions) -> SignedTransactions {
        guard let reader = state.withLock({ $0.reader }), let clock = queue?.storeSetup.clock,
            let seconds = reader.quirks?.quirks[.unfinishedVanishes]?.seconds
        else { return transactions }
        let now = clock.now
        return transactions.filter { now < max($0.content.purchaseDate, reader.start).date + seconds }[...]
    }

    /// Returns updates in the order, and with the repetitions, that the store's quirks give to missed renewals.
    ///
    /// Other transactions keep their places among them.
    func withQuirksOfLaunch(_ updates: OriginalPage) async -> OriginalPage {
        guard let reader = state.withLock({ $0.reader }), let quirks = reader.quirks?.quirks,
            !quirks.isDisjoint(with: Self.quirksOfLaunch)
        else { return updates }
        // What arrives in the place of each missed renewal.
        var places: [SignedTransactions] = updates.transactions.filter(reader.hasMissed).map { [$0] }
        guard let latest = places.last else { return updates }
        if quirks.contains(.latestRenewalTwice) { places[places.count - 1] += latest }
        if quirks.contains(.finishedPurchaseReturns) {
            places[0] = await finishedPurchases(renewedBy: places) + places[0]
        }
        if quirks.contains(.renewalsNewestFirst) { places = places.reversed().map { $0.reversed()[...] } }
        var next = places.makeIterator()
        let transactions = updates.transactions.flatMap { reader.hasMissed($0) ? next.next() ?? [] : [$0] }
        return OriginalPage(transactions: transactions[...], next: updates.next, origin: updates.origin)
    }

    private static let quirksOfLaunch: Set<StoreQuirk> = [
        .renewalsNewestFirst, .latestRenewalTwice, .finishedPurchaseReturns,
    ]

    /// Returns the first purchases of renewed subscriptions, as far as they are finished.
    private func finishedPurchases(renewedBy renewals: [SignedTransactions]) async -> SignedTransactions {
        var originals: [String] = []
        for original in renewals.joined().map(\.content.originalTransactionId) where !originals.contains(original) {
            originals.append(original)
        }
        let unfinished = state.withLock { state in originals.filter { state.machine.unfinished[$0] != nil } }
        originals.removeAll(where: unfinished.contains)
        return (try? await page(HistoryQuery(.transactions(originals))).transactions) ?? []
    }
}

extension HistoryReader {
    /// Returns whether a transaction is a renewal from before this launch.
    fileprivate func hasMissed(_ transaction: SignedValue<TransactionPayload>) -> Bool {
        let content = transaction.content
        return content.transactionReason == .renewal && content.revocationDate == nil && content.purchaseDate <= start
    }
}
