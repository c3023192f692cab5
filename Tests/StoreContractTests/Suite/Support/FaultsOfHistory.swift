import StoreContract
import StoreCore

extension Fault {
    static let ofHistory: [Fault] = [
        Fault(NeverLooksUp.self, .historyAnswered),
        Fault(RefusesToLookUp.self, .historyAnswered),
        Fault(ForgetsWhatLasts.self, .historyComplete),
        Fault(KeepsNoConsumables.self, .historyComplete),
        Fault(TurnsPagesRound.self, .historyInOrder),
        Fault(ShowsFinished.self, .unfinishedAgrees),
        Fault(EntitlesToConsumables.self, .entitlementsAgree),
        Fault(ForgetsRefunds.self, .entitlementsAgree),
        Fault(HasManyLatest.self, .latestAgrees),
        Fault(FindsOneTooFew.self, .identifiersFound),
        Fault(FindsInAnotherOrder.self, .identifiersFound),
        Fault(RevokesNothing.self, .revocationsFound),
        Fault(EndsWithARefund.self, .revocationsFound),
        Fault(IgnoresLimits.self, .limitKept),
        Fault(SkipsBetweenPages.self, .pagesCoverAll),
        Fault(CountsPlaces.self, .pagesCoverAll),
        Fault(TurnsPagesForever.self, .pagesCoverAll),
        Fault(HasNoSubscriptions.self, .subscriptionsFound),
        Fault(HasOneGroup.self, .subscriptionsFound),
        Fault(TellsNobody.self, .listenersTold),
        Fault(KeepsListeners.self, .receiversReleased),
        Fault(ForgetsEarlierLaunches.self, .historyRemains),
    ]
}

/// Stands before a sandbox's history.
class SpoiltHistory: SpoiltStore, @unchecked Sendable {
    /// What is asked in the place of a question.
    func question(_ query: HistoryQuery) -> HistoryQuery { query }

    /// What is answered in the place of a page.
    func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage { page }

    override func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        super.transactions(question(query)) { result in reply(result.map { self.answer($0, to: query) }) }
    }
}

/// Does not answer.
private final class NeverLooksUp: SpoiltStore, @unchecked Sendable {
    override func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {}
}

/// Has no answer.
private final class RefusesToLookUp: SpoiltStore, @unchecked Sendable {
    override func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        reply(.failure(.storeKit(.unknown, "no answer")))
    }
}

/// Leaves what lasts out of the history.
private final class ForgetsWhatLasts: SpoiltHistory, @unchecked Sendable {
    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        query.selection == .all
            ? HistoryPage(page.transactions.filter { $0.payload.type == .consumable }, next: page.next) : page
    }
}

/// Does not show finished consumables, whoever asks.
private final class KeepsNoConsumables: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery {
        var query = query
        query.includesFinishedConsumables = false
        return query
    }
}

/// Has the transactions of a page the other way round.
private final class TurnsPagesRound: SpoiltHistory, @unchecked Sendable {
    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        switch query.selection {
        case .all, .unfinished, .entitlements, .latest: HistoryPage(page.transactions.reversed(), next: page.next)
        case .revoked, .transactions: page
        }
    }
}

/// Shows what is finished as unfinished.
private final class ShowsFinished: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery { query.replacing(.unfinished, with: .all) }

    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        query.selection == .unfinished ? HistoryPage(page.transactions.reversed(), next: page.next) : page
    }
}

/// Entitles to what is used up.
private final class EntitlesToConsumables: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery { query.replacing(.entitlements, with: .latest) }
}

/// Entitles to what is refunded.
private final class ForgetsRefunds: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery { query.replacing(.entitlements, with: .latest) }

    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        query.selection == .entitlements
            ? HistoryPage(page.transactions.filter { $0.payload.type != .consumable }, next: page.next) : page
    }
}

/// Has every transaction as the latest.
private final class HasManyLatest: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery { query.replacing(.latest, with: .all) }
}

/// Leaves out the last transaction that was asked for.
private final class FindsOneTooFew: SpoiltHistory, @unchecked Sendable {
    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        if case .transactions = query.selection, page.transactions.count > 1 {
            HistoryPage(page.transactions.dropLast())
        } else {
            page
        }
    }
}

/// Finds transactions in the order in which they were sold.
private final class FindsInAnotherOrder: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery {
        var query = query
        if case .transactions(let identifiers) = query.selection {
            query.selection = .transactions(identifiers.sorted())
        }
        return query
    }
}

/// Has no refunds.
private final class RevokesNothing: SpoiltHistory, @unchecked Sendable {
    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        query.selection == .revoked ? HistoryPage([], next: page.next) : page
    }
}

/// Has no place behind its refunds.
private final class EndsWithARefund: SpoiltHistory, @unchecked Sendable {
    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        query.selection == .revoked ? HistoryPage(page.transactions) : page
    }
}

/// Has a transaction more than was asked for.
private final class IgnoresLimits: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery {
        var query = query
        if query.selection != .revoked { query.limit += 1 }
        return query
    }
}

/// Leaves out the first transaction behind a place.
private final class SkipsBetweenPages: SpoiltHistory, @unchecked Sendable {
    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        query.cursor != nil && query.limit == 1 && query.selection != .revoked
            ? HistoryPage([], next: page.next) : page
    }
}

/// Has the count of what was read as its place, which a sale moves.
private final class CountsPlaces: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery {
        guard query.isPaged else { return query }
        var query = query
        query.cursor = nil
        query.limit = .max
        return query
    }

    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        guard query.isPaged else { return page }
        let start = query.cursor.flatMap { Int($0) } ?? 0
        let rest = page.transactions.dropFirst(start)
        return HistoryPage(
            Array(rest.prefix(query.limit)),
            next: rest.count > query.limit ? "\(start + query.limit)" : nil
        )
    }
}

/// Has an empty page behind the last, and again.
private final class TurnsPagesForever: SpoiltHistory, @unchecked Sendable {
    override func question(_ query: HistoryQuery) -> HistoryQuery {
        var query = query
        if query.cursor == "end" { (query.selection, query.cursor) = (.transactions([]), nil) }
        return query
    }

    override func answer(_ page: HistoryPage, to query: HistoryQuery) -> HistoryPage {
        query.isPaged ? HistoryPage(page.transactions, next: page.next ?? "end") : page
    }
}

/// Finds no subscriptions.
private final class HasNoSubscriptions: SpoiltStore, @unchecked Sendable {
    override func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        reply(.success([]))
    }
}

/// Finds a subscription in every group.
private final class HasOneGroup: SpoiltStore, @unchecked Sendable {
    override func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
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
    fileprivate func replacing(_ selection: Selection, with other: Selection) -> HistoryQuery {
        var query = self
        if selection == self.selection { query.selection = other }
        return query
    }

    /// Whether the answer ends with a last page.
    fileprivate var isPaged: Bool {
        switch selection {
        case .all, .unfinished, .entitlements, .latest: true
        case .revoked, .transactions: false
        }
    }
}
