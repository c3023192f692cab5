import Foundation

extension SandboxDriver {
    func isPriceConsentPending(on device: DeviceID) -> Bool {
        use { shell, _ in
            guard shell.settings.isReachable(from: device) else { return false }
            try? shell.refresh()
            return shell.state.devices[device].account.map { !shell.state.pendingConsents(of: $0).isEmpty } ?? false
        }
    }

    func showPriceConsent(on device: DeviceID) {
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
