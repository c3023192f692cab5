import Foundation

// The rules of purchases that no queue ordered, and of interrupted purchases (behaviors 197, 209 and 211).
extension SandboxState {
    /// Returns a new purchase by an account without a queue's order; the rules of orders apply.
    ///
    /// - Throws: the reason why the product is not sold.
    func purchase(
        _ payment: StorePayment,
        by account: AccountID,
        _ rules: SandboxRules,
        now: Date
    ) throws(StoreFailure) -> UnorderedPurchase {
        let index = catalog.index(of: payment.productIdentifier)
        if let refusal = refusal(of: payment, index, by: account, rules, now: now) { throw refusal }
        guard let index else { fatalError("what nobody registered is refused") }
        return purchase(payment, index, by: account, on: nil, rules, at: payment.purchaseDate ?? now)
    }

    /// Returns the purchase that completes an interrupted order; the rules of orders apply.
    ///
    /// - Throws: the reason why the product is not sold.
    func resolution(
        of payment: StorePayment,
        by account: AccountID,
        on device: DeviceID?,
        _ rules: SandboxRules,
        now: Date
    ) throws(StoreFailure) -> UnorderedPurchase {
        let index = catalog.index(of: payment.productIdentifier)
        // The offer's signature and the requested date were checked when the order was accepted.
        var plain = payment
        plain.discount = nil
        plain.offer = nil
        plain.purchaseDate = nil
        if payment.requestData != nil {
            // A generic product is refused without its request, whose signature was checked as well.
            if let reason = catalog.reasonNotOnSale(payment.productIdentifier, at: now) {
                throw .storeKit(.paymentInvalid, reason)
            }
        } else if let refusal = refusal(of: plain, index, by: account, rules, now: now) {
            throw refusal
        }
        guard let index else { fatalError("what nobody registered is refused") }
        if let refusal = refusalOfOffer(of: payment, index, by: account, now: now) { throw refusal }
        if let refusal = refusalInBundle(of: payment, index, account) { throw refusal }
        return purchase(payment, index, by: account, on: device, rules, at: now)
    }

    private func purchase(
        _ payment: StorePayment,
        _ product: ProductIndex,
        by account: AccountID,
        on device: DeviceID?,
        _ rules: SandboxRules,
        at date: Date
    ) -> UnorderedPurchase {
        let sale = sale(of: payment, product, account, nextTransaction, ordered: date, at: date, rules.renewalRate)
        return UnorderedPurchase(
            account: account,
            device: device,
            transaction: nextTransaction,
            payment: payment,
            product: product,
            charge: sale.charge,
            subscription: sale.subscription,
            held: held(by: sale, of: payment, product, account)
        )
    }

    /// Returns the failure of a purchase if the product is not sold in the storefront's country; otherwise nil.
    func failureIfNotSoldHere(_ product: ProductIndex) -> StoreFailure? {
        guard !catalog.isSoldHere(product) else { return nil }
        let reason = "\(catalog[product].identifier) is not sold in \(catalog.countryCode)"
        return .storeKit(.storeProductNotAvailable, reason)
    }

    /// Returns the failure that interrupts a purchase; nil unless the operator interrupts it, or the account's
    /// purchases.
    ///
    /// For Store Kit 2, the purchase is pending, or fails with the quirk `interruptedFails`.
    func interruption(
        of payment: StorePayment,
        by account: AccountID?,
        _ rules: borrowing SandboxRules
    ) -> StoreFailure? {
        guard let account, rules.interrupts ?? operatorState.interruptedAccounts.contains(account) else { return nil }
        let reason = "the purchase of \(payment.productIdentifier) was interrupted: its user has to do something first"
        return StoreFailure(
            domain: .storeKit,
            code: StoreFailure.Code.unknown.rawValue,
            reason: reason,
            isPending: !(rules.hasQuirks && rules.quirks.contains(.interruptedFails))
        )
    }
}

/// The point at which every restore fails.
struct RestoreBreak: Sendable {
    let failure: StoreFailure
    /// The number of transactions restored before the failure.
    let count: Int
}
