/// The properties that the app wants a sandbox's receipt to have.
public struct ReceiptProperties: Hashable, Codable, Sendable {
    /// Whether it has expired.
    public var isExpired: Bool
    /// Whether it has been revoked.
    public var isRevoked: Bool
    /// Whether it belongs to a volume purchase.
    public var isVolumePurchase: Bool
    /// Makes properties; all are false for an app in production.
    public init(isExpired: Bool = false, isRevoked: Bool = false, isVolumePurchase: Bool = false) {
        self.isExpired = isExpired
        self.isRevoked = isRevoked
        self.isVolumePurchase = isVolumePurchase
    }
}
