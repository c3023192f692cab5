import Foundation

// The rules of purchases of generic products by signed requests of the Advanced Commerce API.
extension SandboxState {
    /// Whether a payment may have request data: Store Kit 2 buys a generic product with it.
    @inline(__always)
    func isRequested(_ payment: StorePayment, _ product: ProductIndex?) -> Bool {
        payment.isStoreKit2 && product.map(catalog.isAdvancedCommerce) ?? false
    }

    /// Returns the reason why the order of a generic product is not sold; nil if it may be.
    func refusal(
        ofRequestOf payment: StorePayment,
        _ product: ProductIndex,
        _ account: AccountID,
        _ rules: borrowing SandboxRules,
        now: Date
    ) -> StoreFailure? {
        let name = payment.productIdentifier
        guard payment.requestData != nil else {
            return AdvancedCommerceFault.nullAdvancedCommerceData.failure(of: name)
        }
        let isPlain = payment.discount == nil && payment.offer == nil && payment.billingPlan == nil
        guard isPlain, payment.purchaseDate == nil, payment.quantity == 1 else {
            return .storeKit(.paymentInvalid, "the request for \(name) came with other terms, which it has itself")
        }
        guard let proof = payment.requestProof, !offers.hasSeen(proof.claims.nonce),
            rules.offers.accepts(proof, in: payment, at: now)
        else { return AdvancedCommerceFault.invalidSignature.failure(of: name) }
        return refusal(ofRequestOf: payment, product, account)
    }

    /// Returns the reason why a payment's request cannot be fulfilled, regardless of its signature; nil if it can be.
    func refusal(ofRequestOf payment: StorePayment, _ product: ProductIndex, _ account: AccountID) -> StoreFailure? {
        do throws(AdvancedCommerceFault) {
            guard let proof = payment.requestProof else { throw .malformedPayload }
            let request = try AdvancedCommerceRequest(proof.claims.request)
            if let user = payment.applicationUsername.flatMap({ UUID(uuidString: $0) }),
                user != request.info.appAccountToken
            {
                throw .invalidAppAccountToken
            }
            try check(request.info, storefront: request.storefront, currency: request.currency)
            _ = try effect(of: request, product, account)
            return nil
        } catch {
            return error.failure(of: payment.productIdentifier)
        }
    }

    /// Throws unless a request is new, and made for the storefront.
    func check(
        _ info: AdvancedCommerceRequestInfo,
        storefront: String?,
        currency: String?
    ) throws(AdvancedCommerceFault) {
        if server.advancedCommerce.hasUsed(info.reference) { throw .repeatedRequestReferenceID }
        if let storefront {
            guard Storefronts.storefront(storefront) != nil else { throw .invalidStorefront }
            guard storefront == catalog.countryCode else { throw .mismatchedStorefront }
        }
        if let currency, currency != Storefronts.country(catalog.countryCode)?.currency { throw .invalidCurrency }
    }

    /// Throws if a request names the token of an older renewal of a subscription.
    func check(
        _ info: AdvancedCommerceRequestInfo,
        for subscription: SubscriptionIndex
    ) throws(AdvancedCommerceFault) {
        guard let token = info.consistencyToken,
            token != server.advancedCommerce.consistencyToken(of: subscription)
        else { return }
        throw .invalidConsistencyToken
    }

    /// The effect of a request.
    private enum RequestEffect {
        case charge(AdvancedCommerceContent)
        /// A period begins now, of a new subscription or in continuation of one.
        case begin(AdvancedCommerceContent, SubscriptionIndex?)
        /// A period replaces the running one, and ends with it, for a price in proportion.
        case replaceRest(AdvancedCommerceModification, SubscriptionIndex)
        /// The running period continues, and renews.
        case renew(SubscriptionIndex)
    }

