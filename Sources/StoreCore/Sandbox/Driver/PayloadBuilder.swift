import Foundation

/// Builds the payloads of transactions and subscriptions from a store's ledger, at a moment.
struct PayloadBuilder {
    let index: TransactionIndex
    let now: Date
    let renewalRate: RenewalRate
    var bundleIdentifier: String { index.bundleIdentifier }
    let environment: String
    var state: SandboxState { index.state }
}

// MARK: - Transactions

extension PayloadBuilder {
    /// Returns the payload of a transaction.
    func payload(of transaction: GrantedTransaction) -> TransactionPayload {
        if let original = index.restored(by: transaction) { return payload(of: transaction, original) }
        return payload(of: transaction, transaction)
    }

    // In one expression: to change a payload that is there copies it.
    private func payload(of transaction: GrantedTransaction, _ original: GrantedTransaction) -> TransactionPayload {
        let purchase = index.purchase(of: transaction)
        let term = purchase?.term
        // A change that begins at the renewal has no part in the period that runs until then.
        let isOfPeriod = term != nil && purchase?.isDeferredChange == false
        let offer = isOfPeriod ? term?.offer?.offer : nil
        let isShared = purchase?.isShared == true
        let cancellation = state.revocations.cancellation(of: original.number)
        let identifier = transaction.number.identifier
        let originalNumber = term?.original ?? original.number
        let price = original.country == nil ? nil : original.price
        return TransactionPayload(
            transactionId: identifier,
            originalTransactionId: originalNumber == transaction.number ? identifier : originalNumber.identifier,
            webOrderLineItemId: term == nil ? nil : original.period?.identifier,
            bundleId: bundleIdentifier,
            productId: transaction.payment.productIdentifier,
            subscriptionGroupIdentifier: term.flatMap { state.catalog.group(of: $0.product) },
            purchaseDate: PayloadDate(transaction.date),
            originalPurchaseDate: PayloadDate(term?.originalDate ?? original.date),
            expiresDate: term.map { PayloadDate($0.end) },
            quantity: transaction.payment.quantity,
            type: TransactionPayload.ProductType(state.catalog.kind(of: transaction.product)),
            appAccountToken: isShared ? nil : token(of: transaction, original),
            inAppOwnershipType: isShared ? .familyShared : .purchased,
            signedDate: PayloadDate(now),
            revocationDate: cancellation.map { PayloadDate($0) },
            revocationReason: cancellation == nil ? nil : .other,
            revocationType: cancellation == nil ? nil : isShared ? .familyRevoke : .fullRefund,
            revocationPercentage: cancellation == nil || isShared ? nil : 100_000,
            isUpgraded: isOfPeriod && index.isReplaced(original) ? true : nil,
            offerType: offer.map { TransactionPayload.OfferType($0.kind) },
            offerIdentifier: offer?.terms.identifier,
            offerDiscountType: offer.map { TransactionPayload.OfferDiscountType($0.terms.paymentMode) },
            offerPeriod: offer?.terms.length,
            environment: environment,
            storefront: original.country?.storefront.countryCode,
            storefrontId: original.country?.storefront.identifier,
            transactionReason: original.isRenewal ? .renewal : .purchase,
            currency: price == nil ? nil : original.country?.currency,
            price: price,
            appTransactionId: index.appTransactionIdentifier(of: transaction.account),
            billingPlanType: term == nil ? nil : .upFront
        )
    }

    /// Whether an account's list of transactions has it: a change of how a subscription renews bought no period.
    func isListed(_ transaction: GrantedTransaction) -> Bool {
        index.purchase(of: transaction)?.isDeferredChange != true
    }

    /// Returns the identifier of the order that a transaction belongs to; nil for what the family shares.
    func orderIdentifier(of transaction: GrantedTransaction) -> String? {
        let original = index.original(of: transaction)
        return index.purchase(of: original)?.isShared == true ? nil : original.number.orderIdentifier
    }

    /// Returns the UUID of the app's user: the one that a server has set, else the one that the payment had.
    private func token(of transaction: GrantedTransaction, _ original: GrantedTransaction) -> String? {
        let first = index.purchase(of: transaction)?.term?.original ?? original.number
        if let token = state.server.token(of: original.number, original: first) { return token.uuidString.lowercased() }
        return Self.token(transaction.payment.applicationUsername)
    }

    /// Returns the name of an app's user if it is a UUID.
    private static func token(_ applicationUsername: String?) -> String? {
        applicationUsername.flatMap { UUID(uuidString: $0) }?.uuidString.lowercased()
    }

}

// MARK: - Subscriptions

extension PayloadBuilder {
    /// A subscription's newest transaction and its renewal.
    typealias Standing = (transaction: TransactionPayload, renewal: RenewalPayload)

