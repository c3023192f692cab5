import Foundation

// The operator's control over the store.
extension SandboxStore {
    /// The authorizer of payments, called for each order from now on.
    ///
    /// Undecided orders stay as they are. A store that is reopened on the ledger uses the authorizer that it is opened
    /// with.
    public var authorizer: Authorizer {
        get { driver.state.withLock { $0.settings.authorizer } }
        set {
            // The old authorizer is released after the lock, since its release may run client code.
            var authorizer = newValue
            driver.state.withLock { swap(&$0.settings.authorizer, &authorizer) }
        }
    }

    /// The language of devices without a language of their own, as in `en_GB`.
    ///
    /// A product is described in this language if it has texts in it. A store that is reopened on the ledger uses the
    /// language that it is opened with.
    public var locale: String {
        get { driver.state.withLock { $0.settings.locale } }
        set { driver.state.withLock { $0.settings.locale = newValue } }
    }

    /// The rate that sets the length of subscription periods that begin from now on.
    ///
    /// It also sets the length of the grace period and of billing retry for renewals that fail from now on.
    ///
    /// A store that is reopened on the ledger uses the rate that it is opened with.
    public var renewalRate: RenewalRate {
        get { driver.state.withLock { $0.settings.rules.renewalRate } }
        set { driver.state.withLock { $0.settings.rules.renewalRate = newValue } }
    }

    /// Sets the number of the first transaction, in place of 1.
    ///
    /// Call this only for a store in memory that has no transactions, since the ledger does not store the number.
    package func numberTransactions(from number: Int) {
        driver.state.withLock { $0.numberTransactions(from: TransactionNumber(rawValue: number)) }
    }

    /// Whether the store can be reached, from any device; true by default.
    ///
    /// While this is false, queues hold their commands, and requests and downloads fail with a `URLError`. Renewals and
    /// the operator's changes go on, and devices receive them afterwards. The ledger does not store the setting.
    public var isReachable: Bool {
        get { driver.state.withLock { $0.settings.isReachable } }
        set {
            driver.use { driverState, _ in
                driverState.settings.isReachable = newValue
                if !newValue { driverState.breakConnections(SandboxDriver.unreachable) }
            }
            if !newValue { driver.cutContent() }
        }
    }

    /// Registers a product, or a new version of a registered one.
    ///
    /// A new version has the availability of the previous one. Past purchases stay as they are; renewals from now on
    /// have the new price and period. To ask subscribers to agree to a higher price, use
    /// ``raisePrice(of:to:file:line:)``.
    ///
    /// - Throws: ``CatalogError`` for a product that cannot be sold, and the ledger's errors.
    public func register(_ product: SandboxProduct) throws {
        _ = try Catalog([product])
        try driver.change { state, events, now in
            try state.catalog.checkRelations(of: [product])
            events.append(LedgerRecord(date: now, event: .registered(product)))
        }
    }

    /// Puts a product on or off sale.
    ///
    /// A subscription whose next product is off sale when it is to renew ends, with
    /// ``SubscriptionEndReason/productUnavailable``. The ledger stores the availability.
    ///
    /// - Throws: ``SandboxError`` for a product that is not registered, and the ledger's errors.
    public func setAvailability(_ availability: ProductAvailability, of productIdentifier: String) throws {
        try driver.change { sandbox, events, now in
            guard sandbox.catalog.index(of: productIdentifier) != nil else {
                throw SandboxError(.unknownProduct(productIdentifier))
            }
            let event = StoreEvent.availability(productIdentifier: productIdentifier, availability)
            events.append(LedgerRecord(date: now, event: event))
        }
    }

    /// Returns the reason why an identifier cannot be bought now, in one sentence, or nil if it can.
    public func reasonForInvalidity(of productIdentifier: String) -> String? {
        driver.use { driverState, now in
            try? driverState.refresh()
            return driverState.state.catalog.reasonNotOnSale(productIdentifier, at: now)
        }
    }

    /// The transactions that wait for a decision, oldest first.
    public var undecidedRequests: [AuthorizationRequest] {
        driver.look { driverState, now in driverState.questions(at: now) }
    }

    /// Approves one of the ``undecidedRequests``, as the parent of an account with Ask to Buy would.
    ///
    /// - Throws: ``SandboxError`` if no such transaction waits for a decision, and the ledger's errors.
    public func approve(_ request: AuthorizationRequest) throws { try decide(request.transaction, as: .approve) }

