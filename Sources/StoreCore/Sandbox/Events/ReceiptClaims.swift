import Foundation

/// The expiration and revocation that a device's receipt states because it was refreshed with them.
struct ReceiptClaims: Hashable, Codable, Sendable {
    /// The moment from which the receipt is expired.
    private(set) var expirationDate: Date?
    /// The moment since which the receipt is revoked.
    private(set) var revocationDate: Date?
    private(set) var isVolumePurchase = false
    /// The date of the last refresh; nil for never, and in records of older versions of the store.
    private(set) var refreshDate: Date?

    init() {}

    init(_ properties: ReceiptProperties, at moment: Date) {
        expirationDate = properties.isExpired ? moment : nil
        revocationDate = properties.isRevoked ? moment : nil
        isVolumePurchase = properties.isVolumePurchase
        refreshDate = moment
    }
}
