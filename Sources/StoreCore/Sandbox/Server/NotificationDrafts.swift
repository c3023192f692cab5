import Foundation

/// The notifications that servers receive about one record, determined after the record was applied.
///
/// Restores, and transactions that family members receive, cause no notifications; the end of sharing does.
struct NotificationDrafts {
    struct Draft {
        enum Content {
            case transaction(TransactionPayload, RenewalPayload?, status: Int?, reason: String?)
            case summary(ServerNotification.Summary)
            case test(token: String)
            case app(AppTransactionPayload)
            case external(ExternalPurchaseToken)
        }

        let kind: NotificationKind
        let detail: NotificationKind.Detail?
        let content: Content
    }

    private(set) var all: [Draft] = []
    private let builder: PayloadBuilder
    private let appTransaction: (AccountID, PayloadBuilder) -> AppTransactionPayload

    init(_ builder: PayloadBuilder, _ appTransaction: @escaping (AccountID, PayloadBuilder) -> AppTransactionPayload) {
        self.builder = builder
        self.appTransaction = appTransaction
    }

    private var state: SandboxState { builder.state }

    /// Adds the notifications of an event; `past` is nil until notifications begin, when only tests are sent.
    mutating func add(_ event: StoreEvent, _ past: Past?) {
        if case .operator(.server(.testRequested(let token))) = event {
            all.append(Draft(kind: .test, detail: nil, content: .test(token: token)))
        }
        guard let past else { return }
        if let purchase = past.purchase { return add(purchase, past) }
        switch event {
        case .renewed(let subscription, _, _, _): add(.renewed, past.isInTrouble ? .billingRecovery : nil, subscription)
        case .ended(let subscription, let end): add(.expired, .init(end), subscription)
        case .autoRenewal(let subscription, let isOn):
            add(.statusChanged, isOn ? .autoRenewEnabled : .autoRenewDisabled, subscription)
        case .billing(let change): add(change)
        case .operator(let change): add(change)
        case .unreadable, .registered, .availability, .accountAdded, .deviceAdded, .signedIn, .paymentsAllowed,
            .ordered, .refused, .sold, .asked, .deferred, .approved, .held, .declined, .finished, .restored,
            .restoreEnded, .restoreRefused, .receiptRefreshed, .redeemed:
            break
        }
    }

    private mutating func add(_ change: OperatorChange) {
        switch change {
        case .refunded(let refund): add(.refunded, refund.transactions)
        case .family(.unshared(_, let transactions, _)): add(.revoked, transactions)
        case .server(let change): add(change)
        case .external(let change): add(change)
        case .asksToBuy, .interruptsPurchases, .interrupted, .interruptedLater, .resolved, .bought, .storefront,
            .appPurchase, .promoted, .newsTold, .promotionChanged, .tokenMade, .tokensRevoked, .deleted, .cleared,
            .family:
            break
        }
    }

    private mutating func add(_ change: BillingChange) {
        switch change {
        case .renewalFailed(let subscription, let trouble):
            add(.renewalFailed, trouble.graceEnd == nil ? nil : .gracePeriod, subscription)
        case .graceEnded(let subscription): add(.graceOver, nil, subscription)
        case .priceIncrease(let subscription, let increase):
            switch increase?.consent {
            case .pending: add(.priceIncrease, .pending, subscription)
            case .agreed: add(.priceIncrease, .accepted, subscription)
            case nil: break
            }
        case .fails, .gracePeriod, .renewalLimit, .leftOut, .cutShort: break
        }
    }

    private mutating func add(_ change: ServerChange) {
        switch change {
        case .extended(let subscription, _, _): add(.extended, nil, subscription)
        case .notExtended(let subscription, _): add(.extensionDone, .failure, subscription)
        case .extendedAll(let outcome):
            let summary = ServerNotification.Summary(
                requestIdentifier: outcome.request,
                productIdentifier: state.catalog[outcome.product].identifier,
                storefrontCountryCodes: outcome.storefronts,
                succeededCount: outcome.succeeded,
                failedCount: outcome.failed
            )
            all.append(Draft(kind: .extensionDone, detail: .summary, content: .summary(summary)))
        case .refundRequested(let transaction, let reason): add(.consumptionRequested, [transaction], reason: reason)
        case .refundDeclined(let transaction): add(.refundDeclined, [transaction])
        case .refundReversed(let reversal): add(.refundReversed, reversal.transactions)
        case .consentRescinded(let account):
            all.append(Draft(kind: .consentRescinded, detail: nil, content: .app(appTransaction(account, builder))))
        case .advancedCommerce(let change):
            switch change.effect {
            case .metadata(let subscription, _, _): add(.metadataUpdated, nil, subscription)
            case .prices(let subscription, _, _): add(.priceChanged, nil, subscription)
            case .migrated(let subscription, _, _, _): add(.migrated, nil, subscription)
            // The refund of the whole transaction has its own notification.
            case .refunds(_, let isWhole): if !isWhole { add(.refunded, change.transactions) }
            case .others: break
            }
        case .tokenSet, .consumptionReported, .notificationsBegun, .testRequested, .attempted, .finished, .retention:
            break
        }
    }