    /// Declines one of the ``undecidedRequests``.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - failure: the failure of the transaction; with the code `unknown` unless given.
    /// - Throws: ``SandboxError`` if no such transaction waits for a decision, and the ledger's errors.
    public func decline(_ request: AuthorizationRequest, with failure: StoreFailure? = nil) throws {
        try decide(request.transaction, as: .decline(failure))
    }

    /// Applies a decision to the transaction of one of the ``undecidedRequests``.
    ///
    /// - Parameters:
    ///   - transaction: the transaction's identifier.
    ///   - answer: the decision; ``approve(_:)`` and ``decline(_:with:)`` are shorter ways to the most common ones.
    /// - Throws: ``SandboxError`` if no such transaction waits for a decision, and the ledger's errors.
    public func decide(_ transaction: String, as answer: Authorization) throws {
        let rules = driver.state.withLock { $0.settings.rules }
        try driver.change { sandbox, events, now in
            guard let number = TransactionNumber(transaction), sandbox.isUndecided(number) else {
                throw SandboxError(.notUndecided(transaction))
            }
            let applied = rules.answer(for: sandbox.applied(answer, about: number, rules))
            sandbox.decide(number, applied, isFirstAnswer: false, rules, now: now, &events)
        }
        // If the order was dated in the past, its subscription has renewals that are due by now.
        driver.use { driverState, now in driverState.bringUpToDate(now) }
    }

    /// Advances the store's clock; a clock that cannot be moved stops the process with a message.
    ///
    /// Everything that falls due, such as a renewal, happens in order, and the store settles at each deadline on the
    /// way. Must not be called from inside a callback, because it waits until all callbacks have returned.
    ///
    /// Each renewal on the way is created and delivered separately. An interval in which a subscription would renew
    /// more than 10,000 times stops the process with a message, before anything happens: at a fast ``RenewalRate``,
    /// advance the clock by the intended periods, not by the calendar. ``advanceThrowing(by:)`` throws instead.
    ///
    /// - Parameter interval: seconds, not negative.
    public func advance(by interval: TimeInterval) {
        do { try advanceThrowing(by: interval) } catch { fatalError("\(error)") }
    }

    /// Advances the store's clock like ``advance(by:)-(TimeInterval)``, but throws an error instead of stopping the
    /// process.
    ///
    /// - Parameter interval: seconds, not negative.
    /// - Throws: ``ClockError`` for a clock that cannot be moved, or not by this interval; then nothing has happened.
    public func advanceThrowing(by interval: TimeInterval) throws { try movableClock.advanceThrowing(by: interval) }

    /// Advances the store's clock by a length of the calendar, like ``advance(by:)-(TimeInterval)``.
    ///
    /// The end is that of a subscription's period in real time, whatever the store's ``renewalRate``: a month after 31
    /// January is the end of February.
    ///
    /// - Parameter period: the length, as in `.days(7)` or `.monthly`.
    public func advance(by period: StoreProduct.Period) {
        advance(to: RenewalRate.realTime.end(of: period, from: clock.now))
    }

    /// Advances the store's clock to a moment, like ``advance(by:)-(TimeInterval)``.
    ///
    /// - Parameter moment: the new time, not before that of the clock; an earlier one stops the process with a message.
    public func advance(to moment: Date) {
        do { try advanceThrowing(to: moment) } catch { fatalError("\(error)") }
    }

    /// Advances the store's clock like ``advance(to:)``, but throws an error instead of stopping the process.
    ///
    /// - Parameter moment: the new time, not before that of the clock.
    /// - Throws: as ``advanceThrowing(by:)``.
    public func advanceThrowing(to moment: Date) throws { try movableClock.advanceThrowing(to: moment) }

    /// Unavailable: advance the store's ``ManualClock`` to the subscription's ``SandboxSubscription/expirationDate``.
    @available(
        *,
        unavailable,
        message: "use clock.advance(to:) with the expirationDate of account.subscription(inGroup:)"
    )
    public func advanceToEnd(ofGroup group: String) {}

    private var movableClock: any MovableClock {
        get throws {
            if let clock = clock as? any MovableClock { return clock }
            throw ClockError("this store's clock cannot be moved; give it a ManualClock")
        }
    }

    /// Waits until nothing more can happen except by outside action; see ``Activity``.
    ///
    /// - Returns: the external events that are awaited, a line each; the wording may change.
    @discardableResult
    public func settle() -> [String] { clock.activity.settle() }

    /// Waits, without blocking a thread, until nothing more can happen except by outside action; see ``Activity``.
    ///
    /// - Returns: the external events that are awaited, a line each; the wording may change.
    @discardableResult
    public func settle() async -> [String] { await clock.activity.settle() }
}

