import Foundation

/// The nonces and the offer codes that have been used.
struct Offers: StatePart, Equatable {
    /// The nonces of all signed offers that came with a payment, even if the payment failed (behavior 149).
    private var nonces: Set<UUID> = []
    /// For each account, the offer codes that it has redeemed, by ``key(of:for:)``, each with its transaction.
    private var redeemed: [AccountID: [String: TransactionNumber]] = [:]

    func hasSeen(_ nonce: UUID) -> Bool { nonces.contains(nonce) }

    /// Returns the text under which the redemption of a product's code is recorded.
    ///
    /// Another product may have an offer of the same name, which is another offer.
    private static func key(of product: String, for code: String) -> String { "\(product)\u{0}\(code)" }

    /// Whether an account has redeemed a product's code.
    func hasRedeemed(_ code: String, of product: String, _ account: AccountID) -> Bool {
        redeemed[account]?[Self.key(of: product, for: code)] != nil
    }

    /// Records the nonce of a payment's signed offer, so that no other payment can use it.
    mutating func useNonce(of payment: StorePayment) {
        if let discount = payment.discount { nonces.insert(discount.nonce) }
        if let proof = payment.offer?.readProof { nonces.insert(proof.claims.nonce) }
        if let proof = payment.requestProof { nonces.insert(proof.claims.nonce) }
    }

    /// Records that an account has redeemed a product's code.
    mutating func redeem(
        _ code: String,
        of product: String,
        _ account: AccountID,
        as transaction: TransactionNumber
    ) {
        redeemed[account, default: [:]][Self.key(of: product, for: code)] = transaction
    }

    /// Makes the codes that were redeemed with some transactions redeemable again.
    mutating func forgetRedemptions(with transactions: Set<TransactionNumber>) {
        redeemed = redeemed.mapValues { $0.filter { !transactions.contains($0.value) } }
    }

    /// Makes all codes redeemable again; nonces stay used.
    mutating func forgetRedemptions() { redeemed = [:] }
}
