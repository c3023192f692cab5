import Foundation

/// Which offers have been used up.
struct OfferBook: Codable, Sendable {
    /// The nonces of every signed offer that ever came with an order, whatever became of it (behaviour 149).
    private var nonces: Set<UUID> = []
    /// For each account, the codes' offers that it has redeemed.
    private var redeemed: [Int: Set<String>] = [:]
    /// What was had with codes, by its transaction; nil in what older versions of the store wrote.
    private var redemptions: [Int: Redemption]?

    private struct Redemption: Codable {
        let code: String
        let account: Int
    }

    func hasSeen(_ nonce: UUID) -> Bool { nonces.contains(nonce) }

    func hasRedeemed(_ code: String, _ account: Int) -> Bool { redeemed[account]?.contains(code) ?? false }

    mutating func use(_ nonce: UUID) { nonces.insert(nonce) }

    mutating func redeem(_ code: String, _ account: Int, as transaction: Int) {
        redeemed[account, default: []].insert(code)
        redemptions = redemptions ?? [:]
        redemptions?[transaction] = Redemption(code: code, account: account)
    }

    /// A transaction was deleted: the code that it was had with serves once more.
    mutating func forgetRedemption(_ transaction: Int) {
        guard let redemption = redemptions?.removeValue(forKey: transaction) else { return }
        redeemed[redemption.account]?.remove(redemption.code)
    }

    /// Signatures stay used up; codes serve once more.
    mutating func forgetRedemptions() {
        redeemed = [:]
        redemptions = nil
    }
}
