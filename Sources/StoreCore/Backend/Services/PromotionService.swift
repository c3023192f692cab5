/// A store's service that keeps the app's changes to how products are promoted on this device.
///
/// Where a store does not offer it, the changes are kept in memory.
public protocol PromotionService: Sendable {
    /// The app's changes on this device. Must not block.
    var promotionOverrides: PromotionOverrides { get }

    /// Changes how the store promotes products on this device.
    ///
    /// - Parameters:
    ///   - change: the change that the app wants.
    ///   - reply: to be called once, on any thread, with nil on success.
    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void)
}
