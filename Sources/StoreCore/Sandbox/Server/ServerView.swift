import Foundation

/// A sandbox store as the App Store's servers show it to an app's server.
///
/// Every read first performs everything due, such as renewals. A view retains the store, and copies of the view share
/// its notifications. Any thread may call any member.
package struct ServerView: Sendable {
    package let store: SandboxStore
    /// The notifications; nil until they are read.
    ///
    /// Lock order: the store's state first, then the notifications.
    let notificationFold = Locked<NotificationFold?>(nil)
    var driver: SandboxDriver { store.driver }

    /// Creates a view of a store.
    package init(_ store: SandboxStore) { self.store = store }

    /// The app's bundle identifier, as in payloads.
    package var bundleIdentifier: String { driver.bundleIdentifier }

    /// The app's version, as in payloads.
    package var bundleVersion: String { driver.bundleVersion }

    /// The app's Apple ID; nil outside of production.
    package var appAppleIdentifier: Int64? { driver.appAppleIdentifier(in: environment) }

    /// The app's Apple ID in requests for retention messages; 0 if it is unknown.
    package var anyAppAppleIdentifier: Int64 { driver.anyAppAppleIdentifier }

    /// The environment in payloads: `Sandbox`, `Production`, `Xcode` or `LocalTesting`.
    package var environment: String { driver.payloadSigner.environment }

    /// The store's clock.
    package var clock: any StoreClock { driver.clock }

    /// The quirks that the store simulates.
    package var quirks: Set<StoreQuirk> { store.quirks }

    /// Signs a payload as the store signs its JWS, possibly with a defect; see ``SandboxStore/signatureDefect``.
    ///
    /// - Parameters:
    ///   - payload: any value whose JSON is an object.
    ///   - defect: the defect; nil for the store's, if it has one.
    /// - Returns: the JWS.
    /// - Throws: the error that prevents encoding or signing the payload.
    package func sign(_ payload: some Encodable, with defect: SignatureDefect? = nil) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(payload)
        guard let defect = defect ?? driver.signing.withLock({ $0.defect }) else {
            return try driver.payloadSigner.jws(of: json)
        }
        return try driver.payloadSigner.jws(of: json, with: defect)
    }

    /// Notifies a listener of every change from now on, until the listener is released.
    package func follow(_ listener: any HistoryListener) { driver.follow(listener) }
}

// Reads. The result is nil if the store does not know the transaction.
extension ServerView {
    /// Returns a transaction of any account.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transaction(_ identifier: String) throws -> SignedValue<TransactionPayload>? {
        let payload = try driver.read(identifier) { builder, transaction in builder.payload(of: transaction) }
        return payload.map(signed)
    }

    /// Returns the payloads of transactions by identifier, without those that do not exist.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func payloads(of identifiers: [String]) throws -> [String: TransactionPayload] {
        try driver.read { builder in
            var payloads: [String: TransactionPayload] = [:]
            for identifier in identifiers { payloads[identifier] = builder.index[identifier].map(builder.payload) }
            return payloads
        }
    }

    /// Returns the subscriptions of a transaction's account, by groups in the order of the catalog.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func subscriptions(of anyTransaction: String) throws -> [ServerSubscriptionGroup]? {
        let groups = try driver.read { builder -> [(group: String, standings: [PayloadBuilder.Standing])]? in
            guard let account = builder.index[anyTransaction]?.account else { return nil }
            return builder.groups(of: account).map { ($0, builder.standings(of: account, in: $0)) }
        }
        return groups?.filter { !$0.standings.isEmpty }.map { group, standings in
            ServerSubscriptionGroup(groupIdentifier: group, subscriptions: standings.map { driver.signed($0, on: nil) })
        }
    }

    /// Returns the transactions of an order; none for an unknown order.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transactions(ofOrder orderIdentifier: String) throws -> [SignedValue<TransactionPayload>] {
        guard let number = TransactionNumber(order: orderIdentifier) else { return [] }
        let payload = try driver.read { builder -> TransactionPayload? in
            guard let transaction = builder.index[number], transaction.restored == nil,
                builder.orderIdentifier(of: transaction) == orderIdentifier
            else { return nil }
            return builder.payload(of: transaction)
        }
        return payload.map { [signed($0)] } ?? []
    }

    /// Returns the identifier of a transaction's order; nil also for a transaction that the family shares.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func orderIdentifier(of transaction: String) throws -> String? {
        try driver.read(transaction) { builder, found in builder.orderIdentifier(of: found) }
    }

    /// Returns an account's purchase of the app, by its identifier or by that of any transaction of the account.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func appTransaction(of identifier: String) throws -> SignedValue<AppTransactionPayload>? {
        let account = try driver.read { builder in
            builder.index[identifier]?.account ?? builder.index.account(ofAppTransaction: identifier)
        }
        return try account.map { try driver.signedAppTransaction(of: $0) }
    }

    /// Returns a transaction of the account whose purchase of the app has an identifier; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transaction(ofAppTransaction identifier: String) throws -> String? {
        try driver.read { builder in
            let account = builder.index.account(ofAppTransaction: identifier)
            return account.flatMap { builder.index.changes(of: $0, limit: 1) { _ in true }.first }?.number.identifier
        }
    }

    /// Returns whether an identifier is that of any account's purchase of the app.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func isAppTransaction(_ identifier: String) throws -> Bool {
        try driver.read { $0.index.account(ofAppTransaction: identifier) != nil }
    }

    /// Returns the app receipt of the first device of a transaction's account that has one; nil if no device does.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func receipt(of anyTransaction: String) throws -> Data? {
        let devices = try driver.read(anyTransaction) { builder, transaction in
            builder.state.devices.indices.filter { builder.state.devices[$0].account == transaction.account }
        }
        return (devices ?? []).lazy.compactMap { driver.appReceipt(on: $0) }.first
    }

    func signed(_ payload: TransactionPayload) -> SignedValue<TransactionPayload> { driver.signed(payload, on: nil) }
}

