import StoreCore

/// A listener to the history that counts its notifications.
final class HistoryTraceListener: HistoryListener {
    private let trace: MonitoredValue<Trace>

    init(_ trace: MonitoredValue<Trace>) {
        self.trace = trace
        trace.change { [id = ObjectIdentifier(self)] in _ = $0.released.remove(id) }
    }

    deinit { trace.change { [id = ObjectIdentifier(self)] in _ = $0.released.insert(id) } }

    func historyChanged() { trace.change { $0.historyChanges += 1 } }
}

// MARK: - Questions

extension TestHarness {
    /// Throws an error if the store offers no history.
    func expectHistory() throws {
        let isOffered = try call(.historyAnswered, "a question for services") { $0.services.history != nil }
        guard isOffered else { throw Stop(reason: "the store offers no history") }
    }

    /// Calls the store's history, and waits for the result.
    func askHistory<Answer: Sendable>(
        _ what: String,
        _ body: @escaping @Sendable (any HistoryService, @escaping @Sendable (Answer) -> Void) -> Void
    ) throws -> Answer {
        let answer: Answer? = try ask(.historyAnswered, what) { backend, reply in
            guard let history = backend.services.history else { return reply(nil) }
            body(history) { reply($0) }
        }
        results.hold(.historyAnswered, answer != nil, "the store's history is not offered any more")
        guard let answer else { throw Stop(reason: "the history is gone") }
        return answer
    }

    /// Returns the value of a result; a failure breaks a promise.
    private func given<Value>(_ result: Result<Value, StoreFailure>, _ what: String) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let failure):
            results.hold(.historyAnswered, false, "\(what) was refused: \(failure)")
            throw Stop(reason: "\(what) was refused")
        }
    }

    func page(_ query: HistoryQuery) throws -> HistoryPage {
        let what = "a question about transactions"
        let page = try given(try askHistory(what) { $0.transactions(query, reply: $1) }, what)
        results.hold(.historyAnswered, true, "")
        // Transactions by identifier have no further pages.
        if case .transactions = query.selection { return page }
        let why = "a page of \(query.limit) has \(page.transactions.count) transactions"
        results.hold(.limitKept, page.transactions.count <= query.limit, why)
        return page
    }

    func subscriptions(_ query: SubscriptionQuery) throws -> [SignedSubscription] {
        let what = "a question about subscriptions"
        return try given(try askHistory(what) { $0.subscriptions(query, reply: $1) }, what)
    }

    /// Returns the identifiers on all pages of a result.
    ///
    /// `between` runs after the first page, if another follows.
    func pages(_ query: HistoryQuery, between: () throws -> Void = {}) throws -> [String] {
        var query = query
        var found: [String] = []
        for number in 1...Self.maximumPages {
            let page = try page(query)
            found += page.transactions.map(\.payload.transactionId)
            guard let next = page.next else { return found }
            query.cursor = next
            if number == 1 { try between() }
        }
        results.hold(.pagesCoverAll, false, "there was no last page among \(Self.maximumPages)")
        throw Stop(reason: "pages do not end")
    }

    /// The maximum number of pages.
    ///
    /// A result with more is considered endless, since no scenario has so many transactions.
    private static var maximumPages: Int { 100 }
}

// MARK: - Answers

extension TestHarness {
    /// Checks the transactions that a query returns, both in one page and in several.
    func expect(
        _ selection: HistoryQuery.Selection,
        ofProduct product: String? = nil,
        isComplete: Bool = false,
        are expected: [StoreTransaction],
        _ promise: ContractPromise,
        _ when: String
    ) throws {
        var query = HistoryQuery(selection, ofProduct: product)
        query.includesFinishedConsumables = isComplete
        let identifiers = expected.map(\.identifier)
        let found = try pages(query)
        let why = "the answer\(when) has transactions \(found), and expected were \(identifiers)"
        results.hold(promise, found.sorted() == identifiers.sorted(), why)
        // Skips the checks of order and pages if the transactions are wrong.
        guard found.sorted() == identifiers.sorted() else { return }
        if identifiers.count > 1 { results.hold(.historyInOrder, found == identifiers, why) }
        for limit in [1, 2, identifiers.count + 1] {
            query.limit = limit
            let paged = try pages(query)
            let why = "pages of \(limit)\(when) have transactions \(paged), and expected were \(identifiers)"
            results.hold(.pagesCoverAll, paged.sorted() == identifiers.sorted(), why)
        }
    }

    /// Checks that the history's listeners are notified of a change.
    func expectNotice<R>(of what: String, _ change: () throws -> R) throws -> R {
        let listener = HistoryTraceListener(trace)
        try call(.listenersTold, "a listener") { $0.services.history?.follow(listener) }
        try quiet()
        let count = look { $0.historyChanges }
        let result = try change()
        let isTold = wait { $0.historyChanges > count }
        results.hold(.listenersTold, isTold, "a listener was not told after \(what)")
        return withExtendedLifetime(listener) { result }
    }

    /// Checks that the history does not retain a listener.
    func expectListenerReleased() throws {
        let id = try follow()
        try quiet()
        results.hold(.receiversReleased, wait { $0.released.contains(id) }, "a listener to the history is kept")
    }

    private func follow() throws -> ObjectIdentifier {
        let listener = HistoryTraceListener(trace)
        try call(.listenersTold, "a listener") { $0.services.history?.follow(listener) }
        return ObjectIdentifier(listener)
    }
}
