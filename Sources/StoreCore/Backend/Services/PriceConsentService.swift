/// A service by which a store asks users for consent to a price increase of their subscription.
///
/// Its requirements may be called on any thread, and must not block.
public protocol PriceConsentService: Sendable {
    /// Whether the store wants to ask the user of this device for consent.
    ///
    /// Read when a queue's first observer is added, when the app enters the foreground, and when the app calls
    /// ``SKPaymentQueue/showPriceConsentIfNeeded()``. In the first two cases, the queue's delegate decides whether the
    /// store may ask.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now.
    ///
    /// Called if ``isPriceConsentPending`` is true, and the queue's delegate agrees or the app itself has asked for the
    /// sheet.
    func showPriceConsent()
}

/// A ``PriceConsentService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncPriceConsentService: Sendable {
    /// Whether the store wants to ask the user of this device for consent, as far as it knows now. Must not block.
    var isPriceConsentPending: Bool { get }

    /// Asks the user now, as ``PriceConsentService/showPriceConsent()`` says.
    func showPriceConsent() async
}
