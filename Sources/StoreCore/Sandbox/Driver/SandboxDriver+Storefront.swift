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

extension SandboxDriver {
    var storefront: StoreStorefront? { shell.withLock { $0.state.catalog.storefront } }

    /// Sells for another country: running apps are asked whether what is under way goes on there.
    func changeStorefront(to countryCode: String) throws {
        guard Storefronts.storefront(countryCode) != nil else { throw SandboxError.unknownStorefront(countryCode) }
        try use { shell, now in
            try shell.refresh()
            guard shell.state.catalog.countryCode != countryCode else { return }
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

extension SandboxDriverState {
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
