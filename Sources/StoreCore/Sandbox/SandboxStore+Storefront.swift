import Foundation

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
