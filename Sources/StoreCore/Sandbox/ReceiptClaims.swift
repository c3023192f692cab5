import Foundation

/// What a device's receipt says of itself because it was refreshed so.
struct ReceiptClaims: Codable, Sendable {
    /// From when it is not to be used any more.
    private(set) var expirationDate: Date?
    /// Since when it is revoked.
    private(set) var revocationDate: Date?
    private(set) var isVolumePurchase = false

    init() {}

    init(_ properties: ReceiptProperties, at moment: Date) {
        expirationDate = properties.isExpired ? moment : nil
        revocationDate = properties.isRevoked ? moment : nil
        isVolumePurchase = properties.isVolumePurchase
    }
}
