import Foundation

// The store as a `HistoryService`: the purchases of the account that is signed in on a device.
extension SandboxDriver {
    func history(_ query: HistoryQuery, on device: DeviceID) throws -> HistoryPage {
        let (sealer, defect) = sealer(for: device)
        let page = try read(in: sealer.signer.environment, isForApp: true) { builder -> HistoryPage in
            guard let account = builder.state.devices[device].account else { return HistoryPage([]) }
            let (transactions, next) = builder.index.answer(query, account, device, builder)
            return HistoryPage(transactions.map { sealer.unsigned(builder.payload(of: $0)) }, next: next)
        }
        guard let defect else { return page }
        // A payload with a defect is signed at once, without the store's lock, since the signer is client code.
        return HistoryPage(page.transactions.map { sealer.signed($0.content, defect) }, next: page.next)
    }

    func subscriptions(_ query: SubscriptionQuery, on device: DeviceID) throws -> [SignedSubscription] {
        let environment = payloadSigner.environment
        let standings = try read(in: environment, isForApp: true) { builder -> [PayloadBuilder.Standing] in
            guard let account = builder.state.devices[device].account else { return [] }
            switch query {
            case .all: return builder.groups(of: account).flatMap { builder.standings(of: account, in: $0) }
            case .group(let group): return builder.standings(of: account, in: group)
            case .transaction(let identifier):
                guard let transaction = builder.index[identifier], transaction.account == account else { return [] }
                let original = builder.payload(of: transaction).originalTransactionId
                // A subscription that was migrated to a generic product is in another group than its first product.
                let own = TransactionNumber(original).flatMap(builder.state.subscriptions.index(ofOriginal:))
                guard
                    let group = own.map({ builder.state.subscriptions[$0].group })
                        ?? builder.state.catalog.group(of: transaction.product)
                else { return [] }
                return builder.standings(of: account, in: group).filter {
                    $0.renewal.originalTransactionId == original
                }
            }
        }
        return standings.map { signed($0, on: device) }
    }

    func isEligibleForIntroductoryOffer(inGroup group: String, on device: DeviceID) -> Bool {
        look { driverState, _ in
            guard let account = driverState.state.devices[device].account else { return false }
            return !driverState.state.hasUsedIntroductoryOffer(account, in: group)
        }
    }

    func synchronize(on device: DeviceID) -> StoreFailure? {
        state.withLock { driverState in
            guard driverState.settings.isReachable(from: device) else { return Self.unreachable }
            guard driverState.state.devices[device].account != nil else {
                return .storeKit(.paymentCancelled, "nobody is signed in, and nobody signs in when asked")
            }
            return nil
        }
    }

    /// Notifies a listener of every change from now on, until the listener is released.
    func follow(_ listener: any HistoryListener) {
        state.withLock { driverState in
            driverState.historyRings.removeAll { $0.isOver || $0.rings(listener) }
            driverState.historyRings.append(HistoryRing(listener))
        }
    }
}

/// A weak reference to a history listener, which is notified of changes like the listener of a connection.
final class HistoryRing: UpdateListener {
    private weak let listener: (any HistoryListener)?
    private let attention: HistoryAttention?

    init(_ listener: any HistoryListener) {
        self.listener = listener
        attention = (listener as? any AttentiveHistoryListener)?.attention
    }

    var isAwaited: Bool { attention?.isOn ?? true }

    var isOver: Bool { listener == nil }

    func rings(_ other: any HistoryListener) -> Bool { listener === other }

    func updatesArrived() { listener?.historyChanged() }
}

extension SandboxDriverState {
    /// Schedules the notification of the history's listeners, and forgets those that were released.
    mutating func ringHistory() {
        var areSomeOver = false
        for ring in historyRings where ring.isAwaited {
            if ring.isOver { areSomeOver = true } else { rings.append(ring) }
        }
        if areSomeOver { historyRings.removeAll { $0.isOver } }
    }
}

