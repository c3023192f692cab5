import Foundation

/// An account that buys from a sandbox store.
///
/// Purchases on one device belong to the account on all of its devices; other accounts do not see them, unless the
/// family shares them. The value is a handle: copies refer to the same account and retain the store's state. Any thread
/// may call any member.
public struct SandboxAccount: Sendable {
    let driver: SandboxDriver
    let number: AccountID

    /// The account's name, unique in its store.
    public var name: String { driver.state.withLock { $0.state.accounts[number].name } }

    /// The account's current entitlements, paid for by the account or by a member of its family, in no particular
    /// order.
    ///
    /// Consumables, which are used up, and non-renewing subscriptions, whose length the app decides, are left out.
    public var entitlements: [SandboxEntitlement] {
        driver.look { driverState, _ in
            let state = driverState.state
            let account = state.accounts[number]
            let owned = account.owned.map { product in
                let purchase = account.history.ownPurchases(of: product).first
                    .flatMap { account.history[$0].asOriginal.original }
                return SandboxEntitlement(
                    productIdentifier: state.catalog[product].identifier,
                    expirationDate: nil,
                    transaction: purchase?.identifier ?? "",
                    startDate: purchase?.date ?? .distantPast
                )
            }
            let running = state.subscriptions.all(of: number).filter { state.subscriptions.isEntitled($0) }
            return owned
                + running.map { index in
                    let term = state.subscriptions[index].term
                    let graceEnd = state.subscriptions.trouble(of: index)?.graceEnd
                    return SandboxEntitlement(
                        productIdentifier: state.catalog[term.product].identifier,
                        expirationDate: graceEnd ?? term.end,
                        transaction: term.original.identifier,
                        startDate: term.start,
                        isInGracePeriod: graceEnd != nil
                    )
                } + state.sharedEntitlements(of: number)
        }
    }

    /// The total charged to the account since the store's ledger began, at the prices of the time.
    ///
    /// Refunds do not reduce it, see ``totalRefunded``. Deleted transactions are left out. Amounts in different
    /// currencies are added as they are, without a conversion. The first read of a store's history loads the whole
    /// ledger, later ones only the records appended since.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var totalCharged: Decimal { get throws { try transactions.reduce(0) { $0 + ($1.chargedAmount ?? 0) } } }

    /// The account's auto-renewable subscriptions, one for each group that it ever subscribed to, oldest first.
    ///
    /// By requests of Advanced Commerce, there may be several in a group.
    public var subscriptions: [SandboxSubscription] {
        driver.look { driverState, _ in
            let state = driverState.state
            return state.subscriptions.all(of: number).map {
                SandboxSubscription($0, state.subscriptions, state.catalog)
            }
        }
    }

    /// Returns the account's subscription in a group, or nil if it never subscribed to it.
    ///
    /// Of several by Advanced Commerce, this is the newest one that runs, or else the newest.
    public func subscription(inGroup group: String) -> SandboxSubscription? {
        driver.look { driverState, _ in
            let state = driverState.state
            return state.subscriptions.index(of: group, account: number).map {
                SandboxSubscription($0, state.subscriptions, state.catalog)
            }
        }
    }

    /// Turns a running subscription's renewal on or off, as its user would in the store's own settings.
    ///
    /// With renewal off, the subscription ends with the paid period, or at once if the last renewal failed. A
    /// subscription with a commitment ends with it: the payments that remain are due.
    ///
    /// A member of a bundle whose renewal is turned on leaves the bundle at the next renewal and renews by itself, at
    /// its own price: the renewal of the bundle is turned off, so the other members end. If the bundle's last renewal
    /// failed, this happens at once. With the member's renewal off, as at first, the member ends with the bundle.
    /// Turning on the bundle's renewal keeps all members in the bundle.
    ///
    /// Of several subscriptions in a group, by Advanced Commerce, this concerns the newest one that runs.
    ///
    /// - Throws: ``SandboxError`` if no subscription runs in the group, and the ledger's errors.
    public func setAutoRenew(_ isOn: Bool, inGroup group: String) throws {
        try changeRunning(group, allowingMembers: true) { state, index, now, rate in
            state.setAutoRenew(isOn, of: index, at: now, rate)
        }
    }
}

extension SandboxAccount: Hashable {
    /// Returns whether two values refer to the same account of the same store.
    public static func == (left: SandboxAccount, right: SandboxAccount) -> Bool {
        left.driver === right.driver && left.number == right.number
    }

