import Foundation

// Reading. Nil is the answer where the store does not know the transaction.
extension ServerView {
    /// Returns a transaction of any account.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transaction(_ identifier: String) throws -> SignedValue<TransactionPayload>? {
        let payload = try core.read(identifier) { builder, transaction in builder.payload(of: transaction) }
        return payload.map(signed)
    }

    /// Returns the payloads of those transactions that there are.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func payloads(of identifiers: [String]) throws -> [String: TransactionPayload] {
        try core.read { builder in
            var payloads: [String: TransactionPayload] = [:]
            for identifier in identifiers { payloads[identifier] = builder.index[identifier].map(builder.payload) }
            return payloads
        }
    }

    /// Returns the subscriptions of a transaction's account, by groups in the order of the catalog.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func subscriptions(of anyTransaction: String) throws -> [ServerSubscriptionGroup]? {
        let groups = try core.read { builder -> [(group: String, standings: [PayloadBuilder.Standing])]? in
            guard let account = builder.index[anyTransaction]?.account else { return nil }
            return builder.groups(of: account).map { ($0, builder.standings(of: account, in: $0)) }
        }
        return groups?.filter { !$0.standings.isEmpty }.map { group, standings in
            ServerSubscriptionGroup(
                groupIdentifier: group,
                subscriptions: standings.map { core.signed($0, on: nil) }
            )
        }
    }

    /// Returns the transactions of an order; none for an order that the store does not know.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transactions(ofOrder orderIdentifier: String) throws -> [SignedValue<TransactionPayload>] {
        guard let number = TransactionNumber(order: orderIdentifier) else { return [] }
        let payload = try core.read { builder -> TransactionPayload? in
            guard let transaction = builder.index[number], transaction.restored == nil,
                builder.orderIdentifier(of: transaction) == orderIdentifier
            else { return nil }
            return builder.payload(of: transaction)
        }
        return payload.map { [signed($0)] } ?? []
    }

    /// Returns the identifier of the order that a transaction belongs to; nil also for what the family shares.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func orderIdentifier(of transaction: String) throws -> String? {
        try core.read(transaction) { builder, found in builder.orderIdentifier(of: found) }
    }

    /// Returns the purchase of the app by the account of a transaction, or the one that has an identifier itself.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func appTransaction(of identifier: String) throws -> SignedValue<AppTransactionPayload>? {
        let account = try core.read { builder in
            builder.index[identifier]?.account ?? builder.index.account(ofAppTransaction: identifier)
        }
        return try account.map { try core.signedAppTransaction(of: $0) }
    }

    /// Returns a transaction of the account whose purchase of the app has an identifier; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func transaction(ofAppTransaction identifier: String) throws -> String? {
        try core.read { builder in
            let account = builder.index.account(ofAppTransaction: identifier)
            return account.flatMap { builder.index.changes(of: $0, limit: 1) { _ in true }.first }?.number.identifier
        }
    }

    /// Returns whether the purchase of the app by any account has an identifier.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func isAppTransaction(_ identifier: String) throws -> Bool {
        try core.read { $0.index.account(ofAppTransaction: identifier) != nil }
    }

    /// Returns the app receipt of the first device on which a transaction's account is signed in and that has one; nil if
    /// there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func receipt(of anyTransaction: String) throws -> Data? {
        let devices = try core.read(anyTransaction) { builder, transaction in
            builder.state.devices.indices.filter { builder.state.devices[$0].account == transaction.account }
        }
        return (devices ?? []).lazy.compactMap { core.appReceipt(on: $0) }.first
    }

    func signed(_ payload: TransactionPayload) -> SignedValue<TransactionPayload> {
        core.signed(payload, on: nil)
    }
}
