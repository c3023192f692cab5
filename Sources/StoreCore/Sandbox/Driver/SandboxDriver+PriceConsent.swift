import Foundation

extension SandboxDriver {
    func isPriceConsentPending(on device: Int) -> Bool {
        use { shell, _ in
            guard shell.settings.isReachable(from: device) else { return false }
            try? shell.refresh()
            let account = shell.state.devices[device].account
            return account >= 0 && !shell.state.pendingConsents(of: account).isEmpty
        }
    }

    func showPriceConsent(on device: Int) {
        let (answer, rate) = shell.withLock { shell in
            let settings = shell.settings
            return (
                settings.isReachable(from: device) ? settings.priceAnswers[device] : nil, settings.rules.renewalRate
            )
        }
        guard let answer else { return }
        // An answer that is not written does not count.
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
