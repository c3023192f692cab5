import Foundation

/// Which offers have been used up.
struct OfferBook: Codable, Sendable {
    /// The nonces of every signed offer that ever came with an order, whatever became of it (behaviour 149).
    private var nonces: Set<UUID> = []
    /// For each account, the codes' offers that it has redeemed.
    private var redeemed: [Int: Set<String>] = [:]

    func hasSeen(_ nonce: UUID) -> Bool { nonces.contains(nonce) }

    func hasRedeemed(_ code: String, _ account: Int) -> Bool { redeemed[account]?.contains(code) ?? false }

    mutating func use(_ nonce: UUID) { nonces.insert(nonce) }

    mutating func redeem(_ code: String, _ account: Int) { redeemed[account, default: []].insert(code) }

    /// Signatures stay used up; codes serve once more.
    mutating func forgetRedemptions() { redeemed = [:] }
}
