import Foundation

// The rules of offer codes for products that do not renew (A18).
extension SandboxState {
    /// The time after a payment in which its account is an existing customer: 30 days.
    private static var activity: TimeInterval { 30 * 86_400 }

    /// Returns the record of the redemption of a product's offer outside the app.
    func redeem(
        _ offer: SandboxProduct.OneTimeCodeOffer,
        of product: ProductIndex,
        _ account: AccountID,
        now: Date
    ) throws(StoreFailure) -> LedgerRecord {
        let identifier = catalog[product].identifier
        if let refusal = refusalOfRedemption(of: product, at: now) { throw refusal }
        if let refusal = refusal(of: offer, of: product, account, now: now) { throw refusal }
        var payment = StorePayment(productIdentifier: identifier)
        // The transaction's payment names the code, from which its payloads take the offer.
        payment.offer = StoreOffer(kind: .code, identifier: offer.identifier)
        let purchase = UnorderedPurchase(
            account: account,
            device: nil,
            transaction: nextTransaction,
            payment: payment,
            product: product,
            charge: offer.price,
            subscription: nil
        )
        return LedgerRecord(date: now, event: .redeemed(StoreEvent.Redemption(purchase: purchase)))
    }

    /// Returns the reason why an account is not eligible for a product's offer; nil if it is.
    func refusal(
        of offer: SandboxProduct.OneTimeCodeOffer,
        of product: ProductIndex,
        _ account: AccountID,
        now: Date
    ) -> StoreFailure? {
        let name = "the offer \"\(offer.identifier)\""
        let (identifier, price) = (catalog[product].identifier, catalog.price(of: product))
        guard offer.price < price else {
            return .storeKit(.invalidOfferPrice, "\(name) is not below the price of \(identifier), which is \(price)")
        }
        if accounts[account].owned.contains(product) {
            return .storeKit(.ineligibleForOffer, "\(name) is for \(identifier), which this account owns")
        }
        let customer = customer(account, now: now)
        guard offer.eligibility.contains(customer) else {
            return .storeKit(.ineligibleForOffer, "\(name) is not for accounts that \(customer.payments)")
        }
        guard offers.hasRedeemed(offer.identifier, of: identifier, account) else { return nil }
        return .storeKit(.ineligibleForOffer, "\(name) was redeemed by this account before: it serves once")
    }

    /// Returns an account's status as a customer of the app: exactly one kind.
    private func customer(_ account: AccountID, now: Date) -> SandboxProduct.Customers {
        guard let last = accounts[account].lastPayment else { return .new }
        return now.timeIntervalSince(last) <= Self.activity ? .existing : .expired
    }

    /// Returns the price of one item of an order that has special terms.
    // Not inlined, since few orders have them.
    @inline(never)
    func price(of product: ProductIndex, for payment: StorePayment) -> Decimal {
        (try? orderedOffer(of: payment, product).get())?.oneTime?.price ?? catalog.price(of: product)
    }

    /// Records that a payment's offer code was redeemed, if it has one.
    mutating func redeemCode(of payment: StorePayment, _ account: AccountID, as transaction: TransactionNumber) {
        guard let code = payment.redeemedCode else { return }
        offers.redeem(code, of: payment.productIdentifier, account, as: transaction)
    }
}

extension StorePayment {
    /// The code that the payment redeems; nil if it redeems none.
    var redeemedCode: String? {
        guard hasSpecialTerms, let offer, offer.kind == .code else { return nil }
        return offer.identifier
    }

    /// The payment without the code that it redeems, which an app that adds it to the queue again has not.
    var withoutCode: StorePayment {
        guard redeemedCode != nil else { return self }
        var plain = self
        plain.offer = nil
        return plain
    }
}

extension SandboxProduct.Customers {
    fileprivate var payments: String {
        switch self {
        case .new: "have never paid for anything in the app"
        case .existing: "have paid for something in the last 30 days"
        default: "have paid for nothing in the last 30 days"
        }
    }
}