    private func effect(
        of request: AdvancedCommerceRequest,
        _ product: ProductIndex,
        _ account: AccountID
    ) throws(AdvancedCommerceFault) -> RequestEffect {
        let isCharge = if case .charge = request.operation { true } else { false }
        guard (catalog.kind(of: product) == .consumable) == isCharge else { throw .invalidProduct }
        switch request.operation {
        case .charge(let content): return .charge(content)
        case .create(let content, let previous):
            let known = try previous.map { previous throws(AdvancedCommerceFault) in
                guard let index = try? requestedSubscription(of: previous, product, account) else {
                    throw .invalidPreviousTransactionID
                }
                return index
            }
            if let known {
                // As for other products, a renewal that is not paid for ends a subscription without a grace period.
                if subscriptions.isEntitled(known) { throw .invalidPreviousSubscription }
                try check(request.info, for: known)
            }
            return try begin(content, known, account)
        case .modify(let transaction, let modification):
            let index = try requestedSubscription(of: transaction, product, account)
            guard subscriptions[index].isRunning, subscriptions.trouble(of: index) == nil,
                let known = server.advancedCommerce[index]
            else { throw .inactiveSubscription }
            try check(request.info, for: index)
            try modification.check(running: known.current, next: known.next, request.info)
            if !modification.isImmediate { return .renew(index) }
            if modification.retainsBillingCycle { return .replaceRest(modification, index) }
            return .begin(modification.now(known.current, request.info), index)
        case .reactivate(let transaction, let skus):
            let index = try requestedSubscription(of: transaction, product, account)
            guard let known = server.advancedCommerce[index] else { throw .subscriptionNotEligible }
            let isRunning = subscriptions[index].isRunning
            if isRunning, subscriptions[index].willRenew { throw .subscriptionAlreadyActive }
            try check(request.info, for: index)
            for sku in skus ?? [] where known.next.index(of: sku) == nil { throw .invalidSKUMustBeCurrent }
            return isRunning ? .renew(index) : try begin(known.next.reactivated(skus, request.info), index, account)
        }
    }

    /// Returns the beginning of a subscription, or of an ended one again.
    ///
    /// - Throws: ``AdvancedCommerceFault/subscriptionAlreadyExists`` if another running subscription of the account has
    ///   one of the items, even if its renewal is not paid for.
    private func begin(
        _ content: AdvancedCommerceContent,
        _ known: SubscriptionIndex?,
        _ account: AccountID
    ) throws(AdvancedCommerceFault) -> RequestEffect {
        let skus = Set(content.items.map { ExactText($0.sku) })
        for index in subscriptions.all(of: account) where index != known && subscriptions[index].isRunning {
            guard let other = server.advancedCommerce[index] else { continue }
            let held = other.current.items + other.next.items
            if held.contains(where: { skus.contains(ExactText($0.sku)) }) { throw .subscriptionAlreadyExists }
        }
        return .begin(content, known)
    }

    /// Returns the subscription that a transaction belongs to, which renews as a generic product.
    private func requestedSubscription(
        of transaction: String,
        _ product: ProductIndex,
        _ account: AccountID
    ) throws(AdvancedCommerceFault) -> SubscriptionIndex {
        guard let number = TransactionNumber(transaction) else { throw .invalidTransactionID }
        guard let place = accounts[account].history.index(of: number) else {
            let isOthers = accounts.contains { $0.history.index(of: number) != nil }
            throw isOthers ? .productNotOwned : .transactionIDNotFound
        }
        guard let original = accounts[account].history[place].term?.original,
            let index = subscriptions.index(ofOriginal: original)
        else { throw .subscriptionDoesNotExist }
        guard server.advancedCommerce[index] != nil else { throw .subscriptionNotEligible }
        // A subscription that was migrated has its former product until it renews.
        guard subscriptions[index].renewsAs == product else { throw .invalidProduct }
        return index
    }

