import Foundation

/// The questions to apps whether purchases continue after a change of storefront (behaviors 170 and 171).
struct StorefrontQuestions: Sendable {
    /// The transactions that an app was asked about and has not answered.
    fileprivate var open: Set<TransactionNumber> = []
    /// The number of storefront changes, by which a late timer is recognized and ignored.
    fileprivate var round = 0
    /// The timer after which no answer counts as no.
    fileprivate var timer: TimerToken?

    /// The time that an app has for its answer by the store's clock, in seconds.
    fileprivate static var patience: TimeInterval { 1 }

    static func failure(of productIdentifier: String) -> StoreFailure {
        let reason =
            "the storefront changed while \(productIdentifier) was bought, and the app did not say that it goes on"
        return .storeKit(.storeProductNotAvailable, reason)
    }
}

extension SandboxDriver {
    var storefront: StoreStorefront? { shell.withLock { $0.state.catalog.storefront } }

    /// Changes the country: running apps are asked whether purchases under way continue there.
    func changeStorefront(to countryCode: String) throws {
        guard Storefronts.storefront(countryCode) != nil else { throw SandboxError.unknownStorefront(countryCode) }
        try use { shell, now in
            try shell.refresh()
            guard shell.state.catalog.countryCode != countryCode else { return }
            try shell.change(now: now) { shell in
                shell.step { _, events in
                    events.append(LedgerRecord(date: now, event: .operator(.storefront(countryCode))))
                }
            }
            shell.askWhetherToContinue()
            guard !shell.storefrontQuestions.open.isEmpty else { return }
            // Scheduled before anybody is asked, since an answer may never come.
            let round = shell.storefrontQuestions.round
            let deadline = now + StorefrontQuestions.patience
            shell.storefrontQuestions.timer = clock.schedule(at: deadline) { [weak self] in
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

    /// Takes an app's answer whether a purchase continues.
    func decideAfterStorefrontChange(_ identifier: String, shouldContinue: Bool, on device: DeviceID) {
        guard let number = TransactionNumber(identifier) else { return }
        use { shell, now in
            guard shell.settings.isReachable(from: device), let row = shell.state.transactions[number],
                row.device == device, shell.state.isUndecided(number)
            else { return }
            shell.endQuestion(about: number)
            guard !shouldContinue else { return }
            let product = row.transaction.payment.productIdentifier
            shell.keep(.decline(StorefrontQuestions.failure(of: product)), about: number)
            // If this cannot be written now, it is written before anything else is.
            try? shell.catchUp(with: now)
        }
    }
}

extension SandboxDriverState {
    /// Notes the questions that running apps are about to be asked.
    ///
    /// An app that is not running is not asked: its orders continue.
    fileprivate mutating func askWhetherToContinue() {
        storefrontQuestions.timer?.cancel()
        storefrontQuestions = StorefrontQuestions(round: storefrontQuestions.round + 1)
        let running = Set(connections.map(\.device))
        state.waiting.forEachTransaction { number, _ in
            guard let row = state.transactions[number], let device = row.device, running.contains(device),
                state.isVisible(row, on: device)
            else { return }
            storefrontQuestions.open.insert(number)
        }
    }

    fileprivate mutating func endQuestion(about number: TransactionNumber) {
        guard storefrontQuestions.open.remove(number) != nil, storefrontQuestions.open.isEmpty else { return }
        storefrontQuestions.timer?.cancel()
        storefrontQuestions.timer = nil
    }

    /// Declines the purchases whose questions were not answered in time.
    fileprivate mutating func giveUpWaiting() {
        for number in storefrontQuestions.open.sorted() where state.isUndecided(number) {
            guard let product = state.transactions[number]?.transaction.payment.productIdentifier else { continue }
            keep(.decline(StorefrontQuestions.failure(of: product)), about: number)
        }
        storefrontQuestions.open = []
        storefrontQuestions.timer = nil
    }
}
