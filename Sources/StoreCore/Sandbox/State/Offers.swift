import Foundation

/// The used offers.
struct Offers: StatePart, Equatable {
    /// The nonces of all signed offers that ever came with an order, whether it succeeded or not (behavior 149), or
    /// with a purchase without an order.
    private var nonces: Set<UUID> = []
    /// For each account, the offer codes that it has redeemed, each with its transaction.
    private var redeemed: [AccountID: [String: TransactionNumber]] = [:]

    func hasSeen(_ nonce: UUID) -> Bool { nonces.contains(nonce) }

    func hasRedeemed(_ code: String, _ account: AccountID) -> Bool { redeemed[account]?[code] != nil }

    /// Records the nonce of a payment's signed offer, which is not valid for any other payment.
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

    /// Makes all codes redeemable again; signatures stay used.
    mutating func forgetRedemptions() { redeemed = [:] }
}
