import Foundation

/// Whether apps let purchases go on after the storefront changed (behaviours 170 and 171).
struct StorefrontQuestions: Sendable {
    /// The transactions that an app was asked about and has not answered.
    fileprivate var open: Set<Int> = []
    /// Counts the changes of storefront: a timer that rings late is not listened to.
    fileprivate var round = 0
    /// Rings when no answer counts as no.
    fileprivate var timer: TimerToken?

    /// How long an app may think by the store's clock, in seconds.
    fileprivate static var patience: TimeInterval { 1 }

    static func failure(of productIdentifier: String) -> StoreFailure {
        let reason =
            "the storefront changed while \(productIdentifier) was bought, and the app did not say that it goes on"
        return .storeKit(.storeProductNotAvailable, reason)
    }
}

extension SandboxCore {
    var storefront: StoreStorefront? { shell.withLock { $0.state.catalogue.storefront } }

    /// Sells for another country: running apps are asked whether what is under way goes on there.
    func changeStorefront(to countryCode: String) throws {
        guard Storefronts.storefront(countryCode) != nil else { throw SandboxError.unknownStorefront(countryCode) }
        try use { shell, now in
            try shell.refresh()
            guard shell.state.catalogue.countryCode != countryCode else { return }
            try shell.change(now: now) { shell in
                try shell.step { _, events in
                    events.append(LedgerRecord(date: now, event: .owner(.storefront(countryCode))))
                }
            }
            shell.askWhetherToContinue()
            guard !shell.storefrontQuestions.open.isEmpty else { return }
            // Before anybody is asked, who may never answer.
            let round = shell.storefrontQuestions.round
            let deadline = now + StorefrontQuestions.patience
            shell.storefrontQuestions.timer = timekeeper.schedule(at: deadline) { [weak self] in
                self?.giveUpWaiting(since: round)
            }
        }
    }

    private func giveUpWaiting(since round: Int) {
        use { shell, now in
            guard shell.storefrontQuestions.round == round else { return }
            shell.giveUpWaiting()
            try? shell.catchUp(with: now)
        }
    }

    /// An app says whether a purchase goes on.
    func decideAfterStorefrontChange(_ identifier: String, shouldContinue: Bool, on device: Int) {
        guard let number = SandboxState.number(of: identifier) else { return }
        use { shell, now in
            guard shell.settings.isReachable(from: device), let row = shell.state.transactions[number],
                row.device == device, shell.state.isUndecided(number)
            else { return }
            shell.endQuestion(about: number)
            guard !shouldContinue else { return }
            let product = row.transaction.payment.productIdentifier
            shell.keep(.decline(StorefrontQuestions.failure(of: product)), about: number)
            // What cannot be written now is written before anything else is.
            try? shell.catchUp(with: now)
        }
    }
}

extension SandboxShell {
    /// Notes what running apps are about to be asked.
    ///
    /// An app that is not running is not asked: what it ordered goes on.
    fileprivate mutating func askWhetherToContinue() {
        storefrontQuestions.timer?.cancel()
        storefrontQuestions = StorefrontQuestions(round: storefrontQuestions.round + 1)
        let running = Set(connections.map(\.device))
        state.waiting.forEach { number, _ in
            guard let row = state.transactions[number], running.contains(Int(row.device)),
                state.isVisible(row, on: Int(row.device))
            else { return }
            storefrontQuestions.open.insert(number)
        }
    }

    fileprivate mutating func endQuestion(about number: Int) {
        guard storefrontQuestions.open.remove(number) != nil, storefrontQuestions.open.isEmpty else { return }
        storefrontQuestions.timer?.cancel()
        storefrontQuestions.timer = nil
    }

    /// What was not answered in time is as good as refused.
    fileprivate mutating func giveUpWaiting() {
        for number in storefrontQuestions.open.sorted() where state.isUndecided(number) {
            guard let product = state.transactions[number]?.transaction.payment.productIdentifier else { continue }
            keep(.decline(StorefrontQuestions.failure(of: product)), about: number)
        }
        storefrontQuestions.open = []
        storefrontQuestions.timer = nil
    }
}

extension SandboxStore {
    /// The country that the store sells for.
    public var storefront: StoreStorefront? { core.storefront }

    /// Sells for another country from now on.
    ///
    /// Prices, currency and, where a device's language has no texts, texts follow; observers hear of it. Each running app
    /// is asked about each of its purchases under way whether it goes on, see
    /// ``SKPaymentQueueDelegate/paymentQueue(_:shouldContinue:in:)``. One that says no, or nothing within a second of the
    /// store's clock, sees the transaction fail with `storeProductNotAvailable`. Apps that are not running are not asked;
    /// what the product's owner does not sell in the new country fails with the same code when it is approved.
    ///
    /// The ledger keeps the country.
    ///
    /// - Parameter countryCode: ISO 3166-1 alpha-3, as in `DEU`.
    /// - Throws: ``SandboxError/unknownStorefront(_:)``, and what the ledger throws.
    public func setStorefront(_ countryCode: String) throws { try core.changeStorefront(to: countryCode) }

    /// What the app on the first device says of a purchase under way; see
    /// ``SandboxDevice/decideAfterStorefrontChange(transaction:shouldContinue:)``.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        core.decideAfterStorefrontChange(identifier, shouldContinue: shouldContinue, on: 0)
    }
}

extension SandboxDevice {
    /// The country that the store sells for.
    public var storefront: StoreStorefront? { core.storefront }

    /// What the app on this device says of a purchase that is under way in a new storefront.
    ///
    /// Nothing that is decided by then changes.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        core.decideAfterStorefrontChange(identifier, shouldContinue: shouldContinue, on: number)
    }
}
