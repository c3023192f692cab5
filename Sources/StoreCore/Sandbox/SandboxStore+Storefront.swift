import Foundation

extension SandboxStore {
    /// Changes the country that the store sells for.
    ///
    /// Prices, currency and, where a device's language has no texts, texts follow; observers are told. Each running app
    /// is asked whether each of its purchases under way continues, see
    /// ``SKPaymentQueueDelegate/paymentQueue(_:shouldContinue:in:)``. If it declines, or does not answer within a
    /// second of the store's clock, the transaction fails with `storeProductNotAvailable`. Apps that are not running
    /// are not asked; a product that is not sold in the new country fails with the same code when it is approved.
    ///
    /// The ledger keeps the country.
    ///
    /// - Parameter countryCode: ISO 3166-1 alpha-3, as in `DEU`.
    /// - Throws: ``SandboxError/unknownStorefront(_:)``, and the ledger's errors.
    public func setStorefront(_ countryCode: String) throws { try core.changeStorefront(to: countryCode) }
}
