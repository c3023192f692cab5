import Foundation

extension SandboxDevice {
    /// Whether the account that is signed in has been asked to agree to a higher price and has not answered.
    public var isPriceConsentPending: Bool { core.isPriceConsentPending(on: number) }

    /// What the user of this device answers when the question about a higher price is shown; nil for nothing.
    ///
    /// Nil to begin with. It is not kept in the ledger.
    public var priceConsentAnswer: PriceConsentAnswer? {
        get { core.shell.withLock { $0.settings.priceAnswers[number] } }
        set { core.shell.withLock { $0.settings.priceAnswers[number] = newValue } }
    }

    /// Shows the question to the device's user, who does at once what ``priceConsentAnswer`` says.
    ///
    /// Who does not answer, or whose answer the ledger does not take, may be asked again.
    public func showPriceConsent() { core.showPriceConsent(on: number) }
}

extension SandboxStore {
    /// Whether a question about a higher price waits on the first device.
    public var isPriceConsentPending: Bool { core.isPriceConsentPending(on: 0) }

    /// What the user of the first device answers; see ``SandboxDevice/priceConsentAnswer``.
    public var priceConsentAnswer: PriceConsentAnswer? {
        get { device.priceConsentAnswer }
        set { device.priceConsentAnswer = newValue }
    }

    /// Shows the question to the user of the first device.
    public func showPriceConsent() { core.showPriceConsent(on: 0) }
}

extension SandboxDriver {
    fileprivate func isPriceConsentPending(on device: Int) -> Bool {
        use { shell, _ in
            guard shell.settings.isReachable(from: device) else { return false }
            try? shell.refresh()
            let account = shell.state.devices[device].account
            return account >= 0 && !shell.state.pendingConsents(of: account).isEmpty
        }
    }

    fileprivate func showPriceConsent(on device: Int) {
        let (answer, rate) = shell.withLock { shell in
            let settings = shell.settings
            return (
                settings.isReachable(from: device) ? settings.priceAnswers[device] : nil, settings.rules.renewalRate
            )
        }
        guard let answer else { return }
        // What is not written was not answered.
        try? change { state, events, now in
            let account = state.devices[device].account
            guard account >= 0 else { return }
            for index in state.pendingConsents(of: account) {
                for event in state.answer(answer, index, at: now, rate) {
                    events.append(LedgerRecord(date: now, event: event))
                }
            }
        }
    }
}
