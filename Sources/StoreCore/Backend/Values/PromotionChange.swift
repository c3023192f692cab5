/// A change that an app makes to how its store promotes products on a device.
public enum PromotionChange: Hashable, Codable, Sendable {
    /// Puts these products first; an empty array restores the store's order.
    case order([String])
    /// Shows or hides a product; nil restores the store's setting.
    case visibility(productIdentifier: String, isShown: Bool?)
}
