import Foundation

// The rules of orders with an offer, a billing plan, or a date in the past.
extension SandboxState {
    /// Returns the reason why an order with special terms is not sold; nil if it may be.
    func refusal(
        ofTermsOf payment: StorePayment,
        _ product: ProductIndex,
        _ account: AccountID,
        _ rules: borrowing SandboxRules,
        now: Date
    ) -> StoreFailure? {
        let name = payment.productIdentifier
        if payment.plan == .monthly, let refusal = refusal(ofMonthly: product) { return refusal }
        if let date = payment.purchaseDate,
            let refusal = refusal(ofDate: date, of: payment, product, account, rules, now: now)
        {
            return refusal
        }
        if let discount = payment.discount {
            guard payment.offer == nil else {
                return .storeKit(.paymentInvalid, "the payment for \(name) carries two offers: a discount and another")
            }
            return refusal(of: discount, in: payment, product, account, rules.offers, now: now)
        }
        guard let offer = payment.offer else { return nil }
        return refusal(of: offer, in: payment, product, account, rules, now: now)
    }

    /// Returns the reason why a product is not sold in monthly payments; nil if it is.
    func refusal(ofMonthly product: ProductIndex) -> StoreFailure? {
        guard catalog.monthlyTerms(of: product) == nil else { return nil }
        let reason = "\(catalog[product].identifier) is not sold in monthly payments: it is no year with such a plan"
        return .storeKit(.paymentInvalid, reason)
    }

    // MARK: Dates

    /// Adds the events of an order that a test dates in the past.
    ///
    /// The record of a purchase has that date, even if preceding records are dated later. The caller adds the renewals
    /// until now.
    func decide(
        _ command: StoreCommand,
        _ payment: StorePayment,
        dated date: Date,
        from device: DeviceID,
        isAuthorized: Bool,
        rules: borrowing SandboxRules,
        now: Date,
        _ events: inout [LedgerRecord]
    ) {
        guard !devices[device].taken.has(command.id) else { return }
        var copy = self
        let event = copy.order(payment, command.id, device, isAuthorized: isAuthorized, rules, dated: date, now: now)
        switch event {
        case .sold(let order), .held(let order, _):
            events.append(LedgerRecord(date: date, event: event))
            addEndOfRenewal(of: order, date, &events)
        case .ordered: events.append(LedgerRecord(date: date, event: event))
        // A failed order bought nothing, so its event is dated now.
        default: events.append(LedgerRecord(date: now, event: event))
        }
    }

    /// Adds the event that turns off the renewal of a subscription that was ordered with a past purchase date.
    ///
    /// Adds nothing if the payment's `renewsUntilNow` is true.
    func addEndOfRenewal(of order: StoreEvent.Order, _ date: Date, _ events: inout [LedgerRecord]) {
        guard order.subscription != nil, let account = order.account, let product = order.product else { return }
        addEndOfRenewal(of: order.payment, product, account, date, &events)
    }

    /// Adds the event that turns off the renewal of a subscription that was bought with a past purchase date.
    ///
    /// Adds nothing if the payment's `renewsUntilNow` is true.
    func addEndOfRenewal(
        of payment: StorePayment,
        _ product: ProductIndex,
        _ account: AccountID,
        _ date: Date,
        _ events: inout [LedgerRecord]
    ) {
        guard payment.hasSpecialTerms, payment.purchaseDate != nil, !payment.renewsUntilNow,
            let group = catalog.group(of: product)
        else { return }
        // If the group has no subscription yet, the purchase's event, applied before this one, creates it with the next
        // index.
        let index = subscriptions.index(of: group, account: account) ?? subscriptions.indices.upperBound
        events.append(LedgerRecord(date: date, event: .autoRenewal(subscription: index, false)))
    }

    /// Returns the reason why an order cannot be sold at a date in the past; nil if it can.
    private func refusal(
        ofDate date: Date,
        of payment: StorePayment,
        _ product: ProductIndex,
        _ account: AccountID,
        _ rules: borrowing SandboxRules,
        now: Date
    ) -> StoreFailure? {
        func refusal(_ reason: String) -> StoreFailure {
            .storeKit(.paymentInvalid, "\(payment.productIdentifier) was ordered for another date, \(reason)")
        }
        guard rules.acceptsTestPurchases else { return refusal("which only a store that accepts test purchases sells") }
        guard date >= .distantPast, date <= now else { return refusal("which is not in the past") }
        if isOverlapped(product, account, from: date, now: now) {
            return refusal("after which the account has had a subscription of the group already")
        }
        guard payment.renewsUntilNow, let usual = catalog.period(of: product) else { return nil }
        let period = payment.plan == .monthly ? Commitment.period : usual
        let length = rules.renewalRate.end(of: period, from: date).timeIntervalSince(date)
        let count = now.timeIntervalSince(date) / length
        guard count <= Double(Self.maximumRenewalsInOneMove) else {
            return refusal("since when it would have been renewed more than \(Self.maximumRenewalsInOneMove) times")
        }
        return nil
    }

    /// Whether an account's newest period in a product's group rules out a purchase on a date.
    private func isOverlapped(_ product: ProductIndex, _ account: AccountID, from date: Date, now: Date) -> Bool {
        guard let group = catalog.group(of: product),
            let index = subscriptions.index(of: group, account: account)
        else { return false }
        let last = subscriptions[index].term
        // A date in the running period is valid: the order changes the subscription, as it would have on that date.
        return date < (subscriptions[index].isRunning ? last.start : min(last.end, now))
    }

    /// Returns the reason why an undecided order can no longer have its requested date; nil if it can, or has none.
    func refusalOfDate(of payment: StorePayment, _ product: ProductIndex, by account: AccountID, now: Date)
        -> StoreFailure?
    {
        guard payment.hasSpecialTerms, let date = payment.purchaseDate,
            isOverlapped(product, account, from: date, now: now)
        else { return nil }
        let reason = "\(payment.productIdentifier) was ordered for a date after which its group has another period now"
        return .storeKit(.paymentInvalid, reason)
    }
}

extension StorePayment {
    /// The billing plan, up front unless the payment has another.
    var plan: StoreProduct.BillingPlan { hasSpecialTerms ? billingPlan ?? .upFront : .upFront }
}

extension StoreProduct.BillingPlan {
    /// The plan in a sentence.
    var words: String { self == .upFront ? "up front" : "monthly" }
}
