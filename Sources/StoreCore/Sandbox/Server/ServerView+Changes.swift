import Foundation

// Changes that an app's server requests. Each throws ``ServerRefusal``, with nothing changed, or the ledger's errors.
extension ServerView {
    /// Extends the renewal date of an active subscription: its running period ends later.
    ///
    /// - Parameters:
    ///   - original: the first transaction of the subscription.
    ///   - days: 1 to 90; they pass at the store's ``SandboxStore/renewalRate``.
    ///   - reason: the reason's code in the App Store Server API, 0 to 3.
    ///   - request: the server's identifier of the request.
    /// - Returns: the server's response.
    /// - Throws: ``ServerRefusal``, and the ledger's errors.
    package func extendRenewal(of original: String, days: Int, reason: Int, request: String) throws -> ServerExtension {
        let request = RenewalExtension(days: days, reason: reason, request: request)
        try request.check()
        let (number, period) = try driver.read { builder -> (TransactionNumber, String?) in
            let first = try builder.original(original)
            let payload = builder.payload(of: first)
            guard payload.type.renews else { throw ServerRefusal.notSubscription(original) }
            guard payload.inAppOwnershipType == .purchased else { throw ServerRefusal.familyShared(original) }
            let newest = builder.index.newestPeriod(of: first.number, by: first.account)
            return (first.number, newest?.period?.identifier)
        }
        var effectiveDate = Date.distantPast
        let rate = store.renewalRate
        try driver.change { state, events, now in
            let change = try state.extend(number, request, at: now, rate)
            if case .extended(_, let term, _) = change { effectiveDate = term.end }
            events.append(LedgerRecord(date: now, event: .operator(.server(change))))
        }
        return ServerExtension(
            originalTransactionIdentifier: original,
            webOrderLineItemIdentifier: period,
            effectiveDate: effectiveDate
        )
    }

    /// Extends the renewal dates of all active subscriptions of a product in some countries, at once.
    ///
    /// The countries are ISO 3166-1 alpha-3; an empty array selects all. A request does nothing if its identifier was
    /// used before for the product.
    package func extendRenewals(
        of product: String,
        days: Int,
        reason: Int,
        request: String,
        storefronts: [String]
    ) throws {
        let request = RenewalExtension(days: days, reason: reason, request: request)
        try request.check()
        // A subscription's country is that of its newest period, which only the index contains.
        let countries = storefronts.isEmpty ? [:] : try driver.read { $0.countriesOfSubscriptions }
        let rate = store.renewalRate
        try driver.change { state, events, now in
            guard let index = state.catalog.index(of: product), state.catalog.group(of: index) != nil else {
                throw ServerRefusal.unknownProduct(product)
            }
            let changes = state.extendAll(of: index, request, storefronts: storefronts, at: now, rate) { subscription in
                storefronts.isEmpty || storefronts.contains(countries[subscription] ?? state.catalog.countryCode)
            }
            for change in changes { events.append(LedgerRecord(date: now, event: .operator(.server(change)))) }
        }
    }

    /// Returns the outcome of an extension for all subscribers; nil if the request was never made.
    package func massExtension(of product: String, request: String) throws -> ServerMassExtension? {
        let found = driver.look { driverState, _ in
            driverState.state.catalog.index(of: product).flatMap {
                driverState.state.server.massExtension(of: $0, request: request)
            }
        }
        return found.map { found in
            ServerMassExtension(
                requestIdentifier: request,
                isComplete: true,
                completeDate: found.date,
                succeededCount: found.outcome.succeeded,
                failedCount: found.outcome.failed
            )
        }
    }

    /// Sets the app account token of a purchase, or of a subscription's transactions and its future renewals.
    package func setAppAccountToken(_ token: UUID, ofOriginal original: String) throws {
        let first = try driver.read { builder -> GrantedTransaction in
            let first = try builder.original(original)
            guard builder.index.purchase(of: first)?.isShared != true else {
                throw ServerRefusal.familyShared(original)
            }
            return first
        }
        try driver.change { _, events, now in
            let change = ServerChange.tokenSet(original: first.number, account: first.account, token: token)
            events.append(LedgerRecord(date: now, event: .operator(.server(change))))
        }
    }