    /// Hashes the store and the account.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(driver))
        hasher.combine(number)
    }
}

extension SandboxAccount {
    /// Whether every order of the account waits for another person's approval (Ask to Buy); false for a new account.
    public var asksToBuy: Bool {
        driver.look { driverState, _ in driverState.state.operatorState.askingAccounts.contains(number) }
    }

    /// Turns Ask to Buy on or off for the account's orders from now on, as for a child.
    ///
    /// The authorizer decides first, and may cancel or decline an order. An order that it approves is deferred until
    /// ``SandboxStore/decide(_:as:)``. The ledger stores the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setAsksToBuy(_ isOn: Bool) throws {
        try driver.change { state, events, now in
            guard state.operatorState.askingAccounts.contains(number) != isOn else { return }
            events.append(LedgerRecord(date: now, event: .operator(.asksToBuy(account: number, isOn))))
        }
    }

    /// The account's orders that wait for a decision, oldest first.
    public var undecidedRequests: [AuthorizationRequest] {
        driver.look { driverState, now in
            driverState.questions(at: now) { driverState.state.transactions[$0]?.account == number }
        }
    }
}

extension SandboxAccount {
    /// Whether payment for the account's renewals fails; false for a new account.
    public var billingFails: Bool {
        driver.look { driverState, _ in driverState.state.billing.failingAccounts.contains(number) }
    }

    /// Sets whether payment fails for every renewal of the account that falls due from now on.
    ///
    /// A renewal that fails is not charged: billing retry begins, in which the subscription gives no access. If the
    /// store grants a grace period (``SandboxStore/setGrantsGracePeriod(_:)``), that comes first and gives access. The
    /// store's ``RenewalRate`` sets the length of both: in real time, billing retry lasts 60 days, of which the grace
    /// period is the first 16, or 6 for a weekly subscription. At the end of billing retry the subscription ends with
    /// ``SubscriptionEndReason/billingError``. A failed renewal stays failed until ``resolveBillingIssue(inGroup:)``,
    /// even after the setting is turned off. Orders are paid for as usual. The ledger stores the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setBillingFails(_ isOn: Bool) throws {
        try driver.change { state, events, now in
            guard state.billing.failingAccounts.contains(number) != isOn else { return }
            events.append(LedgerRecord(date: now, event: .billing(.fails(account: number, isOn))))
        }
    }

    /// Pays for a failed renewal, as if the user had entered another card.
    ///
    /// Later renewals may fail again.
    ///
    /// The payment delivers a purchased transaction, as any renewal does. In a grace period the billing date stays: the
    /// next period begins where the last one ended. Periods that would be over by now are skipped without a charge, but
    /// count as periods of an offer. In billing retry the next period begins now. Nothing happens if no renewal has
    /// failed or billing retry is over. A subscription whose product is no longer on sale ends. For a member of a
    /// bundle, the bundle is paid for. Of several subscriptions in a group, by Advanced Commerce, this concerns the
    /// newest one whose renewal has failed.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError`` if the account never subscribed, and the ledger's errors.
    public func resolveBillingIssue(inGroup group: String) throws {
        try driver.use { driverState, now in
            let rate = driverState.settings.rules.renewalRate
            try driverState.refresh()
            try driverState.change(now: now) { driverState in
                var mustRepeat = true
                while mustRepeat {
                    mustRepeat = false
                    try driverState.step { state, events in
                        let subscriptions = state.subscriptions
                        let failed = subscriptions.all(of: number).last { index in
                            subscriptions[index].group == group && subscriptions.trouble(of: index) != nil
                        }
                        guard let known = failed ?? subscriptions.index(of: group, account: number) else {
                            throw state.noSubscription(inGroup: group)
                        }
                        // A member has its bundle's bill.
                        let index = state.subscriptions.bundle(of: known) ?? known
                        guard let event = state.recovery(of: index, at: now, rate) else { return }
                        if case .billing(.leftOut) = event { mustRepeat = true }
                        events.append(LedgerRecord(date: now, event: event))
                    }
                }
            }
        }
    }

    /// Expires a subscription now: turns its renewal off, and ends the paid period at this moment.
    ///
    /// The reason for the end is ``SubscriptionEndReason/autoRenewDisabled``. Nothing is paid back, and no revocation
    /// is sent to apps.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError`` if no subscription runs in the group, or if it is a member of a bundle; the ledger's
    ///   errors.
    public func expireSubscription(inGroup group: String) throws {
        try changeRunning(group) { state, index, now, rate in state.expire(index, at: now, rate) }
    }

    /// Ends a subscription's period now and renews it, by the rules of every renewal.
    ///
    /// The subscription's renewal is turned on, and a pending price consent request is withdrawn. The next period is
    /// charged and delivered as a purchased transaction; if the account's billing fails, billing retry or a grace
    /// period begins instead. A subscription that is already in billing retry or a grace period stays there.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError`` if no subscription runs in the group, or if it is a member of a bundle; the ledger's
    ///   errors.
    public func forceRenewal(inGroup group: String) throws {
        try driver.use { driverState, now in
            let rate = driverState.settings.rules.renewalRate
            let renewsUnpaid = driverState.settings.rules.renewsUnpaid
            try driverState.refresh()
            try driverState.change(now: now) { driverState in
                var due: SubscriptionIndex?
                try driverState.step { state, events in
                    let index = try state.running(group, of: number)
                    try state.checkIndependence(of: index)
                    if state.subscriptions.trouble(of: index) == nil { due = index }
                    for event in state.makeDue(index, at: now, rate) {
                        events.append(LedgerRecord(date: now, event: event))
                    }
                }
                guard let due else { return }
                driverState.step { state, events in state.renew(due, rate, renewsUnpaid: renewsUnpaid, &events) }
            }
        }
    }

    /// Records the events that `decide` returns for the account's running subscription in a group.
    ///
    /// - Throws: ``SandboxError`` for a member of a bundle, unless members are allowed.
    func changeRunning(
        _ group: String,
        allowingMembers: Bool = false,
        _ decide: (SandboxState, SubscriptionIndex, Date, RenewalRate) throws -> [StoreEvent]
    ) throws {
        let rate = driver.state.withLock { $0.settings.rules.renewalRate }
        try driver.change { state, events, now in
            let index = try state.running(group, of: number)
            if !allowingMembers { try state.checkIndependence(of: index) }
            for event in try decide(state, index, now, rate) { events.append(LedgerRecord(date: now, event: event)) }
        }
    }
}

