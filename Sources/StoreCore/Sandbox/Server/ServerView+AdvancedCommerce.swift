import Foundation

/// A transaction as a server receives it after a request of the Advanced Commerce API.
package struct ServerTransaction: Sendable {
    /// The transaction.
    package let transaction: SignedValue<TransactionPayload>
    /// The renewal of its subscription; nil for a one-time charge.
    package let renewal: SignedValue<RenewalPayload>?
}

extension ServerView {
    /// Performs a function of the Advanced Commerce API.
    ///
    /// - Parameters:
    ///   - function: the function.
    ///   - identifier: the transaction that the function is about.
    ///   - body: the JSON of the request, which may be any data.
    /// - Returns: the transaction after the change.
    /// - Throws: ``AdvancedCommerceFault``, with nothing changed, and the ledger's errors.
    package func perform(
        _ function: AdvancedCommerceFunction,
        of identifier: String,
        _ body: Data
    ) throws -> ServerTransaction {
        let members = try AdvancedCommerceMembers(body)
        guard let number = TransactionNumber(identifier) else { throw AdvancedCommerceFault.invalidTransactionID }
        var request = AdvancedCommerceServerRequest(
            function: function,
            transaction: number,
            members: members,
            info: try members.info,
            decision: store.refundDecision,
            isProduction: environment == "Production"
        )
        let rate = store.renewalRate
        try driver.use { driverState, now in
            try driverState.refresh()
            try driverState.change(now: now) { driverState in
                let sale = try driverState.sale(number, of: driver.bundleIdentifier)
                if function == .migrate {
                    request.periodPrice = try driverState.readIndex(of: driver.bundleIdentifier) { index in
                        guard let sold = index[number], let original = index.purchase(of: sold)?.term?.original else {
                            return nil
                        }
                        return index.newestPeriod(of: original, by: sold.account)?.price
                    }
                }
                try driverState.step { state, events in
                    events += try state.events(of: request, sale, now: now, rate)
                }
            }
        }
        let found = try driver.read(identifier) { builder, transaction in
            let original = builder.index.purchase(of: transaction)?.term?.original
            let subscription = original.flatMap(builder.state.subscriptions.index(ofOriginal:))
            let renewal = subscription.flatMap { builder.standing(of: $0)?.renewal }
            return Optional((transaction: builder.payload(of: transaction), renewal: renewal))
        }
        guard let found else { throw AdvancedCommerceFault.transactionIDNotFound }
        return ServerTransaction(
            transaction: driver.signed(found.transaction, on: nil),
            renewal: found.renewal.map { driver.signed($0, on: nil) }
        )
    }
}