    /// Records a server's report on the consumption of a purchase, a JSON object, and decides a pending refund request
    /// by it if the store's decision is ``RefundDecision/followServer``.
    package func takeConsumption(
        _ report: Data,
        of transaction: String,
        preference: ServerRefundPreference = .grant
    ) throws {
        guard (try? UntrustedJSON.object(from: report)) is [String: Any] else { throw ServerRefusal.invalidReport }
        let number = try number(of: transaction)
        let change = ServerChange.consumptionReported(transaction: number, report: report)
        // Without a decision, the transaction's sale need not be read.
        guard store.refundDecision == .followServer else {
            return try driver.change { _, events, now in
                events.append(LedgerRecord(date: now, event: .operator(.server(change))))
            }
        }
        try driver.change(selling: number) { state, sale, events, now in
            events.append(LedgerRecord(date: now, event: .operator(.server(change))))
            guard let sale, state.server.isRefundUndecided(of: number) else { return }
            let history = state.accounts[sale.account].history
            let term = history.index(of: number).flatMap { history[$0].term }
            let thousandths = preference.refunded(of: term, at: now)
            if thousandths > 0 {
                events.append(try state.refund(number, of: sale, RefundShare(thousandths: thousandths), now: now))
            } else {
                let decline = ServerChange.refundDeclined(transaction: number)
                events.append(LedgerRecord(date: now, event: .operator(.server(decline))))
            }
        }
    }

    /// Finishes a transaction on all devices; does nothing if it is finished already.
    package func finish(_ transaction: String) throws {
        let number = try number(of: transaction)
        try driver.change { state, events, now in
            guard let change = state.finish(byServer: number) else { return }
            events.append(LedgerRecord(date: now, event: .operator(.server(change))))
        }
    }

    private func number(of transaction: String) throws -> TransactionNumber {
        guard let number = try driver.read(transaction, { _, found in found.number }) else {
            throw ServerRefusal.unknownTransaction(transaction)
        }
        return number
    }
}

extension ServerRefundPreference {
    /// Returns the share of a purchase's price to refund, in thousandths of a percent.
    fileprivate func refunded(of term: SubscriptionTerm?, at now: Date) -> Int {
        switch self {
        case .decline: return 0
        case .grant: return Refund.whole
        case .prorate(let consumed?): return min(max(Refund.whole - consumed, 0), Refund.whole)
        case .prorate(nil):
            return term?.remainingShare(at: now) ?? Refund.whole
        }
    }
}

extension PayloadBuilder {
    /// Returns the transaction with an identifier, which has to be the first transaction of a purchase.
    fileprivate func original(_ identifier: String) throws(ServerRefusal) -> GrantedTransaction {
        guard let transaction = index[identifier] else { throw .unknownOriginalTransaction(identifier) }
        guard payload(of: transaction).originalTransactionId == identifier else {
            throw .notOriginalTransaction(identifier)
        }
        return transaction
    }

    /// The country of each subscription's newest period.
    fileprivate var countriesOfSubscriptions: [SubscriptionIndex: String] {
        var countries: [SubscriptionIndex: String] = [:]
        for subscription in state.subscriptions.indices {
            let (account, term) = (state.subscriptions[subscription].account, state.subscriptions[subscription].term)
            let period = index.newestPeriod(of: term.original, by: account)
            countries[subscription] = period?.country?.storefront.countryCode
        }
        return countries
    }
}

/// The outcome of extending a subscription's renewal date.
package struct ServerExtension: Hashable, Sendable {
    /// The first transaction of the subscription.
    package let originalTransactionIdentifier: String
    /// The extended period's identifier.
    package let webOrderLineItemIdentifier: String?
    /// The new renewal date.
    package let effectiveDate: Date
}

/// The outcome of extending the renewal dates of all subscribers of a product.
package struct ServerMassExtension: Hashable, Sendable {
    /// The server's identifier of the request.
    package let requestIdentifier: String
    /// Whether the request is complete, which is always true: the store completes it at once.
    package let isComplete: Bool
    /// The date of completion.
    package let completeDate: Date
    /// The number of extended subscriptions.
    package let succeededCount: Int
    /// The number of subscriptions that could not be extended.
    package let failedCount: Int
}
