import Foundation
import StoreCore

// What changes nothing.
extension ServerAPI {
    func transaction(_ identifier: String) throws -> HTTPResponse {
        guard let transaction = try view.transaction(try checked(identifier)) else { throw try unknown(identifier) }
        return object(["signedTransactionInfo": .text(try transaction.jws)])
    }

    func appTransaction(of identifier: String) throws -> HTTPResponse {
        // Also of an account that has bought nothing yet.
        guard let known = try view.appTransaction(of: try checked(identifier)) else {
            throw APIError.transactionIdentifierNotFound
        }
        return object(["signedAppTransactionInfo": .text(try known.jws)])
    }

    func history(
        of identifier: String,
        _ query: [HTTPRequest.QueryItem],
        isComplete: Bool
    ) throws -> HTTPResponse {
        var meant = try HistoryQueryReader(query).query(of: try checked(identifier), limit: Self.pageSize)
        meant.isComplete = isComplete
        let page = try answer(about: identifier) { identifier in
            meant.anyTransaction = identifier
            return try view.history(meant)
        }
        return object(try app.merging(members(page)) { $1 })
    }

    func refunds(of identifier: String, _ query: [HTTPRequest.QueryItem], isPaged: Bool) throws -> HTTPResponse {
        let revision = isPaged ? query.last { $0.name == "revision" }?.value : nil
        // The first version has no pages, and shows the first 50.
        let limit = isPaged ? Self.pageSize : 50
        let page = try answer(about: identifier) { try view.refunds(of: $0, after: revision, limit: limit) }
        let members = try members(page)
        return object(isPaged ? members : members.filter { $0.key == "signedTransactions" })
    }

    private func members(_ page: ServerHistoryPage) throws -> [String: AnswerValue] {
        [
            "revision": .text(page.revision), "hasMore": .bool(page.hasMore),
            "signedTransactions": .list(try page.transactions.map { .text(try $0.jws) }),
        ]
    }

    func subscriptions(of identifier: String, _ query: [HTTPRequest.QueryItem]) throws -> HTTPResponse {
        let states = try query.filter { $0.name == "status" }.map { item in
            guard let number = Int(item.value), let state = SubscriptionState(rawValue: number) else {
                throw APIError.invalidStatus
            }
            return state
        }
        let groups = try answer(about: identifier) { try view.subscriptions(of: $0) }
        let data = try groups.compactMap { group -> AnswerValue? in
            let meant = group.subscriptions.filter { states.isEmpty || states.contains($0.state) }
            if meant.isEmpty { return nil }
            return .object([
                "subscriptionGroupIdentifier": .text(group.groupIdentifier),
                "lastTransactions": .list(try meant.map { AnswerValue.object(try members($0)) }),
            ])
        }
        return object(app.merging(["data": .list(data)]) { $1 })
    }

    private func members(_ subscription: SignedSubscription) throws -> [String: AnswerValue] {
        [
            "status": .number(subscription.state.rawValue),
            "originalTransactionId": .text(subscription.renewal.payload.originalTransactionId),
            "signedTransactionInfo": .text(try subscription.transaction.jws),
            "signedRenewalInfo": .text(try subscription.renewal.jws),
        ]
    }

    func order(_ identifier: String) throws -> HTTPResponse {
        orderAnswer(try view.transactions(ofOrder: identifier).map { try $0.jws })
    }

    /// Returns the answer about an order: status 0 with its transactions, or 1 for one that is unknown.
    func orderAnswer(_ transactions: [String]) -> HTTPResponse {
        object([
            "status": .number(transactions.isEmpty ? 1 : 0),
            "signedTransactions": .list(transactions.map { .text($0) }),
        ])
    }

    /// Returns what is known of the account of a transaction, or of an app transaction.
    private func answer<Answer>(about identifier: String, _ read: (String) throws -> Answer?) throws -> Answer {
        if let answer = try read(try checked(identifier)) { return answer }
        guard let some = try view.transaction(ofAppTransaction: identifier), let answer = try read(some) else {
            throw APIError.transactionIdentifierNotFound
        }
        return answer
    }

    /// Returns the error of an identifier that is no transaction's.
    func unknown(_ identifier: String) throws -> APIError {
        try view.isAppTransaction(identifier) ? .appTransactionIdentifierNotSupported : .transactionIdentifierNotFound
    }
}
