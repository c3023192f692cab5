import Foundation

/// What a device's receipt says of itself because it was refreshed so.
struct ReceiptClaims: Codable, Sendable {
    /// From when it is not to be used any more.
    private(set) var expirationDate: Date?
    /// Since when it is revoked.
    private(set) var revocationDate: Date?
    private(set) var isVolumePurchase = false
    /// When that was, nil for never, and in what older versions of the store wrote.
    private(set) var refreshDate: Date?

    init() {}

    init(_ properties: ReceiptProperties, at moment: Date) {
        expirationDate = properties.isExpired ? moment : nil
        revocationDate = properties.isRevoked ? moment : nil
        isVolumePurchase = properties.isVolumePurchase
        refreshDate = moment
    }
}
