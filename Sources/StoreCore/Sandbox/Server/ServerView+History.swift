import Foundation

// The history of an account, in pages.
extension ServerView {
    /// Returns a page of the history of a transaction's account.
    ///
    /// It has all of the account's transactions, finished consumables too if it is to be complete, in the order in which they
    /// last changed: a refund, an upgrade, an extension, the end of sharing and a new token each move a transaction to the end.
    ///
    /// - Throws: ``ServerRefusal/invalidRevision(_:)``, and the error that prevents reading the ledger.
    package func history(_ query: ServerHistoryQuery) throws -> ServerHistoryPage? {
        let isDescending = query.sort == .descending
        let found = try core.read { builder -> Page? in
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
    package func refunds(
        of anyTransaction: String,
        after revision: String?,
        limit: Int
    ) throws -> ServerHistoryPage? {
        let found = try core.read { builder -> Page? in
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

    /// The kind of a revision, by which it begins.
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

    /// Returns the place that a revision names, which is none that comes later than the last.
    private static func place(of text: String, _ revision: Revision, until last: Int) throws(ServerRefusal) -> Int {
        guard text.hasPrefix(revision.rawValue), let place = Int64(spelledBy: String(text.dropFirst())),
            0...Int64(last) ~= place
        else { throw .invalidRevision(text) }
        return Int(place)
    }
}

extension PayloadBuilder {
    /// Returns the products that a query is for; nil for all that the account has transactions of.
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

    /// Whether a query is for a transaction of one of its products.
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
