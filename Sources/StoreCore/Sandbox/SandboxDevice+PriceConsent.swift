import Foundation

extension SandboxDevice {
    /// Whether a price consent request to the signed-in account waits for an answer.
    public var isPriceConsentPending: Bool { core.isPriceConsentPending(on: number) }

    /// The answer of this device's user to a price consent request when it is shown; nil for none.
    ///
    /// Nil by default. The ledger does not keep it.
    public var priceConsentAnswer: PriceConsentAnswer? {
        get { core.shell.withLock { $0.settings.priceAnswers[number] } }
        set { core.shell.withLock { $0.settings.priceAnswers[number] = newValue } }
    }

    /// Shows the price consent request to the device's user, who gives the ``priceConsentAnswer`` at once.
    ///
    /// A user who does not answer, or whose answer the ledger does not take, may be asked again.
    public func showPriceConsent() { core.showPriceConsent(on: number) }
}

extension SandboxStore {
    /// Whether a price consent request waits on the first device.
    public var isPriceConsentPending: Bool { core.isPriceConsentPending(on: 0) }

    /// The answer of the first device's user; see ``SandboxDevice/priceConsentAnswer``.
    public var priceConsentAnswer: PriceConsentAnswer? {
        get { device.priceConsentAnswer }
        set { device.priceConsentAnswer = newValue }
    }

    /// Shows the price consent request to the user of the first device.
    public func showPriceConsent() { core.showPriceConsent(on: 0) }
}

extension SandboxDriver {
    fileprivate func isPriceConsentPending(on device: DeviceID) -> Bool {
        use { shell, _ in
            guard shell.settings.isReachable(from: device) else { return false }
            try? shell.refresh()
            return shell.state.devices[device].account.map { !shell.state.pendingConsents(of: $0).isEmpty } ?? false
        }
    }

    fileprivate func showPriceConsent(on device: DeviceID) {
        let (answer, rate) = shell.withLock { shell in
            let settings = shell.settings
            return (
                settings.isReachable(from: device) ? settings.priceAnswers[device] : nil, settings.rules.renewalRate
            )
        }
        guard let answer else { return }
        // An answer that is not written does not count.
        try? change { state, events, now in
            guard let account = state.devices[device].account else { return }
            for index in state.pendingConsents(of: account) {
                for event in state.answer(answer, index, at: now, rate) {
                    events.append(LedgerRecord(date: now, event: event))
                }
            }
        }
    }
}
