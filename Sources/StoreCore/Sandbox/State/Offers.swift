import Foundation

/// The nonces and the offer codes that have been used.
struct Offers: StatePart, Equatable {
    /// The nonces of all signed offers that came with a payment, even if the payment failed (behavior 149).
    private var nonces: Set<UUID> = []
    /// For each account, the offer codes that it has redeemed, each with its transaction.
    private var redeemed: [AccountID: [String: TransactionNumber]] = [:]

    func hasSeen(_ nonce: UUID) -> Bool { nonces.contains(nonce) }

    func hasRedeemed(_ code: String, _ account: AccountID) -> Bool { redeemed[account]?[code] != nil }

    /// Records the nonce of a payment's signed offer, so that no other payment can use it.
    mutating func useNonce(of payment: StorePayment) {
        if let discount = payment.discount { nonces.insert(discount.nonce) }
        if let proof = payment.offer?.readProof { nonces.insert(proof.claims.nonce) }
    }

    mutating func redeem(_ code: String, _ account: AccountID, as transaction: TransactionNumber) {
        redeemed[account, default: [:]][code] = transaction
    }

    /// Makes the codes that were redeemed with some transactions redeemable again.
    mutating func forgetRedemptions(with transactions: Set<TransactionNumber>) {
        redeemed = redeemed.mapValues { $0.filter { !transactions.contains($0.value) } }
    }

    /// Makes all codes redeemable again; nonces stay used.
    mutating func forgetRedemptions() { redeemed = [:] }
}
