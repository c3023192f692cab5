import Foundation

/// The history of all transactions, including those that the state no longer holds, replayed from a ledger's beginning.
///
/// A replay takes time in proportion to the history. A store that never needs the history never replays it.
///
/// A class, so that a long history is never copied. One thread may use it at a time.
final class LedgerHistory {
    private(set) var state = SandboxState()
    /// All transactions, in the order of their numbers.
    private(set) var transactions: [SandboxTransaction] = []
    /// The index of each transaction, by its number.
    private var places: [TransactionNumber: Int] = [:]
    /// The currency of the storefront; nil for an unknown country.
    private var currency: String? = Storefronts.usa.currency

    /// Applies the next event.
    func take(_ record: LedgerRecord) {
        let isAdmitted = !state.isDamaged || state.admits(record.event)
        state.apply(record)
        guard isAdmitted else { return }
        switch record.event {
        case .ordered(let order): add(order, .purchasing, record.date)
        case .sold(let order): add(order, .purchased, record.date)
        case .refused(let order, let failure): add(order, .failed, record.date, failure)
        case .deferred(let number): change(number) { $0.state = .deferred }
        case .approved(let order):
            if places[order.transaction] == nil { addLate(order, record.date) }
            change(order.transaction) { transaction in
                transaction.state = .purchased
                transaction.original = order.original
                transaction.chargedAmount = order.charge
                transaction.currency = order.charge == nil ? nil : currency
                transaction.expirationDate = order.subscription?.term.end
            }
        case .declined(let number, let failure): fail(number, failure)
        case .held(let order, let number):
            if places[order.transaction] == nil { add(order, .purchased, record.date) }
            change(order.transaction) { transaction in
                transaction.state = .purchased
                transaction.held = number.identifier
                transaction.original = nil
                transaction.expirationDate = nil
            }
        case .finished(let finish):
            if let number = finish.transaction { change(number) { $0.isFinished = true } }
        case .renewed(_, let number, let term, let charge):
            addUnordered(number, .renewal, original: term.original.identifier, charge: charge, expires: term.end)
        case .restored(let restoration):
            for number in restoration.transactions {
                let original = state.transactions[number]?.transaction.original?.identifier
                addUnordered(number, .restoration, original: original)
            }
        case .redeemed(let redemption): add(redemption.purchase)
        case .operator(let change): take(change, record.date)
        case .billing(.cutShort(let subscription, let term)): setEnd(term.end, ofNewestPeriodOf: subscription)
        case .unreadable, .registered, .availability, .accountAdded, .deviceAdded, .signedIn, .paymentsAllowed, .asked,
            .restoreEnded, .restoreRefused, .receiptRefreshed, .ended, .autoRenewal, .billing:
            break
        }
    }

    private func setEnd(_ end: Date, ofNewestPeriodOf subscription: SubscriptionIndex) {
        for (account, index) in state.purchasesOfNewestPeriod(of: subscription) {
            guard let number = TransactionNumber(state.accounts[account].history[index].identifier) else { continue }
            change(number) { $0.expirationDate = end }
        }
    }

    private func take(_ change: OperatorChange, _ date: Date) {
        switch change {
        case .interrupted(let order, let failure): add(order, .failed, date, failure)
        case .interruptedLater(let number, let failure): fail(number, failure)
        case .resolved(_, let purchase), .bought(let purchase): add(purchase)
        case .refunded(let refund):
            for number in refund.transactions {
                self.change(number) { transaction in
                    transaction.cancellationDate = date
                    transaction.refundedAmount = refund.amount(of: transaction.chargedAmount ?? 0)
                }
            }
        case .deleted(let deletion): forget(Set(deletion.transactions.map(\.identifier)))
        case .cleared: (transactions, places) = ([], [:])
        case .family(.shared(let sharing)): add(sharing, date)
        case .family(.unshared(_, let numbers, _)):
            for number in numbers { self.change(number) { $0.cancellationDate = date } }
        case .server(let change): take(change)
        case .storefront(let countryCode): currency = Storefronts.country(countryCode)?.currency
        case .asksToBuy, .interruptsPurchases, .appPurchase, .promoted, .newsTold, .promotionChanged, .tokenMade,
            .tokensRevoked, .family, .external:
            break
        }
    }

    private func take(_ change: ServerChange) {
        switch change {
        case .extended(let subscription, let term, _): setEnd(term.end, ofNewestPeriodOf: subscription)
        case .finished(let finish): self.change(finish.transaction) { $0.isFinished = true }
        case .refundReversed(let reversal):
            for number in reversal.transactions {
                self.change(number) { transaction in
                    transaction.cancellationDate = nil
                    transaction.refundedAmount = nil
                }
            }
        case .notExtended, .extendedAll, .tokenSet, .consumptionReported, .refundRequested, .refundDeclined,
            .consentRescinded, .notificationsBegun, .testRequested, .attempted, .retention:
            break
        case .advancedCommerce(let change):
            guard case .refunds(let refunds, false) = change.effect else { return }
            let amount = refunds.reduce(0) { $0 + Decimal($1.amount) } / 1000
            for number in change.transactions {
                self.change(number) { $0.refundedAmount = ($0.refundedAmount ?? 0) + amount }
            }
        }
    }

