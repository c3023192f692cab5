/// A ``PriceConsentService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncPriceConsentService: Sendable {
    /// Whether the store wants to ask the user of this device to agree to a higher price, as far as is known now. Must
    /// not block.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now, as ``PriceConsentService/showPriceConsent()`` says.
    func showPriceConsent() async
}