    /// Returns the sale of a request's purchase now.
    func sale(
        of request: AdvancedCommerceRequest,
        _ product: ProductIndex,
        _ account: AccountID,
        _ transaction: TransactionNumber,
        ordered: Date,
        at now: Date,
        _ rate: RenewalRate
    ) -> Result<Sale, AdvancedCommerceFault> {
        let effect: RequestEffect
        do throws(AdvancedCommerceFault) {
            effect = try self.effect(of: request, product, account)
        } catch {
            return .failure(error)
        }
        switch effect {
        case .charge(let content): return .success(Sale(charge: content.price))
        case .begin(let content, let known):
            let last = known.map { subscriptions[$0].term }
            let (term, charge) = term(
                of: product,
                content,
                original: last.map { ($0.original, $0.originalDate) } ?? (transaction, ordered),
                after: BillingCycle(from: now, at: rate),
                rate
            )
            return .success(Sale(charge: charge, subscription: .begins(term)))
        case .replaceRest(let modification, let index):
            let last = subscriptions[index].term
            let term = SubscriptionTerm(
                product: product,
                start: now,
                cycle: last.cycle,
                offer: nil,
                original: last.original,
                originalDate: last.originalDate
            )
            let known = server.advancedCommerce[index]
            let share = last.remainingFraction(at: now, since: known?.cycleStart)
            let prices = known.map { modification.proratedPrices(for: share, of: $0.current) } ?? []
            let charge = Decimal(prices.reduce(0) { $0 + $1.price }) / 1000
            return .success(Sale(charge: charge, subscription: .begins(term)))
        case .renew(let index):
            let change = SubscriptionChange.renewsAs(product: product, subscriptions[index].term)
            return .success(Sale(charge: 0, subscription: change))
        }
    }

    /// Returns the period of a content, and its price; the period begins at the end of a cycle.
    func term(
        of product: ProductIndex,
        _ content: AdvancedCommerceContent,
        original: (transaction: TransactionNumber, date: Date),
        after cycle: BillingCycle,
        _ rate: RenewalRate
    ) -> (SubscriptionTerm, charge: Decimal) {
        let period = content.length ?? catalog.period(of: product) ?? .init(1, .month)
        let term = SubscriptionTerm(
            product: product,
            start: cycle.end,
            cycle: cycle.adding(period, at: rate),
            offer: nil,
            original: original.transaction,
            originalDate: original.date
        )
        return (term, content.price)
    }
}

extension AdvancedCommerceModification {
    /// Throws if the modification does not fit a subscription.
    fileprivate func check(
        running: AdvancedCommerceContent,
        next: AdvancedCommerceContent,
        _ info: AdvancedCommerceRequestInfo
    ) throws(AdvancedCommerceFault) {
        for sku in removals where next.index(of: sku) == nil { throw .removeItemNotFound }
        for change in changes {
            guard let place = (change.isImmediate ? running : next).index(of: change.sku) else {
                throw .changeItemNotFound
            }
            let item = (change.isImmediate ? running : next).items[place]
            if change.sku.isExactly(change.item.sku), change.item.price != item.price, !change.appliesOffer {
                throw .priceChangeNotSupportedThroughModifyItems
            }
            if change.isImmediate, retainsBillingCycle, item.offer != nil { throw .offerPreventsItemMidCycleChange }
        }
        let (now, later) = (now(running, info), later(next, info))
        guard !later.items.isEmpty, !now.items.isEmpty else { throw .removalAllNotAllowed }
        for content in [now, later] {
            guard Set(content.items.map { ExactText($0.sku) }).count == content.items.count else {
                throw .productAlreadyExists
            }
        }
        if let period {
            let touched = changes.map(\.sku) + removals
            let content = period.isImmediate ? running : next
            guard content.items.allSatisfy({ item in touched.contains(where: item.sku.isExactly) }) else {
                throw .missingUpdatedItemsWithPeriodChange
            }
        }
        guard !isImmediate || now.isAligned, later.isAligned else { throw .misalignedBillingCycle }
    }
}
