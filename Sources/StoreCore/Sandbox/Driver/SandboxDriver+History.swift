import Foundation

// The store as a HistoryService: what the account that is signed in on a device has bought.
extension SandboxDriver {
    func history(_ query: HistoryQuery, on device: DeviceID) throws -> HistoryPage {
        let (payloads, next) = try read { builder -> ([TransactionPayload], String?) in
            guard let account = builder.state.devices[device].account else { return ([], nil) }
            let (transactions, next) = builder.index.answer(query, account, device, builder)
            return (transactions.map(builder.payload), next)
        }
        return HistoryPage(payloads.map { signed($0, "transaction \($0.transactionId)", on: device) }, next: next)
    }

    func subscriptions(_ query: SubscriptionQuery, on device: DeviceID) throws -> [SignedSubscription] {
        let standings = try read { builder -> [PayloadBuilder.Standing] in
            guard let account = builder.state.devices[device].account else { return [] }
            switch query {
            case .all: return builder.groups(of: account).flatMap { builder.standings(of: account, in: $0) }
            case .group(let group): return builder.standings(of: account, in: group)
            case .transaction(let identifier):
                guard let transaction = builder.index[identifier], transaction.account == account,
                    let group = builder.state.catalog.group(of: transaction.product)
                else { return [] }
                let original = builder.payload(of: transaction).originalTransactionId
                return builder.standings(of: account, in: group).filter {
                    $0.renewal.originalTransactionId == original
                }
            }
        }
        return standings.map { signed($0, on: device) }
    }

    func isEligibleForIntroductoryOffer(inGroup group: String, on device: DeviceID) -> Bool {
        look { shell, _ in
            guard let account = shell.state.devices[device].account else { return false }
            guard let index = shell.state.subscriptions.index(of: group, account: account) else { return true }
            return !shell.state.subscriptions[index].hasUsedIntroductoryOffer
        }
    }

    func synchronize(on device: DeviceID) -> StoreFailure? {
        shell.withLock { shell in
            guard shell.settings.isReachable(from: device) else { return Self.unreachable }
            guard shell.state.devices[device].account != nil else {
                return .storeKit(.paymentCancelled, "nobody is signed in, and nobody signs in when asked")
            }
            return nil
        }
    }

    /// Notifies a listener of every change from now on, as long as it lives.
    func follow(_ listener: any HistoryListener) {
        shell.withLock { $0.historyRings.append(HistoryRing(listener)) }
    }
}

/// A weak reference to a listener, notified as a connection's end is.
final class HistoryRing: NewsListener {
    private weak let listener: (any HistoryListener)?

    init(_ listener: any HistoryListener) { self.listener = listener }

    var isOver: Bool { listener == nil }

    func newsArrived() { listener?.historyChanged() }
}

extension SandboxDriverState {
    /// Has the listeners to the history notified.
    mutating func ringHistory() {
        historyRings.removeAll { $0.isOver }
        rings += historyRings as [any NewsListener]
    }
}

// MARK: - Answers

extension TransactionIndex {
    /// Returns the transactions that answer a query, and the place behind which the next page begins.
    fileprivate func answer(
        _ query: HistoryQuery,
        _ account: AccountID,
        _ device: DeviceID,
        _ builder: PayloadBuilder
    ) -> ([GrantedTransaction], next: String?) {
        let product = query.productIdentifier.map { state.catalog.index(of: $0) }
        // A product that nobody has registered has no transactions.
        if case .some(nil) = product { return ([], nil) }
        let only = product ?? nil
        let limit = max(query.limit, 1)
        switch query.selection {
        case .all:
            let history = history(
                of: account,
                only,
                isComplete: query.includesFinishedConsumables,
                before: query.cursor.flatMap { Int($0) }
            )
            return page(history.lazy.filter(builder.isListed), limit)
        case .unfinished:
            var unfinished: [GrantedTransaction] = []
            state.transactions.forEachTransaction { number, row in
                guard state.isVisible(row, on: device), let transaction = self[number],
                    only == nil || transaction.product == only
                else { return }
                unfinished.append(transaction)
            }
            // Granted in another order than numbered, if some of them had to wait.
            unfinished.sort { $0.sequence < $1.sequence }
            let cursor = query.cursor.flatMap { Int($0) } ?? 0
            return page(unfinished.lazy.filter { $0.sequence > cursor }, limit)
        case .entitlements:
            let found = (only.map { [$0] } ?? products(of: account)).compactMap {
                builder.entitlement(to: $0, of: account)
            }
            return (found.sorted { $0.sequence > $1.sequence }, nil)
        case .latest:
            let found = (only.map { [$0] } ?? products(of: account)).compactMap { product in
                history(of: account, product, isComplete: query.includesFinishedConsumables).first(
                    where: builder.isListed
                )
            }
            return (found.sorted { $0.sequence > $1.sequence }, nil)
        case .revoked:
            // Another account's place is none of this one's.
            let cursor = query.cursor?.split(separator: ".").compactMap { Int($0) } ?? []
            let place = cursor.count == 2 && cursor[0] == account.rawValue ? max(cursor[1], 0) : 0
            let (revoked, end) = revoked(of: account, after: place, limit: limit)
            return (revoked.filter { only == nil || $0.product == only }, "\(account.rawValue).\(end)")
        case .transactions(let identifiers):
            return (identifiers.compactMap { self[$0] }.filter { $0.account == account }, nil)
        }
    }

    private func page(
        _ transactions: some Sequence<GrantedTransaction>,
        _ limit: Int
    ) -> ([GrantedTransaction], next: String?) {
        var page: [GrantedTransaction] = []
        for transaction in transactions {
            if page.count == limit { return (page, page.last.map { String($0.sequence) }) }
            page.append(transaction)
        }
        return (page, nil)
    }
}

extension PayloadBuilder {
    /// The groups in which an account ever had a subscription of its own or of its family's.
    fileprivate func groups(of account: AccountID) -> [String] {
        var groups: [String] = []
        for product in index.products(of: account) {
            guard let group = state.catalog.group(of: product), !groups.contains(group) else { continue }
            groups.append(group)
        }
        return groups
    }

    /// Returns the transaction that entitles an account to a product now; nil if none does.
    fileprivate func entitlement(to product: ProductIndex, of account: AccountID) -> GrantedTransaction? {
        if let group = state.catalog.group(of: product) {
            let identifier = state.catalog[product].identifier
            return standings(of: account, in: group)
                .first { $0.transaction.productId == identifier && SubscriptionState($0).isEntitled }
                .flatMap { index[$0.transaction.transactionId] }
        }
        guard state.catalog.kind(of: product) != .consumable else { return nil }
        return index.history(of: account, product).first { transaction in
            state.revocations.cancellation(of: transaction.number.identifier) == nil && isListed(transaction)
        }
    }
}

extension SubscriptionState {
    fileprivate init(_ standing: PayloadBuilder.Standing) {
        self.init(transaction: standing.transaction, renewal: standing.renewal)
    }
}