extension SandboxStore {
    /// The failure of every purchase from now on, nil for none.
    ///
    /// Every order fails, before any authorization or charge. A purchase that waits for a decision fails when it is
    /// approved. A store that is reopened on the ledger begins without a failure.
    public var purchaseFailure: StoreFailure? {
        get { driver.state.withLock { $0.settings.rules.purchaseFailure } }
        set { driver.state.withLock { $0.settings.rules.purchaseFailure = newValue } }
    }

    /// The code of the app's age rating, for `AppStore.ageRatingCode` of Store Kit 2; nil, for no rating, unless set.
    ///
    /// Any number is accepted. Apple publishes the numbers for MarketplaceKit's maximum rating: 100 is 4+, 200 is 9+,
    /// 313 is 13+, 416 is 16+ and 618 is 18+. A device in another process learns of a new code with the store's next
    /// change. A store that is reopened on the ledger begins without a code.
    public var ageRatingCode: Int? {
        get { driver.state.withLock { $0.settings.ageRatingCode } }
        set { driver.state.withLock { $0.settings.ageRatingCode = newValue } }
    }

    /// The quirks that the store simulates; none unless set.
    ///
    /// They apply to decisions from now on. Without ``StoreQuirk/purchaseNeverReturns``, the authorizer decides at once
    /// the purchases that the quirk has held, so that an empty set may sell and charge what waits at the payment sheet.
    /// A store that is reopened on the ledger has no quirks.
    public var quirks: Set<StoreQuirk> {
        get { driver.state.withLock { $0.settings.rules.quirks } }
        set { driver.setQuirks(newValue) }
    }

    /// Sets whether every restore from now on fails partway, as in a failure of the store.
    ///
    /// Transactions restored before the failure have been delivered. A store that is reopened on the ledger begins
    /// without this setting.
    ///
    /// - Parameters:
    ///   - failure: the failure that ends a restore; nil lets restores succeed again.
    ///   - count: the number of transactions restored before the failure, or all if there are fewer; below 0 stops the
    ///     process.
    public func failRestores(with failure: StoreFailure?, after count: Int = 0) {
        guard count >= 0 else { fatalError("a restore cannot break off after \(count) transactions") }
        driver.state.withLock { driverState in
            driverState.settings.rules.restoreBreak = failure.map { RestoreBreak(failure: $0, count: count) }
        }
    }
}

extension SandboxRules {
    /// Returns the decision, or the store's purchase failure in place of an approval.
    func answer(for decision: Authorization) -> Authorization {
        guard let purchaseFailure, decision == .approve else { return decision }
        return .decline(purchaseFailure)
    }
}

extension SandboxStore {
    /// Deletes a transaction, and all that renew or restore it, as if they had never existed.
    ///
    /// The deleted transactions leave the queues, the receipts, the ``transactions``, the account's charges and its
    /// entitlements; the purchase can be made afresh. Deleting a subscription's first transaction deletes the whole
    /// subscription. Deleting a transaction of a bundle deletes those of its members that came with it, and likewise
    /// all that renew or restore them. Deleting the running period alone ends the subscription as revoked. Deleting a
    /// purchase that only changed how a subscription renews undoes that change. The account is eligible again for an
    /// introductory offer or a code, unless another purchase with it remains. Apps are sent no revocation, except those
    /// of family members with whom the transaction was shared. A deleted transaction that came from the family is
    /// shared anew. The clock, all settings and the nonces of signed offers stay as they are.
    ///
    /// - Parameter transaction: the transaction's identifier.
    /// - Throws: ``SandboxError`` for an unknown transaction, and the ledger's errors.
    public func deleteTransaction(_ transaction: String) throws {
        try driver.changeByHistory { state, history, events, now in
            let chain = history.transactionsAndFollowers(of: [transaction])
            guard !chain.isEmpty else { throw SandboxError(.unknownTransaction(transaction)) }
            let members = state.members(ofDeleted: chain.compactMap { TransactionNumber($0) })
            let numbers = history.transactionsAndFollowers(of: Set(chain).union(members.map(\.identifier)))
                .compactMap { TransactionNumber($0) }
            let all = Set(numbers)
            let deletion = Deletion(
                transactions: numbers,
                withdrawn: state.withdrawn(all.contains),
                ended: state.subscriptionsWithNothingLeft(without: all)
            )
            events.append(LedgerRecord(date: now, event: .operator(.deleted(deletion))))
        }
    }

