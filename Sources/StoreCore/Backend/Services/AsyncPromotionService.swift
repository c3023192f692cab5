/// A ``PromotionService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncPromotionService: Sendable {
    /// The app's changes on this device, as far as is known now. Must not block.
    var promotionOverrides: PromotionOverrides { get }

    /// Changes how the store promotes products on this device.
    ///
    /// - Parameter change: the change that the app wants.
    /// - Throws: the reason why it cannot. The app's completion handler gets it.
    func changePromotion(_ change: PromotionChange) async throws
}
