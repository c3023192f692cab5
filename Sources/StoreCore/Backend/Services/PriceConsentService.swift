/// A store's service that asks users to agree to a higher price of their subscription.
///
/// Any thread may call it; it must not block.
public protocol PriceConsentService: Sendable {
    /// Whether the store wants to ask the user of this device.
    ///
    /// Read when a queue's first observer is added, and when the app enters the foreground; the queue's delegate then
    /// decides whether the store may ask.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now. Called where ``isPriceConsentPending`` is true and the app agrees.
    func showPriceConsent()
}

/// A ``PriceConsentService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncPriceConsentService: Sendable {
    /// Whether the store wants to ask the user of this device to agree to a higher price, as far as is known now. Must
    /// not block.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now, as ``PriceConsentService/showPriceConsent()`` says.
    func showPriceConsent() async
}