    /// Deletes all transactions of all accounts, as if they had never existed.
    ///
    /// The transactions leave the queues, and receipts become empty. Products, accounts, families, devices and the
    /// clock stay as they are, and the next transaction gets the next number. Apps are sent no revocation; updates that
    /// they have not received yet are dropped.
    ///
    /// - Throws: the ledger's errors.
    public func clearTransactions() throws {
        try driver.change { state, events, now in
            events.append(LedgerRecord(date: now, event: .operator(.cleared(withdrawn: state.withdrawn { _ in true }))))
        }
    }
}

extension SandboxDriver {
    /// Changes the state by a decision that needs the history, which is read from the ledger.
    ///
    /// The cost grows with the length of the ledger.
    fileprivate func changeByHistory(
        _ decide: (SandboxState, LedgerHistory, inout [LedgerRecord], Date) throws -> Void
    ) throws {
        try use { driverState, now in
            try driverState.refresh()
            try driverState.change(now: now) { driverState in
                let history = LedgerHistory()
                try driverState.forEachRecord { history.take($0) }
                try driverState.step { try decide($0, history, &$1, now) }
            }
        }
    }
}

// The operator's control over the payment for renewals.
extension SandboxStore {
    /// Whether subscriptions give access in a grace period after a failed renewal; false on a new ledger.
    ///
    /// ``setGrantsGracePeriod(_:)`` sets it.
    public var grantsGracePeriod: Bool { driver.look { driverState, _ in driverState.state.billing.grantsGracePeriod } }

    /// Turns the grace period on or off for renewals that fail from now on.
    ///
    /// Its length follows from the store's ``renewalRate``, and cannot be set by itself: see
    /// ``RenewalRate/gracePeriod(for:)``. In real time, it is 16 days, or 6 for a weekly subscription. The monthly
    /// payments of a commitment have no grace period. A renewal that failed before is not affected. Which renewals fail
    /// is set by ``SandboxAccount/setBillingFails(_:)``. The ledger stores the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setGrantsGracePeriod(_ isOn: Bool) throws {
        try driver.change { state, events, now in
            guard state.billing.grantsGracePeriod != isOn else { return }
            events.append(LedgerRecord(date: now, event: .billing(.gracePeriod(isOn))))
        }
    }

    /// The maximum number of renewals of a subscription, nil for no limit; nil on a new ledger.
    ///
    /// ``setRenewalLimit(_:)`` sets it.
    public var renewalLimit: Int? { driver.look { driverState, _ in driverState.state.billing.renewalLimit } }

    /// Limits the number of renewals of a subscription, or removes the limit.
    ///
    /// Apple's sandbox stops renewing after 12. Renewals are counted from the purchase that last began a period: the
    /// first one, one after the subscription had ended, or one that replaced another product at once. A
    /// subscription that has reached the limit ends with its period (``SubscriptionEndReason/renewalLimitReached``).
    /// The ledger stores the limit.
    ///
    /// - Parameter limit: at least 0, nil for none; a negative number stops the process.
    /// - Throws: the ledger's errors.
    public func setRenewalLimit(_ limit: Int?) throws {
        precondition(limit ?? 0 >= 0, "a subscription cannot renew less than 0 times")
        try driver.change { state, events, now in
            guard state.billing.renewalLimit != limit else { return }
            events.append(LedgerRecord(date: now, event: .billing(.renewalLimit(limit))))
        }
    }

    /// Raises a product's price, and asks its subscribers to agree to it.
    ///
    /// Purchases from now on cost the new price. Each account whose running subscription renews as the product is asked
    /// to consent, and pays its old price until it has agreed: see
    /// ``SandboxAccount/requestPriceIncreaseConsent(inGroup:)``. A price that is not above what a subscriber pays needs
    /// no consent. Separate prices for single countries stay as they are. While the store sells for such a country,
    /// nobody is asked, and renewals cost that country's price, even if an account has an old price elsewhere.
    /// Subscribers who pay monthly, whose price is that of their billing plan, and members of a bundle are not asked
    /// either.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product.
    ///   - price: the new price, exact as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Throws: ``SandboxError`` for a product that is not registered, ``CatalogError`` for a price at which it cannot
    ///   be sold, and the ledger's errors.
    public func raisePrice(
        of productIdentifier: String,
        to price: String,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let price = ExactPrice.written(price, for: productIdentifier, file: file, line: line)
        try driver.change { state, events, now in
            guard let number = state.catalog.index(of: productIdentifier) else {
                throw SandboxError(.unknownProduct(productIdentifier))
            }
            var product = state.catalog[number]
            product.price = price
            _ = try Catalog([product])
            events.append(LedgerRecord(date: now, event: .registered(product)))
            for event in state.questions(about: product.price(in: state.catalog.countryCode), of: number) {
                events.append(LedgerRecord(date: now, event: event))
            }
        }
    }
}