extension SandboxAccount {
    /// Buys a product without an app's order, as if in the store itself or by a code.
    ///
    /// Every device on which the account is signed in receives the purchased transaction, until one device has finished
    /// it. Running apps receive it at once, the others at their next launch. The rules of orders apply, but the
    /// authorizer is not called, Ask to Buy and ``SandboxStore/purchaseFailure`` do not apply, and nothing interrupts
    /// the purchase.
    /// If the product is a subscription that runs already, or that begins only at a renewal, nothing is sold or
    /// delivered.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product.
    ///   - quantity: the quantity, 1 to 10.
    ///   - applicationUsername: the app's own name for its user, if it should carry one.
    /// - Returns: the transaction's identifier, or that of the running period if nothing is sold.
    /// - Throws: a ``StoreFailure`` with the reason why the product is not sold, and the ledger's errors.
    @discardableResult
    public func buy(
        _ productIdentifier: String,
        quantity: Int = 1,
        applicationUsername: String? = nil
    ) throws -> String {
        let payment = StorePayment(
            productIdentifier: productIdentifier,
            quantity: quantity,
            applicationUsername: applicationUsername
        )
        return try buy(payment)
    }

    /// Buys a product on a payment's terms, such as its offer or billing plan, without an app's order.
    ///
    /// Otherwise this is ``buy(_:quantity:applicationUsername:)``.
    ///
    /// - Parameter payment: the product and the terms.
    /// - Returns: the transaction's identifier, or that of the running period if nothing is sold.
    /// - Throws: a ``StoreFailure`` with the reason why the product is not sold, and the ledger's errors.
    @discardableResult
    public func buy(_ payment: StorePayment) throws -> String {
        var rules = driver.state.withLock { $0.settings.rules }
        if payment.hasSpecialTerms { rules.offers = rules.offers.checking([payment]) }
        var transaction: TransactionNumber = 0
        try driver.use { driverState, now in
            try driverState.refresh()
            try driverState.change(now: now) { transaction = try $0.buy(payment, by: number, rules, now: now) }
        }
        return transaction.identifier
    }
}

