import Foundation

/// Which offers have been used up.
struct Offers: Codable, Sendable {
    /// The nonces of every signed offer that ever came with an order, whatever became of it (behaviour 149).
    private var nonces: Set<UUID> = []
    /// For each account, the codes' offers that it has redeemed, and with which transaction.
    private var redeemed: [Int: [String: Int]] = [:]

    func hasSeen(_ nonce: UUID) -> Bool { nonces.contains(nonce) }

    func hasRedeemed(_ code: String, _ account: Int) -> Bool { redeemed[account]?[code] != nil }

    mutating func use(_ nonce: UUID) { nonces.insert(nonce) }

    mutating func redeem(_ code: String, _ account: Int, as transaction: Int) {
        redeemed[account, default: [:]][code] = transaction
    }

    /// The codes that were redeemed with some transactions serve once more.
    mutating func forgetRedemptions(with transactions: Set<Int>) {
        redeemed = redeemed.mapValues { $0.filter { !transactions.contains($0.value) } }
    }

    /// Signatures stay used up; codes serve once more.
    mutating func forgetRedemptions() { redeemed = [:] }
}