// MARK: - Results

extension TransactionIndex {
    /// Returns the transactions that match a query, and the cursor of the next page; nil if there is none.
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
        let place = query.cursor.flatMap { Int($0) }
        switch query.selection {
        case .all:
            let history = history(of: account, only, isComplete: query.includesFinishedConsumables, before: place)
            return page(history.lazy.filter(builder.isListed), limit)
        case .unfinished:
            let unfinished = unfinished(of: account, only, after: place ?? 0).lazy.filter { transaction in
                self.state.transactions[transaction.number].map { self.state.isVisible($0, on: device) } ?? false
            }
            return page(unfinished, limit)
        case .entitlements:
            let found = (only.map { [$0] } ?? products(of: account)).flatMap {
                builder.entitlements(to: $0, of: account)
            }
            return page(found.newestFirst(before: place), limit)
        case .latest:
            let found = (only.map { [$0] } ?? products(of: account)).compactMap { product in
                history(of: account, product, isComplete: query.includesFinishedConsumables).first(
                    where: builder.isListedNow
                )
            }
            return page(found.newestFirst(before: place), limit)
        case .revoked:
            let (revoked, end) = revoked(of: account, after: max(place ?? 0, 0), limit: limit)
            return (revoked.filter { only == nil || $0.product == only }, String(end))
        case .transactions(let identifiers):
            let found = identifiers.compactMap { self[$0] }.filter { $0.account == account }
            return (found.filter { only == nil || $0.product == only }, nil)
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

extension [GrantedTransaction] {
    /// Returns the transactions granted before a position in the history, or all if it is nil, newest first.
    fileprivate func newestFirst(before place: Int?) -> [GrantedTransaction] {
        filter { transaction in place.map { transaction.sequence < $0 } ?? true }.sorted { $0.sequence > $1.sequence }
    }
}

extension PayloadBuilder {
    /// Returns the transactions that entitle an account to a product now: its own, and one that its family shares.
    fileprivate func entitlements(to product: ProductIndex, of account: AccountID) -> [GrantedTransaction] {
        if let group = state.catalog.group(of: product) {
            let identifier = state.catalog[product].identifier
            return standings(of: account, in: group)
                .filter { $0.transaction.productId == identifier && isEntitled($0) }
                .compactMap { index[$0.transaction.transactionId] }
        }
        guard state.catalog.kind(of: product) != .consumable else { return [] }
        let hasShare = state.families.shares(with: account).contains { $0.product == product }
        var (own, shared): (GrantedTransaction?, GrantedTransaction?)
        // Newest first, and no further than necessary: an account may have bought the product any number of times.
        for transaction in index.history(of: account, product) where isValid(transaction) {
            if index.purchase(of: transaction)?.isShared == true {
                shared = shared ?? transaction
            } else {
                own = own ?? transaction
            }
            if own != nil, shared != nil || !hasShare { break }
        }
        return [own, shared].compactMap(\.self)
    }

    /// Returns whether the status of a subscription entitles the account to the product.
    private func isEntitled(_ standing: Standing) -> Bool {
        let state = SubscriptionState(transaction: standing.transaction, renewal: standing.renewal)
        if state.isEntitled { return true }
        guard quirks?.listsUnpaidPeriods == true, state == .inBillingRetryPeriod else { return false }
        return standing.transaction.expiresDate.map { $0 > standing.renewal.signedDate } ?? false
    }

    /// Returns whether an account's list includes a transaction by now, and the transaction was not revoked.
    private func isValid(_ transaction: GrantedTransaction) -> Bool {
        state.revocations.cancellation(of: transaction.number.identifier) == nil && isListedNow(transaction)
    }

    /// Returns whether an account's list includes a transaction, and no quirk delays that.
    fileprivate func isListedNow(_ transaction: GrantedTransaction) -> Bool {
        isListed(transaction) && quirks?.conceals(transaction.number, at: now) != true
    }
}
