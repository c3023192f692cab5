import Foundation

extension StoreEvent {
    /// The effect of an event on the transactions and subscriptions that accounts hold.
    ///
    /// Events are classified in ``effect`` alone. The rules of family sharing, and every fold except the state's own,
    /// switch over effects, so the compiler reports each place that does not handle a new effect.
    enum Effect {
        /// A purchase was charged and its product granted.
        case grants(Purchase)
        /// A purchase was satisfied by the account's existing transaction, but may change how a subscription renews.
        case grantsNothing(Purchase)
        /// A subscription's next period began.
        case renews(SubscriptionIndex, TransactionNumber, SubscriptionTerm, charge: Decimal)
        /// Past purchases were delivered again, as new transactions.
        case restores(Range<TransactionNumber>)
        /// A member received a share in another member's purchase.
        case shares(FamilyChange.Sharing)
        /// A refund revoked transactions.
        case refunds(Refund)
        /// A member lost a share, which revoked transactions.
        case unshares(FamilyChange.Key, [TransactionNumber])
        /// The reversal of a refund reinstated transactions.
        case reversesRefund(RefundReversal)
        /// Transactions were deleted.
        case deletes([TransactionNumber])
        /// All transactions were deleted.
        case deletesAll
        /// A transaction was finished.
        case finishes(TransactionNumber)
        /// A subscription has ended.
        case ends(SubscriptionIndex)
        /// The end of a subscription's running period changed.
        case changesEnd(of: SubscriptionIndex)
        /// Details of transactions changed that concern neither access nor the period.
        case changesDetails(of: [TransactionNumber])
        /// A purchase or a subscription was assigned to another user of the app.
        case setsToken(of: TransactionNumber, account: AccountID)
        /// The products that families may share changed.
        case changesCatalog
        /// The members of a family changed.
        case changesMembers(of: FamilyID)
        /// An account turned the sharing of its purchases on or off.
        case changesSharing(by: AccountID)
        case nothing

        fileprivate init(_ purchase: UnorderedPurchase) {
            self = purchase.held == nil ? .grants(Purchase(purchase)) : .grantsNothing(Purchase(purchase))
        }
    }

    /// A purchase by an account, whether or not a queue ordered it.
    struct Purchase {
        let account: AccountID
        let product: ProductIndex
        let transaction: TransactionNumber
        let payment: StorePayment
        let charge: Decimal?
        /// The effect of the purchase on a subscription.
        let subscription: SubscriptionChange?
        /// Whether the payment has a request of Advanced Commerce.
        var isRequested: Bool { payment.requestData != nil }

        /// Returns nil for an order of an unknown product, or without an account.
        fileprivate init?(_ order: Order) {
            guard let account = order.account, let product = order.product else { return nil }
            self.account = account
            self.product = product
            transaction = order.transaction
            payment = order.payment
            charge = order.charge
            subscription = order.subscription
        }

        fileprivate init(_ purchase: UnorderedPurchase) {
            account = purchase.account
            product = purchase.product
            transaction = purchase.transaction
            payment = purchase.payment
            charge = purchase.charge
            subscription = purchase.subscription
        }
    }

    /// The effect of the event; ``Effect/nothing`` if it changes no transaction or subscription of an account.
    var effect: Effect {
        switch self {
        case .sold(let order), .approved(let order): Purchase(order).map { .grants($0) } ?? .nothing
        case .held(let order, _): Purchase(order).map { .grantsNothing($0) } ?? .nothing
        case .redeemed(let redemption): Effect(redemption.purchase)
        case .renewed(let subscription, let number, let term, let charge):
            .renews(subscription, number, term, charge: charge)
        case .restored(let restoration): .restores(restoration.transactions)
        case .finished(let finish): finish.transaction.map { .finishes($0) } ?? .nothing
        case .ended(let subscription, _): .ends(subscription)
        case .registered: .changesCatalog
        case .operator(let change): change.effect
        case .billing(let change): change.effect
        case .unreadable, .availability, .accountAdded, .deviceAdded, .signedIn, .paymentsAllowed, .ordered, .refused,
            .asked, .deferred, .declined, .restoreEnded, .restoreRefused, .receiptRefreshed, .autoRenewal:
            .nothing
        }
    }
}

extension OperatorChange {
    fileprivate var effect: StoreEvent.Effect {
        switch self {
        case .resolved(_, let purchase), .bought(let purchase): StoreEvent.Effect(purchase)
        case .refunded(let refund): .refunds(refund)
        case .deleted(let deletion): .deletes(deletion.transactions)
        case .cleared: .deletesAll
        case .family(let change): change.effect
        case .server(let change): change.effect
        case .asksToBuy, .interruptsPurchases, .interrupted, .interruptedLater, .storefront, .promoted, .newsTold,
            .promotionChanged, .tokenMade, .tokensRevoked, .appPurchase, .external:
            .nothing
        }
    }
}

extension FamilyChange {
    fileprivate var effect: StoreEvent.Effect {
        switch self {
        case .shared(let sharing): .shares(sharing)
        case .unshared(let key, let transactions, _): .unshares(key, transactions)
        case .joined(let family, _), .left(let family, _): .changesMembers(of: family)
        case .sharing(let account, _): .changesSharing(by: account)
        case .founded: .nothing
        }
    }
}

extension ServerChange {
    fileprivate var effect: StoreEvent.Effect {
        switch self {
        case .extended(let subscription, _, _): .changesEnd(of: subscription)
        case .tokenSet(let original, let account, _): .setsToken(of: original, account: account)
        case .refundReversed(let reversal): .reversesRefund(reversal)
        case .finished(let finish): .finishes(finish.transaction)
        case .advancedCommerce(let change): .changesDetails(of: change.transactions)
        case .notExtended, .extendedAll, .consumptionReported, .refundRequested, .refundDeclined, .consentRescinded,
            .notificationsBegun, .testRequested, .attempted, .retention:
            .nothing
        }
    }
}

extension BillingChange {
    fileprivate var effect: StoreEvent.Effect {
        switch self {
        case .cutShort(let subscription, _): .changesEnd(of: subscription)
        case .fails, .gracePeriod, .renewalLimit, .renewalFailed, .graceEnded, .leftOut, .priceIncrease: .nothing
        }
    }
}
