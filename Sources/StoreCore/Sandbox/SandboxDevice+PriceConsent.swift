import Foundation

extension SandboxDevice {
    /// Whether the account that is signed in has been asked to agree to a higher price and has not seen the question.
    public var isPriceConsentPending: Bool { core.isPriceConsentPending(on: number) }

    /// Shows the question to the device's user.
    public func showPriceConsent() { core.showPriceConsent(on: number) }
}

extension SandboxStore {
    /// Whether a question about a higher price waits on the first device.
    public var isPriceConsentPending: Bool { core.isPriceConsentPending(on: 0) }

    /// Shows the question to the user of the first device.
    public func showPriceConsent() { core.showPriceConsent(on: 0) }
}

// Where subscriptions whose price goes up come in: none does yet, so that nothing is ever asked.
extension SandboxCore {
    fileprivate func isPriceConsentPending(on device: Int) -> Bool { false }
    fileprivate func showPriceConsent(on device: Int) {}
}