    /// Returns transactions and all that renew or restore them; empty for identifiers that the store never assigned.
    func transactionsAndFollowers(of identifiers: Set<String>) -> [String] {
        guard transactions.contains(where: { identifiers.contains($0.id) }) else { return [] }
        var found = identifiers
        var count = 0
        while found.count > count {
            count = found.count
            // One pass is not enough: a transaction that was approved late may have an original with a higher number.
            for transaction in transactions where transaction.original.map(found.contains) == true {
                found.insert(transaction.id)
            }
        }
        return transactions.map(\.id).filter(found.contains)
    }

    /// Returns the transaction of a number.
    func transaction(_ number: TransactionNumber) -> SandboxTransaction? { places[number].map { transactions[$0] } }

    /// Returns a transaction's chain: its original and all that renew or restore the original, oldest first.
    func chain(of identifier: String) -> [SandboxTransaction] {
        guard let root = root(of: identifier) else { return [] }
        return transactions.filter { self.root(of: $0.id) == root }
    }

    /// Returns the first transaction of a chain; nil for an identifier that the store never assigned.
    private func root(of identifier: String) -> String? {
        guard let number = TransactionNumber(identifier), let transaction = transaction(number) else { return nil }
        // A renewal refers to the subscription's first transaction, a restored one to its purchase or renewal.
        return transaction.original.flatMap { root(of: $0) } ?? transaction.id
    }

    private func add(
        _ order: StoreEvent.Order,
        _ state: StoreTransaction.State,
        _ date: Date,
        _ failure: StoreFailure? = nil
    ) {
        append(
            SandboxTransaction(
                id: order.transaction.identifier,
                origin: .purchase,
                original: order.original,
                account: order.account.map { self.state.accounts[$0].name },
                device: self.state.devices[order.device].name,
                order: order.command,
                // The catalog's text, which all of the product's transactions share.
                productIdentifier: order.product.map { self.state.catalog[$0].identifier }
                    ?? order.payment.productIdentifier,
                quantity: order.payment.quantity,
                date: date,
                state: state,
                failure: failure,
                chargedAmount: state == .purchased ? order.charge : nil,
                expirationDate: state == .purchased ? order.subscription?.term.end : nil
            ),
            order.transaction
        )
    }

    private func add(_ purchase: UnorderedPurchase) {
        let term = purchase.subscription?.term
        let original = term.flatMap { $0.original == purchase.transaction ? nil : $0.original.identifier }
        addUnordered(purchase.transaction, .purchase, original: original, charge: purchase.charge, expires: term?.end)
    }

    private func add(_ sharing: FamilyChange.Sharing, _ date: Date) {
        let first = state.families.share(sharing.key)?.transactions.first
        append(
            SandboxTransaction(
                id: sharing.transaction.identifier,
                origin: .familySharing,
                original: first == sharing.transaction ? nil : first?.identifier,
                account: state.accounts[sharing.key.member].name,
                device: nil,
                order: nil,
                productIdentifier: state.catalog[sharing.product].identifier,
                quantity: 1,
                date: date,
                state: .purchased,
                expirationDate: sharing.term?.end,
                sharedBy: state.accounts[sharing.key.purchaser].name,
                isFinished: sharing.isSilent
            ),
            sharing.transaction
        )
    }

    private func addUnordered(
        _ number: TransactionNumber,
        _ origin: SandboxTransaction.Origin,
        original: String?,
        charge: Decimal? = nil,
        expires: Date? = nil
    ) {
        guard let row = state.transactions[number] else { return }
        append(
            SandboxTransaction(
                id: number.identifier,
                origin: origin,
                original: original,
                account: row.account.map { state.accounts[$0].name },
                device: row.device.map { state.devices[$0].name },
                order: nil,
                productIdentifier: row.product.map { state.catalog[$0].identifier }
                    ?? row.transaction.payment.productIdentifier,
                quantity: row.transaction.payment.quantity,
                date: row.transaction.date,
                state: row.transaction.state,
                chargedAmount: charge,
                expirationDate: expires
            ),
            number
        )
    }

    private func append(_ transaction: SandboxTransaction, _ number: TransactionNumber) {
        var transaction = transaction
        if transaction.chargedAmount != nil { transaction.currency = currency }
        places[number] = transactions.count
        transactions.append(transaction)
    }

    private func forget(_ identifiers: Set<String>) {
        transactions.removeAll { identifiers.contains($0.id) }
        findPlaces()
    }

    /// Inserts an approved order, whose first record was lost, in the order of the transaction numbers.
    private func addLate(_ order: StoreEvent.Order, _ date: Date) {
        guard state.transactions[order.transaction] != nil else { return }
        let next = transactions.firstIndex { TransactionNumber($0.id) ?? 0 > order.transaction }
        add(order, .purchased, date)
        guard let next else { return }
        transactions.insert(transactions.removeLast(), at: next)
        findPlaces()
    }

    private func findPlaces() {
        places = [:]
        for place in transactions.indices {
            if let number = TransactionNumber(transactions[place].id) { places[number] = place }
        }
    }

    private func fail(_ number: TransactionNumber, _ failure: StoreFailure) {
        change(number) { transaction in
            transaction.state = .failed
            transaction.failure = failure
        }
    }

    private func change(_ number: TransactionNumber, _ body: (inout SandboxTransaction) -> Void) {
        if let place = places[number] { body(&transactions[place]) }
    }
}

extension StoreEvent.Order {
    /// The first transaction of the purchased subscription; nil if it is this order's own.
    ///
    /// A subscription that has ended and is bought again keeps its first transaction.
    fileprivate var original: String? {
        subscription.flatMap { $0.term.original == transaction ? nil : $0.term.original.identifier }
    }
}