    private mutating func add(_ change: ExternalChange) {
        switch change {
        // Servers learn of other tokens from the app, or from their website.
        case .tokenMade(_, _, let token): if token.tokenType != nil { add(.created, token) }
        case .reminded(let token): add(.activeTokenReminder, state.operatorState.external?.token(token)?.token)
        case .unreported(let token): add(.unreported, state.operatorState.external?.token(token)?.token)
        case .linkOpened, .reported, .paymentMethodBound: break
        }
    }

    private mutating func add(_ detail: NotificationKind.Detail, _ token: ExternalPurchaseToken?) {
        if let token { all.append(Draft(kind: .externalPurchaseToken, detail: detail, content: .external(token))) }
    }

    // MARK: Purchases

    private mutating func add(_ purchase: StoreEvent.Purchase, _ past: Past) {
        guard let change = purchase.subscription else {
            // A repeated purchase of an owned product is free, and not reported.
            if !past.isOwned { add(.oneTimeCharge, [purchase.transaction]) }
            return
        }
        guard let index = state.subscriptions.index(ofOriginal: change.term.original) else { return }
        switch change {
        case .begins(let term, let waiting):
            guard let last = past.subscription else { return add(.subscribed, .initialBuy, index) }
            guard last.isEntitled else { return add(.subscribed, .resubscribe, index) }
            let isRedeemed = waiting != nil || term.offer.map { $0.kind != .introductory } ?? false
            add(isRedeemed ? .offerRedeemed : .preferenceChanged, .upgrade, index)
        case .renewsAs(let product, _, let offer, let plan):
            if offer != nil {
                add(.offerRedeemed, change.isDeferred ? .downgrade : nil, index)
            } else if case .modify? = purchase.payment.advancedCommerceRequest?.operation {
                add(.preferenceChanged, .downgrade, index)
            } else if product != past.subscription?.renewsAs || plan != past.subscription?.renewalPlan {
                add(.preferenceChanged, change.isDeferred ? .downgrade : nil, index)
            }
            if past.subscription?.willRenew == false { add(.statusChanged, .autoRenewEnabled, index) }
        }
    }

    // MARK: Payloads

    private mutating func add(
        _ kind: NotificationKind,
        _ detail: NotificationKind.Detail?,
        _ subscription: SubscriptionIndex
    ) {
        guard let standing = builder.standing(of: subscription) else { return }
        let state = SubscriptionState(transaction: standing.transaction, renewal: standing.renewal)
        add(kind, detail, .transaction(standing.transaction, standing.renewal, status: state.rawValue, reason: nil))
    }

    /// Adds a notification about each transaction.
    private mutating func add(_ kind: NotificationKind, _ transactions: [TransactionNumber], reason: String? = nil) {
        for transaction in transactions.compactMap({ builder.index[$0] }) {
            let payload = builder.payload(of: transaction)
            let original = builder.index.purchase(of: transaction)?.term?.original
            let standing = original.flatMap(state.subscriptions.index(ofOriginal:)).flatMap { builder.standing(of: $0) }
            var status = standing.map { SubscriptionState(transaction: $0.transaction, renewal: $0.renewal) }
            // An ended share in the subscription has no `Standing`, and is reported as revoked.
            if original != nil, status == nil { status = payload.revocationDate == nil ? nil : .revoked }
            add(kind, nil, .transaction(payload, standing?.renewal, status: status?.rawValue, reason: reason))
        }
    }

    private mutating func add(_ kind: NotificationKind, _ detail: NotificationKind.Detail?, _ content: Draft.Content) {
        all.append(Draft(kind: kind, detail: detail, content: content))
    }
}