    /// Returns an account's subscription in a group, then those that its family shares with it, then those that it no
    /// longer shares.
    func standings(of account: AccountID, in group: String) -> [Standing] {
        var standings: [Standing] = []
        if let own = state.subscriptions.index(of: group, account: account) {
            let original = state.subscriptions[own].term.original
            if let transaction = index.newestPeriod(of: original, by: account) {
                standings.append((payload(of: transaction), renewal(of: own)))
            }
        }
        for share in state.families.shares(with: account) where state.catalog.group(of: share.product) == group {
            guard case .subscription(let original) = share.key.item, let term = share.term,
                let subscription = state.subscriptions.index(ofOriginal: original),
                let transaction = index.newestPeriod(of: term.original, by: account)
            else { continue }
            standings.append((payload(of: transaction), renewal(of: subscription, sharedAs: term, with: account)))
        }
        for share in state.families.endedShares(with: account) where state.catalog.group(of: share.product) == group {
            guard case .subscription(let original) = share.key.item, let term = share.term,
                let subscription = state.subscriptions.index(ofOriginal: original),
                let transaction = index.newestPeriod(of: term.original, by: account)
            else { continue }
            var renewal = renewal(of: subscription, sharedAs: term, with: account)
            renewal.endSharing()
            standings.append((payload(of: transaction), renewal))
        }
        return standings
    }

    /// Returns an account's own subscription, with another transaction of it than the newest if there is one; nil if none of
    /// its periods is left.
    func standing(of index: SubscriptionIndex, with transaction: GrantedTransaction? = nil) -> Standing? {
        let subscription = state.subscriptions[index]
        let newest = self.index.newestPeriod(of: subscription.term.original, by: subscription.account)
        return (transaction ?? newest).map { (payload(of: $0), renewal(of: index)) }
    }

    /// The groups in which an account ever had a subscription of its own or of its family's.
    func groups(of account: AccountID) -> [String] {
        var groups: [String] = []
        for product in index.products(of: account) {
            guard let group = state.catalog.group(of: product), !groups.contains(group) else { continue }
            groups.append(group)
        }
        return groups
    }

    /// Returns the renewal of an account's own subscription.
    private func renewal(of index: SubscriptionIndex) -> RenewalPayload {
        let subscription = state.subscriptions[index]
        var payload = renewal(of: index, as: subscription.term, account: subscription.account)
        payload.recentSubscriptionStartDate = PayloadDate(subscription.since)
        payload.appAccountToken = Self.token(subscription.applicationUsername)
        switch state.subscriptions.increase(of: index)?.consent {
        case .pending: payload.priceIncreaseStatus = .pending
        case .agreed: payload.priceIncreaseStatus = .agreed
        case nil: break
        }
        if payload.autoRenewStatus == .on { addNextPeriod(of: index, to: &payload) }
        if !subscription.isRunning {
            let offers = winBackOffers(in: subscription.group, for: subscription.account)
            payload.eligibleWinBackOfferIds = offers.isEmpty ? nil : offers
        }
        return payload
    }

    /// Returns the renewal of a subscription that a member of the family has: without what concerns its purchaser alone.
    private func renewal(
        of index: SubscriptionIndex,
        sharedAs term: SubscriptionTerm,
        with member: AccountID
    ) -> RenewalPayload {
        var payload = renewal(of: index, as: term, account: member)
        payload.recentSubscriptionStartDate = PayloadDate(term.originalDate)
        return payload
    }

    private func renewal(
        of index: SubscriptionIndex,
        as term: SubscriptionTerm,
        account: AccountID
    ) -> RenewalPayload {
        let subscription = state.subscriptions[index]
        let trouble = state.subscriptions.trouble(of: index)
        var payload = RenewalPayload(
            originalTransactionId: term.original.identifier,
            productId: state.catalog[term.product].identifier,
            autoRenewProductId: state.catalog[subscription.renewsAs].identifier,
            autoRenewStatus: subscription.isRunning && subscription.willRenew ? .on : .off,
            environment: environment,
            signedDate: PayloadDate(now)
        )
        payload.renewalDate = PayloadDate(term.end)
        payload.expirationIntent =
            trouble != nil ? .billingError : subscription.end.flatMap(RenewalPayload.ExpirationIntent.init)
        payload.isInBillingRetryPeriod = trouble != nil
        payload.gracePeriodExpiresDate = (trouble?.graceEnd).map { PayloadDate($0) }
        payload.appTransactionId = self.index.appTransactionIdentifier(of: account)
        return payload
    }

    /// Adds what the next period will cost, and its offer.
    private func addNextPeriod(of index: SubscriptionIndex, to payload: inout RenewalPayload) {
        let subscription = state.subscriptions[index]
        guard let period = state.catalog.period(of: subscription.renewsAs) else { return }
        let (term, charge) = state.nextTerm(
            after: subscription.term.cycle,
            of: index,
            subscription.term,
            subscription.renewsAs,
            period,
            renewalRate
        )
        payload.setOffer(term.offer?.offer)
        payload.renewalBillingPlanType = .upFront
        payload.renewalPrice = Thousandths.exact(charge)
        if payload.renewalPrice != nil {
            payload.currency = Storefronts.country(state.catalog.countryCode)?.currency
        }
    }

    private func winBackOffers(in group: String, for account: AccountID) -> [String] {
        state.catalog.onSale(inGroup: group, at: now).flatMap { product in
            let offers = state.catalog.subscription(of: product)?.winBackOffers.map(\.offer) ?? []
            return offers.filter { $0.billingPlan == .upFront }
                .filter { state.refusal(of: SubscriptionOffer(.winBack, $0.terms), of: product, account) == nil }
                .compactMap(\.terms.identifier)
        }
    }
}

extension RenewalPayload {
    /// Makes it the renewal of a subscription that is no longer shared: whatever its purchaser does, it does not renew.
    fileprivate mutating func endSharing() {
        autoRenewStatus = .off
        expirationIntent = nil
        isInBillingRetryPeriod = false
        gracePeriodExpiresDate = nil
    }
}