// The history of an account, in pages.
extension ServerView {
    /// Returns a page of the history of a transaction's account.
    ///
    /// The history contains the account's transactions in the order of their last change: a refund, an upgrade, an
    /// extension, the end of sharing and a new token each move a transaction to the end. Finished consumables that are
    /// not revoked are included only if ``ServerHistoryQuery/isComplete`` is true.
    ///
    /// - Throws: ``ServerRefusal/invalidRevision(_:)``, and the error that prevents reading the ledger.
    package func history(_ query: ServerHistoryQuery) throws -> ServerHistoryPage? {
        let isDescending = query.sort == .descending
        let found = try driver.read { builder -> Page? in
            guard let account = builder.index[query.anyTransaction]?.account else { return nil }
            let last = builder.index.lastModification
            let place = try query.revision.map { try Self.place(of: $0, isDescending ? .older : .newer, until: last) }
            let limit = max(query.limit, 1)
            let transactions = builder.index.changes(
                of: account,
                builder.products(in: query, of: account),
                isComplete: query.isComplete,
                isDescending: isDescending,
                from: place,
                limit: limit + 1
            ) { builder.isMeant($0, by: query) }
            let hasMore = transactions.count > limit
            let page = transactions.prefix(limit)
            let end = hasMore ? page.last?.modification : nil
            return Page(
                transactions: page.map(builder.payload),
                end: end ?? (isDescending ? page.last?.modification ?? place ?? 0 : last),
                hasMore: hasMore
            )
        }
        return found.map { answer($0, isDescending ? .older : .newer) }
    }

    /// Returns a page of the refunded transactions of a transaction's account, in the order of their refunds.
    ///
    /// - Throws: ``ServerRefusal/invalidRevision(_:)``, and the error that prevents reading the ledger.
    package func refunds(of anyTransaction: String, after revision: String?, limit: Int) throws -> ServerHistoryPage? {
        let found = try driver.read { builder -> Page? in
            guard let account = builder.index[anyTransaction]?.account else { return nil }
            let last = builder.index.lastRevocation
            let place = try revision.map { try Self.place(of: $0, .refunds, until: last) } ?? 0
            let limit = max(limit, 1)
            let (refunded, end, hasMore) = builder.index.refunded(of: account, after: place, limit: limit)
            return Page(transactions: refunded.map(builder.payload), end: end, hasMore: hasMore)
        }
        return found.map { answer($0, .refunds) }
    }

    private struct Page {
        let transactions: [TransactionPayload]
        let end: Int
        let hasMore: Bool
    }

    /// The kind of a revision; the raw value is the revision's prefix.
    private enum Revision: String {
        case newer = "n"
        case older = "o"
        case refunds = "r"
    }

    private func answer(_ page: Page, _ revision: Revision) -> ServerHistoryPage {
        ServerHistoryPage(
            transactions: page.transactions.map(signed),
            revision: revision.rawValue + String(page.end),
            hasMore: page.hasMore
        )
    }

    /// Returns the place that a revision names; throws if the revision is invalid or the place is later than `last`.
    private static func place(of text: String, _ revision: Revision, until last: Int) throws(ServerRefusal) -> Int {
        guard text.hasPrefix(revision.rawValue), let place = Int64(spelledBy: String(text.dropFirst())),
            0...Int64(last) ~= place
        else { throw .invalidRevision(text) }
        return Int(place)
    }
}

