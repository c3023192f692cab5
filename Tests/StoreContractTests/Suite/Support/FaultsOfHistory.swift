import StoreContract
import StoreCore

extension Fault {
    static let ofHistory: [Fault] = [
        Fault(NeverLooksUp.self, .historyAnswered),
        Fault(RefusesToLookUp.self, .historyAnswered),
        // Leaves what lasts out of the history.
        .answers("ForgetsWhatLasts", .historyComplete) { page, query in
            query.selection == .all
                ? HistoryPage(page.transactions.filter { $0.payload.type == .consumable }, next: page.next) : page
        },
        // Does not show finished consumables, whoever asks.
        .questions("KeepsNoConsumables", .historyComplete) { $0.includesFinishedConsumables = false },
        // Has the transactions of a page the other way round.
        .answers("TurnsPagesRound", .historyInOrder) { page, query in
            switch query.selection {
            case .all, .unfinished, .entitlements, .latest: HistoryPage(page.transactions.reversed(), next: page.next)
            case .revoked, .transactions: page
            }
        },
        // Shows what is finished as unfinished.
        .questions("ShowsFinished", .unfinishedAgrees) {
            $0.replace(.unfinished, with: .all)
        } answer: { page, query in
            query.selection == .unfinished ? HistoryPage(page.transactions.reversed(), next: page.next) : page
        },
        // Entitles to what is used up.
        .questions("EntitlesToConsumables", .entitlementsAgree) { $0.replace(.entitlements, with: .latest) },
        // Entitles to what is refunded.
        .questions("ForgetsRefunds", .entitlementsAgree) {
            $0.replace(.entitlements, with: .latest)
        } answer: { page, query in
            query.selection == .entitlements
                ? HistoryPage(page.transactions.filter { $0.payload.type != .consumable }, next: page.next) : page
        },
        // Has every transaction as the latest.
        .questions("HasManyLatest", .latestAgrees) { $0.replace(.latest, with: .all) },
        // Leaves out the last transaction that was asked for.
        .answers("FindsOneTooFew", .identifiersFound) { page, query in
            guard case .transactions = query.selection, page.transactions.count > 1 else { return page }
            return HistoryPage(page.transactions.dropLast())
        },
        // Finds transactions in the order in which they were sold.
        .questions("FindsInAnotherOrder", .identifiersFound) { query in
            guard case .transactions(let identifiers) = query.selection else { return }
            query.selection = .transactions(identifiers.sorted())
        },
        // Has no refunds.
        .answers("RevokesNothing", .revocationsFound) { page, query in
            query.selection == .revoked ? HistoryPage([], next: page.next) : page
        },
        // Has no place behind its refunds.
        .answers("EndsWithARefund", .revocationsFound) { page, query in
            query.selection == .revoked ? HistoryPage(page.transactions) : page
        },
        // Has a transaction more than was asked for.
        .questions("IgnoresLimits", .limitKept) { if $0.selection != .revoked { $0.limit += 1 } },
        // Leaves out the first transaction behind a place.
        .answers("SkipsBetweenPages", .pagesCoverAll) { page, query in
            query.cursor != nil && query.limit == 1 && query.selection != .revoked
                ? HistoryPage([], next: page.next) : page
        },
        // Has the count of what was read as its place, which a sale moves.
        .questions("CountsPlaces", .pagesCoverAll) {
            if $0.isPaged { ($0.cursor, $0.limit) = (nil, .max) }
        } answer: { page, query in
            guard query.isPaged else { return page }
            let start = query.cursor.flatMap { Int($0) } ?? 0
            let rest = page.transactions.dropFirst(start)
            let next = rest.count > query.limit ? "\(start + query.limit)" : nil
            return HistoryPage(Array(rest.prefix(query.limit)), next: next)
        },
        // Has an empty page behind the last, and again.
        .questions("TurnsPagesForever", .pagesCoverAll) {
            if $0.cursor == "end" { ($0.selection, $0.cursor) = (.transactions([]), nil) }
        } answer: { page, query in
            query.isPaged ? HistoryPage(page.transactions, next: page.next ?? "end") : page
        },
        Fault(HasNoSubscriptions.self, .subscriptionsFound),
        Fault(HasOneGroup.self, .subscriptionsFound),
        Fault(TellsNobody.self, .listenersTold),
        Fault(KeepsListeners.self, .receiversReleased),
        Fault(ForgetsEarlierLaunches.self, .historyRemains),
    ]
}

/// Stands before a sandbox's history.
class SpoiltHistory: SpoiltStore, @unchecked Sendable {
    /// What is answered in the place of a page.
    func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage { spoilAnswer?(page, query) ?? page }
    /// The same of faults that are no more than this.
    var spoilQuestion: (@Sendable (inout HistoryQuery) -> Void)?
    var spoilAnswer: (@Sendable (HistoryPage, HistoryQuery) -> HistoryPage)?

    override func transactions(_ query: HistoryQuery, reply: @escaping Reply<HistoryPage>) {
        var question = query
        spoilQuestion?(&question)
        super.transactions(question) { result in reply(result.map { self.answer($0, to: query) }) }
    }
}

/// Does not answer.
private final class NeverLooksUp: SpoiltStore, @unchecked Sendable {
    override func transactions(_ query: HistoryQuery, reply: @escaping Reply<HistoryPage>) {}
}

/// Has no answer.
private final class RefusesToLookUp: SpoiltStore, @unchecked Sendable {
    override func transactions(_ query: HistoryQuery, reply: @escaping Reply<HistoryPage>) {
        reply(.failure(.storeKit(.unknown, "no answer")))
    }
}

private final class HasNoSubscriptions: SpoiltStore, @unchecked Sendable {
    override func subscriptions(_ query: SubscriptionQuery, reply: @escaping Reply<[SignedSubscription]>) {
        reply(.success([]))
    }
}

/// Finds a subscription in every group.
private final class HasOneGroup: SpoiltStore, @unchecked Sendable {
    override func subscriptions(_ query: SubscriptionQuery, reply: @escaping Reply<[SignedSubscription]>) {
        store.subscriptions(.all, reply: reply)
    }
}

/// Does not listen to who wants to hear.
private final class TellsNobody: SpoiltStore, @unchecked Sendable {
    override func follow(_ listener: any HistoryListener) {}
}

/// Holds whoever listens.
private final class KeepsListeners: SpoiltStore, @unchecked Sendable {
    private let listeners = Locked<[any HistoryListener]>([])

    override func follow(_ listener: any HistoryListener) {
        listeners.withLock { $0.append(listener) }
        super.follow(listener)
    }
}

/// Knows nothing of what an earlier launch sold.
private final class ForgetsEarlierLaunches: SpoiltHistory, @unchecked Sendable {
    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        isReopened ? HistoryPage([]) : page
    }
}

extension HistoryQuery {
    fileprivate mutating func replace(_ selection: Selection, with other: Selection) {
        if selection == self.selection { self.selection = other }
    }

    /// Whether the answer ends with a last page.
    fileprivate var isPaged: Bool {
        switch selection {
        case .all, .unfinished, .entitlements, .latest: true
        case .revoked, .transactions: false
        }
    }
}
