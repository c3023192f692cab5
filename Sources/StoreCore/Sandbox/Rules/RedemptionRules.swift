import Foundation

// The rules of purchases that no app orders: redemptions of offer codes and of win-back offers.
extension SandboxState {
    /// Adds the redemption of a code, for a named product or the first registered one that has the code's offer.
    func redeem(
        code: String,
        of product: String?,
        _ account: AccountID,
        now: Date,
        _ rate: RenewalRate,
        _ events: inout [LedgerRecord]
    ) throws(StoreFailure) {
        let holder =
            if let product { catalog.index(of: product) } else { catalog.firstIndex { $0.hasOffer(behind: code) } }
        if let index = holder, let offer = catalog[index].oneTimeCodeOffer(code) {
            return events.append(try redeem(offer, of: index, account, now: now))
        }
        guard let index = holder, let offer = catalog.subscription(of: index)?.codeOffer(code, nil) else {
            let place = product.map { "\($0) has" } ?? "this store has"
            let codes = product == nil ? [] : holder.map { catalog[$0].codes } ?? []
            let names = Self.list(codes)
            throw .storeKit(.invalidOfferIdentifier, "\(place) no offer behind the code \"\(code)\"\(names)")
        }
        let found = SubscriptionOffer(.code, offer.offer)
        events.append(try redeem(found, isStackable: offer.isStackable, of: index, account, now: now, rate))
    }

    /// Adds the redemption of a product's win-back offer.
    func winBack(
        _ identifier: String,
        of product: String,
        _ account: AccountID,
        now: Date,
        _ rate: RenewalRate,
        _ events: inout [LedgerRecord]
    ) throws(StoreFailure) {
        let holder = catalog.index(of: product)
        let offers = holder.flatMap { catalog.subscription(of: $0) }?.winBackOffers.map(\.offer) ?? []
        guard let index = holder, let offer = offers.first(named: identifier, nil) else {
            let names = Self.list(offers.compactMap(\.terms.identifier))
            throw .storeKit(.invalidOfferIdentifier, "\(product) has no win-back offer \"\(identifier)\"\(names)")
        }
        let found = SubscriptionOffer(.winBack, offer)
        events.append(try redeem(found, isStackable: false, of: index, account, now: now, rate))
    }

    private func redeem(
        _ offer: SubscriptionOffer,
        isStackable: Bool,
        of product: ProductIndex,
        _ account: AccountID,
        now: Date,
        _ rate: RenewalRate
    ) throws(StoreFailure) -> LedgerRecord {
        if let refusal = refusalOfRedemption(of: product, at: now) { throw refusal }
        if let refusal = refusal(of: offer, of: product, account) { throw refusal }
        if let refusal = refusalInBundle(product, offer.plan, hasOffer: true, account) { throw refusal }
        let number = nextTransaction
        let sale = subscribe(
            account,
            to: product,
            number,
            ordered: now,
            under: offer,
            isStackable: isStackable,
            plan: offer.plan,
            at: now,
            rate
        )
        let payment = StorePayment(productIdentifier: catalog[product].identifier)
        let purchase = UnorderedPurchase(
            account: account,
            device: nil,
            transaction: number,
            payment: payment,
            product: product,
            charge: sale.charge,
            subscription: sale.subscription,
            held: held(by: sale, of: payment, product, account)
        )
        return LedgerRecord(date: now, event: .redeemed(StoreEvent.Redemption(purchase: purchase, offer: offer)))
    }

    /// Returns the reason why a product is not sold outside the app, whatever the offer; nil if it is.
    func refusalOfRedemption(of product: ProductIndex, at now: Date) -> StoreFailure? {
        let identifier = catalog[product].identifier
        if let failure = failureIfNotSoldHere(product) { return failure }
        if let reason = catalog.reasonNotOnSale(identifier, at: now) { return .storeKit(.paymentInvalid, reason) }
        guard catalog.isAdvancedCommerce(product) else { return nil }
        return AdvancedCommerceFault.nullAdvancedCommerceData.failure(of: identifier)
    }
}

extension StoreEvent {
    /// A redemption: a purchase in the store itself, and its offer.
    struct Redemption: Hashable, Codable, Sendable {
        let purchase: UnorderedPurchase
        /// The offer of a subscription; nil for any other product, whose payment names the code.
        var offer: SubscriptionOffer?

        /// The kind and the identifier of the offer.
        var words: String {
            let (kind, name) = (offer?.kind ?? .code, offer?.terms.identifier ?? purchase.payment.redeemedCode ?? "")
            return "\(kind.rawValue) offer \"\(name)\""
        }
    }
}

extension SandboxState {
    /// Applies a redemption: a purchase without an order, which every device of the account receives.
    mutating func apply(_ redemption: StoreEvent.Redemption, _ date: Date) {
        if let offer = redemption.offer, offer.kind == .code, let code = offer.terms.identifier {
            let purchase = redemption.purchase
            let product = purchase.payment.productIdentifier
            offers.redeem(code, of: product, purchase.account, as: purchase.held ?? purchase.transaction)
        }
        deliver(redemption.purchase, date)
    }
}

extension SandboxProduct {
    fileprivate func hasOffer(behind code: String) -> Bool {
        subscription?.codeOffer(code, nil) != nil || oneTimeCodeOffer(code) != nil
    }

    /// The codes of the product's offers.
    fileprivate var codes: [String] {
        offerCodes.map(\.identifier) + (subscription?.offerCodes ?? []).compactMap(\.offer.terms.identifier)
    }
}

extension SandboxProduct.Subscription {
    /// Returns the offer of a code under a billing plan or, without one, under any; nil if there is none.
    func codeOffer(_ code: String, _ plan: StoreProduct.BillingPlan?) -> SandboxProduct.CodeOffer? {
        offerCodes.first { $0.offer.terms.isNamed(code) && $0.offer.billingPlan == plan ?? $0.offer.billingPlan }
    }
}

/// The action of a device's user in the sheet for offer codes.
public enum CodeEntry: Hashable, Sendable {
    /// Closes the sheet, with no effect.
    case cancel
    /// Enters a code, which is redeemed at once.
    ///
    /// A code is the identifier of its offer, which is the reference name in Xcode's StoreKit configuration file. If
    /// several products have an offer with the same code, the first registered one is bought, unless
    /// `productIdentifier` names another.
    case redeem(code: String, productIdentifier: String? = nil)
}
