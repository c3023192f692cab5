import Foundation

/// A purchase that was paid back.
struct Refund: Hashable, Codable, Sendable {
    /// Who had paid.
    let account: Int
    /// The transactions that do not count any more: the purchase, and what repeated it for nothing.
    let transactions: [Int]
    /// The product's number in the catalog.
    let product: Int
    /// The products to which access ended with it, as the app is told; none where there was no access any more.
    let revoked: [String]
    /// The subscription that ended with it, nil for none, and in what older versions of the store wrote.
    var ended: Int?
}