extension PayloadBuilder {
    /// Returns the products that a query selects; nil for all products of the account's transactions.
    fileprivate func products(in query: ServerHistoryQuery, of account: AccountID) -> [ProductIndex]? {
        if query.productIdentifiers.isEmpty, query.productTypes.isEmpty, query.groups.isEmpty { return nil }
        return index.products(of: account).filter { product in
            let isNamed =
                query.productIdentifiers.isEmpty
                || query.productIdentifiers.contains { state.catalog.index(of: $0) == product }
            let type = TransactionPayload.ProductType(state.catalog.kind(of: product))
            let isOfType = query.productTypes.isEmpty || query.productTypes.contains(type)
            let group = state.catalog.group(of: product)
            return isNamed && isOfType
                && (query.groups.isEmpty || group.map { query.groups.contains(where: $0.isExactly) } ?? false)
        }
    }

    /// Whether a query selects a transaction, apart from the condition on its product.
    fileprivate func isMeant(_ transaction: GrantedTransaction, by query: ServerHistoryQuery) -> Bool {
        guard isListed(transaction), query.startDate.map({ transaction.date >= $0 }) ?? true,
            query.endDate.map({ transaction.date < $0 }) ?? true
        else { return false }
        if let ownership = query.ownership {
            let isShared = index.purchase(of: transaction)?.isShared == true
            guard isShared == (ownership == .familyShared) else { return false }
        }
        guard query.isRevoked != nil || query.excludesRevoked else { return true }
        let isRevoked = state.revocations.cancellation(of: transaction.number.identifier) != nil
        return isRevoked == query.isRevoked ?? isRevoked && !(isRevoked && query.excludesRevoked)
    }
}

/// A server's query of an account's history.
package struct ServerHistoryQuery: Hashable, Sendable {
    /// The order of the result, by the date at which a transaction last changed.
    package enum Sort: Hashable, Sendable {
        /// Oldest first.
        case ascending
        /// Newest first.
        case descending
    }

    /// Any transaction of the account.
    package var anyTransaction: String
    /// The revision of the previous page, nil for the first page.
    package var revision: String?
    /// The maximum number of transactions in a page.
    package var limit: Int
    /// The earliest purchase date to select; nil for no limit.
    package var startDate: Date?
    /// The purchase date before which transactions are selected; nil for no limit.
    package var endDate: Date?
    /// The products to select; empty for all.
    package var productIdentifiers: Set<String>
    /// The kinds of products to select; empty for all.
    package var productTypes: Set<TransactionPayload.ProductType>
    /// The order of the result.
    package var sort: Sort
    /// The subscription groups to select; empty for all transactions, including those of products without a group.
    package var groups: Set<String>
    /// Whether to select the account's own purchases or its family's shares; nil for both.
    package var ownership: TransactionPayload.OwnershipType?
    /// Whether to select revoked or valid transactions; nil for both.
    package var isRevoked: Bool?
    /// Whether to exclude revoked transactions, regardless of ``isRevoked``.
    package var excludesRevoked: Bool
    /// Whether to include finished consumables that are not revoked.
    package var isComplete: Bool

    /// Creates a query; by default it selects everything, oldest first.
    package init(
        of anyTransaction: String,
        revision: String? = nil,
        limit: Int = 20,
        startDate: Date? = nil,
        endDate: Date? = nil,
        productIdentifiers: Set<String> = [],
        productTypes: Set<TransactionPayload.ProductType> = [],
        sort: Sort = .ascending,
        groups: Set<String> = [],
        ownership: TransactionPayload.OwnershipType? = nil,
        isRevoked: Bool? = nil,
        excludesRevoked: Bool = false,
        isComplete: Bool = true
    ) {
        self.anyTransaction = anyTransaction
        self.revision = revision
        self.limit = limit
        self.startDate = startDate
        self.endDate = endDate
        self.productIdentifiers = productIdentifiers
        self.productTypes = productTypes
        self.sort = sort
        self.groups = groups
        self.ownership = ownership
        self.isRevoked = isRevoked
        self.excludesRevoked = excludesRevoked
        self.isComplete = isComplete
    }
}

/// A page of an account's history, as a server receives it.
package struct ServerHistoryPage: Sendable {
    /// The transactions in their current state.
    package let transactions: [SignedValue<TransactionPayload>]
    /// The revision to query the next page with; that of the last page queries later changes.
    package let revision: String
    /// Whether there are more transactions now.
    package let hasMore: Bool
}

/// An account's subscriptions in a group: its own, then those that its family shares with it.
package struct ServerSubscriptionGroup: Sendable {
    /// The group.
    package let groupIdentifier: String
    /// The subscriptions; the raw value of ``SignedSubscription/state`` is the server's number, 1 to 5.
    package let subscriptions: [SignedSubscription]
}