extension SandboxAccount {
    /// Requests the account's consent to a higher price of its subscription in a group.
    ///
    /// The price need not have changed, and the request may be repeated. The app is notified through the queue's
    /// delegate; ``answerPriceConsent(_:inGroup:)`` or ``SandboxBackend/priceConsentAnswer`` answers it. Without an
    /// answer, the subscription ends at the end of its period with
    /// ``SubscriptionEndReason/didNotConsentToPriceIncrease``; one with a commitment ends with it. To raise
    /// a price and ask every subscriber, see ``SandboxStore/raisePrice(of:to:file:line:)``.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError`` if no subscription runs in the group, or if it is a member of a bundle; the ledger's
    ///   errors.
    public func requestPriceIncreaseConsent(inGroup group: String) throws {
        try changeRunning(group) { state, index, _, _ in
            let increase = PriceIncrease(keptPrice: state.keptPrice(of: index), consent: .pending)
            guard state.subscriptions.increase(of: index) != increase else { return [] }
            return [.billing(.priceIncrease(subscription: index, increase))]
        }
    }

    /// Answers the price consent request, as the user would in the store's own settings.
    ///
    /// After consent, the subscription renews at the product's price. After a refusal, it will not renew, and ends at
    /// once if the last renewal could not be paid for. If auto-renewal is turned on again, the subscription continues
    /// at its previous price.
    ///
    /// - Parameters:
    ///   - answer: the user's answer.
    ///   - group: the group's identifier.
    /// - Throws: ``SandboxError`` if no subscription runs in the group, if it is a member of a bundle, or if no
    ///   question waits there; the ledger's errors.
    public func answerPriceConsent(_ answer: PriceConsentAnswer, inGroup group: String) throws {
        try changeRunning(group) { state, index, now, rate in
            guard state.subscriptions.increase(of: index)?.consent == .pending else {
                throw SandboxError(.noPriceConsentPending(group: group))
            }
            return state.answer(answer, index, at: now, rate)
        }
    }
}

// Offers that accounts redeem in the store itself.
extension SandboxAccount {
    /// Redeems an offer code in the store itself, outside the app.
    ///
    /// Each of the account's devices receives an ordinary purchased transaction, until one device has finished it. The
    /// offer begins at once or, while a subscription of the group runs, at the next renewal, which then delivers the
    /// transaction. The offer replaces the introductory offer, or follows it if the code's offer is stackable. A
    /// product that does not renew is sold at once, at the offer's price. The authorizer is not called. An account may
    /// redeem an offer once.
    ///
    /// - Parameters:
    ///   - code: the identifier of the code's offer, which is its reference name in Xcode's file.
    ///   - productIdentifier: the product; if nil, the first registered product with an offer of that code.
    /// - Returns: the transaction's identifier, or that of the running period if the offer waits for the renewal.
    /// - Throws: a ``StoreFailure`` if the code cannot be redeemed: `invalidOfferIdentifier` for a code without an
    ///   offer, `ineligibleForOffer` for an account that is not eligible, has redeemed the offer before or owns the
    ///   product, `invalidOfferPrice` if the offer costs no less than the product, `storeProductNotAvailable` if the
    ///   product is not sold in the store's country, `paymentInvalid` if it is not on sale for another reason or cannot
    ///   change a member of a bundle; and the ledger's errors.
    @discardableResult
    public func redeem(code: String, of productIdentifier: String? = nil) throws -> String {
        try driver.redeem { state, now, rate, events in
            try state.redeem(code: code, of: productIdentifier, number, now: now, rate, &events)
        }
    }

    /// Redeems a win-back offer in the store itself, outside the app, as a lapsed subscriber does.
    ///
    /// The effect is that of ``redeem(code:of:)``; the offer begins at once.
    ///
    /// - Parameters:
    ///   - identifier: the offer's identifier.
    ///   - productIdentifier: the subscription that has the offer.
    /// - Returns: the transaction's identifier.
    /// - Throws: a ``StoreFailure`` if the offer cannot be redeemed: `invalidOfferIdentifier` if the product does not
    ///   have it, `ineligibleForOffer` if nobody is eligible for it or the account has no ended subscription of the
    ///   group, `invalidOfferPrice` if it costs no less than the product, `storeProductNotAvailable` if the product is
    ///   not sold in the store's country, `paymentInvalid` if it is not on sale for another reason; and the ledger's
    ///   errors.
    @discardableResult
    public func redeemWinBackOffer(_ identifier: String, of productIdentifier: String) throws -> String {
        try driver.redeem { state, now, rate, events in
            try state.winBack(identifier, of: productIdentifier, number, now: now, rate, &events)
        }
    }
}
