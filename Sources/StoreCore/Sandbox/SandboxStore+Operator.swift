import Foundation

// The operator's control over the store.
extension SandboxStore {
    /// The authorizer of payments from now on.
    public var authorizer: Authorizer {
        get { core.shell.withLock { $0.settings.authorizer } }
        set {
            // The old one is released without the lock.
            var authorizer = newValue
            core.shell.withLock { swap(&$0.settings.authorizer, &authorizer) }
        }
    }

    /// The language of devices that have none of their own, as in `en_GB`; products are described in it if they can be.
    public var locale: String {
        get { core.shell.withLock { $0.settings.locale } }
        set { core.shell.withLock { $0.settings.locale = newValue } }
    }

    /// The rate that sets the length of subscription periods that begin from now on.
    ///
    /// A store that is reopened on the ledger uses the rate that it is opened with.
    public var renewalRate: RenewalRate {
        get { core.shell.withLock { $0.settings.rules.renewalRate } }
        set { core.shell.withLock { $0.settings.rules.renewalRate = newValue } }
    }

    /// Sets the number of the first transaction, in place of 1.
    ///
    /// For a store in memory that has none yet: the ledger does not keep it.
    package func numberTransactions(from number: Int) {
        core.shell.withLock { $0.numberTransactions(from: TransactionNumber(rawValue: number)) }
    }

    /// Whether the store can be reached, from any device.
    ///
    /// While it cannot, queues keep their commands, and requests and downloads fail with a `URLError`.
    public var isReachable: Bool {
        get { core.shell.withLock { $0.settings.isReachable } }
        set {
            core.use { shell, _ in
                shell.settings.isReachable = newValue
                if !newValue { shell.breakConnections(SandboxDriver.unreachable) }
            }
            if !newValue { core.cutContent() }
        }
    }

    /// Registers a product, or a new version of a registered one.
    ///
    /// - Throws: ``CatalogError`` for one that cannot be sold, and the ledger's errors.
    public func register(_ product: SandboxProduct) throws {
        _ = try Catalog([product])
        try core.change { _, events, now in events.append(LedgerRecord(date: now, event: .registered(product))) }
    }

    /// Puts a product on or off sale.
    ///
    /// - Throws: ``SandboxError/unknownProduct(_:)``, and the ledger's errors.
    public func setAvailability(_ availability: ProductAvailability, of productIdentifier: String) throws {
        try core.change { sandbox, events, now in
            guard sandbox.catalog.index(of: productIdentifier) != nil else {
                throw SandboxError.unknownProduct(productIdentifier)
            }
            let event = StoreEvent.availability(productIdentifier: productIdentifier, availability)
            events.append(LedgerRecord(date: now, event: event))
        }
    }

    /// Returns the reason why an identifier cannot be bought now, in one sentence, or nil if it can.
    public func reasonForInvalidity(of productIdentifier: String) -> String? {
        core.use { shell, now in
            try? shell.refresh()
            return shell.state.catalog.reasonNotOnSale(productIdentifier, at: now)
        }
    }

    /// The transactions that wait for a decision, oldest first.
    public var undecided: [AuthorizationRequest] { core.look { shell, now in shell.questions(at: now) } }

    /// Decides about a waiting transaction.
    ///
    /// - Throws: ``SandboxError/notUndecided(_:)``, and the ledger's errors.
    public func decide(_ transaction: String, _ answer: Authorization) throws {
        let rules = core.shell.withLock { $0.settings.rules }
        let answer = rules.answer(for: answer)
        try core.change { sandbox, events, now in
            guard let number = TransactionNumber(transaction), sandbox.isUndecided(number) else {
                throw SandboxError.notUndecided(transaction)
            }
            sandbox.decide(number, answer, isFirstAnswer: false, rules, now: now, &events)
        }
        // What was ordered for a date in the past is renewed until now.
        core.use { shell, now in shell.bringUpToDate(now) }
    }

    /// Advances the store's clock; one that cannot be moved stops the process with a message.
    ///
    /// Everything that falls due happens in order, and everything settles at each deadline on the way. Must not be
    /// called from inside a callback.
    ///
    /// Each renewal on the way is made and delivered one by one. An interval in which a subscription would renew more
    /// than 10,000 times stops the process with a message, before anything happens: at a quick ``RenewalRate`` advance
    /// the clock by the intended periods, not by the calendar. ``advanceThrowing(by:)`` throws instead.
    ///
    /// - Parameter interval: seconds, not negative.
    public func advance(by interval: TimeInterval) {
        do { try advanceThrowing(by: interval) } catch { fatalError("\(error)") }
    }

    /// Advances the store's clock like ``advance(by:)``, but throws where that stops the process.
    ///
    /// - Parameter interval: seconds, not negative.
    /// - Throws: ``ClockError`` for a clock that cannot be moved, or not by this interval. Nothing has happened then.
    public func advanceThrowing(by interval: TimeInterval) throws {
        guard let clock = clock as? any MovableClock else {
            throw ClockError("this store's clock cannot be moved; give it a ManualClock")
        }
        try clock.advanceThrowing(by: interval)
    }

    /// Waits until nothing more can happen without outside action; see ``Activity``.
    @discardableResult
    public func settle() -> [String] { clock.activity.settle() }

    /// Waits, without blocking a thread, until nothing more can happen without outside action.
    @discardableResult
    public func settle() async -> [String] { await clock.activity.settle() }
}
