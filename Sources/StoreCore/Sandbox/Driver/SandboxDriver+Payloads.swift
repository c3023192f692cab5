import Foundation

// The signer is client code, so everything that calls it runs without the store's lock.
extension SandboxDriver {
    /// Calls `body` with the whole history, as payloads, after performing everything due by now.
    ///
    /// The first call reads the whole ledger; so does the first one after a partly applied change was reverted. Every
    /// other call costs only what `body` reads.
    func read<R>(_ body: (PayloadBuilder) throws -> R) throws -> R { try read(in: payloadSigner.environment, body) }

    /// Calls `body` like ``read(_:)``, with payloads that name an environment.
    ///
    /// With `isForApp`, the store's quirks change what the payloads show.
    func read<R>(
        in environment: String,
        isForApp: Bool = false,
        _ body: (PayloadBuilder) throws -> R
    ) throws -> R {
        try use { driverState, now in
            driverState.bringUpToDate(now)
            let renewalRate = driverState.settings.rules.renewalRate
            let hasQuirks = isForApp && driverState.settings.rules.hasQuirks
            let quirks = hasQuirks ? HistoryQuirks(driverState.concealed, driverState.settings.rules) : nil
            return try driverState.readIndex(of: bundleIdentifier) { index in
                var builder = PayloadBuilder(
                    index: index,
                    now: now,
                    renewalRate: renewalRate,
                    environment: environment
                )
                builder.quirks = quirks
                return try body(builder)
            }
        }
    }

    /// Calls `body` like ``read(_:)``, with one transaction; returns nil if there is no such transaction.
    ///
    /// For a sale of anything but a subscription, even the first call does not read the whole ledger.
    func read<R>(
        _ identifier: String,
        in environment: String? = nil,
        _ body: (PayloadBuilder, GrantedTransaction) throws -> R?
    ) throws -> R? {
        let environment = environment ?? payloadSigner.environment
        guard let number = TransactionNumber(identifier) else { return nil }
        return try use { driverState, now in
            driverState.bringUpToDate(now)
            let renewalRate = driverState.settings.rules.renewalRate
            return try driverState.readIndex(for: number, of: bundleIdentifier) { index in
                guard let transaction = index[number] else { return nil }
                return try body(
                    PayloadBuilder(index: index, now: now, renewalRate: renewalRate, environment: environment),
                    transaction
                )
            }
        }
    }

    /// Returns a transaction of any account or, if a device is given, of the account that is signed in on the device.
    func signedTransaction(_ identifier: String, on device: DeviceID? = nil) throws -> SignedValue<TransactionPayload> {
        guard let transaction = try transaction(identifier, on: device) else {
            throw SandboxError(.unknownTransaction(identifier))
        }
        return transaction
    }

    /// Returns a transaction like ``signedTransaction(_:on:)``, but nil if there is none.
    func transaction(_ identifier: String, on device: DeviceID?) throws -> SignedValue<TransactionPayload>? {
        let (sealer, defect) = sealer(for: device)
        let found = try read(identifier, in: sealer.signer.environment) {
            builder,
            transaction -> SignedValue<TransactionPayload>? in
            guard device.map({ builder.state.devices[$0].account == transaction.account }) ?? true else { return nil }
            return sealer.unsigned(builder.payload(of: transaction))
        }
        // A payload with a defect is signed at once, without the store's lock, since the signer is client code.
        return if let found, let defect { sealer.signed(found.content, defect) } else { found }
    }

    /// Returns the transactions of an account or, without one, of the account signed in on the device.
    func signedTransactions(
        of account: AccountID? = nil,
        on device: DeviceID? = nil
    ) throws -> [SignedValue<TransactionPayload>] {
        let payloads = try read { builder -> [TransactionPayload] in
            guard let account = account ?? device.flatMap({ builder.state.devices[$0].account }) else { return [] }
            return builder.index.transactions(of: account).filter(builder.isListed).map(builder.payload)
        }
        return signed(payloads, on: device)
    }

    /// Returns an account's subscriptions in a group; without an account, those of the account signed in on the device.
    func signedSubscriptions(
        inGroup group: String,
        of account: AccountID? = nil,
        on device: DeviceID? = nil
    ) throws -> [SignedSubscription] {
        let standings = try read { builder -> [PayloadBuilder.Standing] in
            guard let account = account ?? device.flatMap({ builder.state.devices[$0].account }) else { return [] }
            return builder.standings(of: account, in: group)
        }
        return standings.map { signed($0, on: device) }
    }

    func signed(_ standing: PayloadBuilder.Standing, on device: DeviceID?) -> SignedSubscription {
        let (transaction, renewal) = standing
        return SignedSubscription(transaction: signed(transaction, on: device), renewal: signed(renewal, on: device))
    }

    /// Returns the purchase of the app by an account or, without one, by the account signed in on the device.
    func signedAppTransaction(
        of account: AccountID? = nil,
        on device: DeviceID? = nil
    ) throws -> SignedValue<AppTransactionPayload> {
        let payload = try read { builder in
            appTransaction(of: account ?? device.flatMap { builder.state.devices[$0].account }, builder)
        }
        return signed(payload, on: device)
    }

    /// Returns the payload of the purchase of the app by an account.
    func appTransaction(of account: AccountID?, _ builder: PayloadBuilder) -> AppTransactionPayload {
        var payload = AppTransactionPayload(
            bundleId: bundleIdentifier,
            applicationVersion: bundleVersion,
            environment: builder.environment,
            signedDate: PayloadDate(builder.now)
        )
        payload.appAppleId = appAppleIdentifier(in: builder.environment)
        if builder.environment == ReceiptEnvelope.xcode { payload.requestDate = payload.receiptCreationDate }
        payload.appTransactionId = account.map(builder.index.appTransactionIdentifier)
        let purchase = builder.state.operatorState.appPurchases.stated(for: account)
        payload.originalPurchaseDate = PayloadDate(purchase.statedDate)
        payload.originalApplicationVersion = purchase.statedVersion
        payload.originalPlatform = purchase.platform?.rawValue
        return payload
    }

    /// Returns a payload that is signed when it is read, or taken from the cache: see ``SealedPayloads``.
    func signed<Payload: SandboxPayload>(_ payload: Payload, on device: DeviceID?) -> SignedValue<Payload> {
        let (sealer, defect) = sealer(for: device)
        return sealer.signed(payload, defect)
    }

    /// Returns payloads that are signed when they are read; those that were read before come from the cache.
    func signed<Payload: SandboxPayload>(_ payloads: [Payload], on device: DeviceID?) -> [SignedValue<Payload>] {
        let (sealer, defect) = sealer(for: device)
        return payloads.map { sealer.signed($0, defect) }
    }

    func sealer(for device: DeviceID?) -> (PayloadSealer, SignatureDefect?) {
        let (known, defect) = signing.withLock { ($0.sealers[device], $0.defect) }
        if let known { return (known, defect) }
        let place = device.map { device in (device, name: state.withLock { $0.state.devices[device].name }) }
        return signing.withLock { signing in
            let sealer = PayloadSealer(
                signer: signing.preferred ?? ownPayloadSigner,
                bundleIdentifier: bundleIdentifier,
                device: place,
                last: signing.last
            )
            signing.sealers[device] = sealer
            return (sealer, signing.defect)
        }
    }
}

extension PayloadSealer {
    /// Returns a payload that is signed when its JWS is first read.
    func unsigned<Payload: SandboxPayload>(_ payload: consuming Payload) -> SignedValue<Payload> {
        SignedValue(payload, sealing: sealed)
    }

    /// Returns a payload that is signed when its JWS is first read, or at once if it gets a defect.
    func signed<Payload: SandboxPayload>(_ payload: Payload, _ defect: SignatureDefect?) -> SignedValue<Payload> {
        guard let defect else { return unsigned(payload) }
        return SignedValue(tied(payload), signer: signer, defect: defect, device: deviceIdentifier)
    }
}

/// A builder of payloads of transactions and subscriptions from a store's ledger, as of a moment.
struct PayloadBuilder {
    let index: TransactionIndex
    let now: Date
    let renewalRate: RenewalRate
    var bundleIdentifier: String { index.bundleIdentifier }
    let environment: String
    /// The quirks with which an app reads the history; nil for none, and for readers other than apps.
    var quirks: HistoryQuirks?
    var state: SandboxState { index.state }
}

// MARK: - Transactions

extension PayloadBuilder {
    /// Returns the payload of a transaction.
    func payload(of transaction: GrantedTransaction) -> TransactionPayload {
        if let original = index.restored(by: transaction) { return payload(of: transaction, original) }
        return payload(of: transaction, transaction)
    }

    // A single call of the initializer, since setting the members one by one would copy the large value each time.
    private func payload(of transaction: GrantedTransaction, _ original: GrantedTransaction) -> TransactionPayload {
        let purchase = index.purchase(of: transaction)
        let term = purchase?.term
        // A change of product that begins at the renewal has neither the offer of the present period nor its upgrade.
        let isOfPeriod = term != nil && purchase?.isDeferredChange == false
        let offer = isOfPeriod ? term?.offer?.offer : nil
        let isShared = purchase?.isShared == true
        // A product that does not renew has the code in its payment.
        let code = term == nil ? original.payment.redeemedCode : nil
        let cancellation = state.revocations.cancellation(of: original.number)
        let refund = cancellation == nil || isShared ? nil : state.revocations.refund(of: original.number)
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
            revocationReason: cancellation == nil ? nil : refund?.reason.map { .init(rawValue: $0) } ?? .other,
            revocationType: cancellation == nil
                ? nil : isShared ? .familyRevoke : refund?.percentage == nil ? .fullRefund : .proratedRefund,
            revocationPercentage: cancellation == nil || isShared ? nil : refund?.percentage ?? Refund.whole,
            isUpgraded: isOfPeriod && index.isReplaced(original) ? true : nil,
            offerType: offer.map { TransactionPayload.OfferType($0.kind) } ?? code.map { _ in .code },
            offerIdentifier: offer?.terms.identifier ?? code,
            offerDiscountType: offer.map { TransactionPayload.OfferDiscountType($0.terms.paymentMode) }
                ?? code.map { _ in .oneTime },
            offerPeriod: offer?.terms.length,
            environment: environment,
            storefront: original.country?.storefront.countryCode,
            storefrontId: original.country?.storefront.identifier,
            transactionReason: original.isRenewal ? .renewal : .purchase,
            currency: price == nil ? nil : original.country?.currency,
            price: price,
            appTransactionId: index.appTransactionIdentifier(of: transaction.account),
            billingPlanType: term.map { .init($0.billingPlan) },
            commitmentInfo: isOfPeriod ? term?.commitment.flatMap(TransactionPayload.CommitmentInfo.init) : nil,
            bundleProductId: (term?.bundle?.period).map { state.catalog[$0.product].identifier },
            bundleTransactionId: term?.bundle?.period?.transaction.identifier,
            bundleOriginalTransactionId: term?.bundle?.period?.original.identifier,
            bundleSubscriptionGroupIdentifier: (term?.bundle?.period).flatMap { state.catalog.group(of: $0.product) },
            previousOriginalTransactionId: term?.bundle?.previousOriginal?.identifier,
            advancedCommerceInfo: state.server.hasAdvancedCommerce
                ? advancedCommerceInfo(of: original, refund, cancellation) : nil
        )
    }

    /// Returns whether an account's list includes a transaction; false if it only changed how a subscription renews.
    func isListed(_ transaction: GrantedTransaction) -> Bool {
        index.purchase(of: transaction)?.isDeferredChange != true
    }

    /// Returns the identifier of the order that a transaction belongs to; nil for a family member's share.
    func orderIdentifier(of transaction: GrantedTransaction) -> String? {
        let original = index.original(of: transaction)
        return index.purchase(of: original)?.isShared == true ? nil : original.number.orderIdentifier
    }

    /// Returns the UUID of the app's user: the one that a server has set, or else the one in the payment.
    private func token(of transaction: GrantedTransaction, _ original: GrantedTransaction) -> String? {
        let first = index.purchase(of: transaction)?.term?.original ?? original.number
        if let token = state.server.token(of: original.number, original: first) { return token.uuidString.lowercased() }
        if state.server.hasAdvancedCommerce, let user = state.server.advancedCommerce[original.number]?.content.user {
            return user.uuidString.lowercased()
        }
        return Self.token(transaction.payment.applicationUsername)
    }

    /// Returns the name of an app's user if it is a UUID, else nil.
    private static func token(_ applicationUsername: String?) -> String? {
        applicationUsername.flatMap { UUID(uuidString: $0) }?.uuidString.lowercased()
    }

}

// MARK: - Subscriptions

extension PayloadBuilder {
    /// A subscription's newest transaction and its renewal.
    typealias Standing = (transaction: TransactionPayload, renewal: RenewalPayload)

    /// Returns an account's subscriptions in a group: its own, its family's, and those that are no longer shared.
    func standings(of account: AccountID, in group: String) -> [Standing] {
        var standings: [Standing] = []
        for own in state.subscriptions.all(of: account) where state.subscriptions[own].group == group {
            let original = state.subscriptions[own].term.original
            if let transaction = index.newestPeriod(of: original, by: account) {
                let standing = (payload(of: transaction), renewal(of: own))
                if let shown = quirks == nil ? standing : listed(standing, transaction) { standings.append(shown) }
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

    /// Returns a subscription with its newest transaction that is listed; nil if none is listed yet.
    private func listed(_ standing: Standing, _ newest: GrantedTransaction) -> Standing? {
        guard let quirks, quirks.conceals(newest.number, at: now) else { return standing }
        let (original, account) = (TransactionNumber(standing.transaction.originalTransactionId), newest.account)
        let last = original.flatMap { original in
            index.period(of: original, by: account) { !quirks.conceals($0.number, at: now) }
        }
        guard let last else { return nil }
        var (transaction, renewal) = (payload(of: last), standing.renewal)
        // The product that replaces this one is not listed yet.
        transaction.isUpgraded = nil
        renewal.productId = transaction.productId
        renewal.renewalDate = transaction.expiresDate
        return (transaction, renewal)
    }

    /// Returns an account's own subscription, with its newest or the given transaction; nil if no period is left.
    func standing(of index: SubscriptionIndex, with transaction: GrantedTransaction? = nil) -> Standing? {
        let subscription = state.subscriptions[index]
        let newest = self.index.newestPeriod(of: subscription.term.original, by: subscription.account)
        return (transaction ?? newest).map { (payload(of: $0), renewal(of: index)) }
    }

    /// Returns the groups in which an account ever had a subscription, its own or its family's.
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
        if state.server.hasAdvancedCommerce, let user = state.server.advancedCommerce[index]?.next.user {
            payload.appAccountToken = payload.appAccountToken ?? user.uuidString.lowercased()
        }
        switch state.subscriptions.increase(of: index)?.consent {
        case .pending: payload.priceIncreaseStatus = .pending
        case .agreed: payload.priceIncreaseStatus = .agreed
        case nil: break
        }
        if payload.autoRenewStatus == .on { addNextPeriod(of: index, to: &payload) }
        payload.commitmentInfo = commitment(of: index)
        if !subscription.isRunning {
            let offers = winBackOffers(in: subscription.group, for: subscription.account)
            payload.eligibleWinBackOfferIds = offers.isEmpty ? nil : offers
        }
        return payload
    }

    /// Returns the renewal of a family member's shared subscription, without data that concerns only its purchaser.
    private func renewal(
        of index: SubscriptionIndex,
        sharedAs term: SubscriptionTerm,
        with member: AccountID
    ) -> RenewalPayload {
        var payload = renewal(of: index, as: term, account: member)
        payload.recentSubscriptionStartDate = PayloadDate(term.originalDate)
        return payload
    }

    private func renewal(of index: SubscriptionIndex, as term: SubscriptionTerm, account: AccountID) -> RenewalPayload {
        let subscription = state.subscriptions[index]
        let trouble = state.subscriptions.trouble(of: index)
        let willRenew = quirks?.willRenew(index, state.subscriptions, at: now) ?? subscription.continues
        var payload = RenewalPayload(
            originalTransactionId: term.original.identifier,
            productId: state.catalog[term.product].identifier,
            autoRenewProductId: state.catalog[subscription.nextProduct].identifier,
            autoRenewStatus: subscription.isRunning && willRenew ? .on : .off,
            environment: environment,
            signedDate: PayloadDate(now)
        )
        payload.renewalDate = PayloadDate(term.end)
        payload.expirationIntent =
            trouble != nil ? .billingError : subscription.end.flatMap(RenewalPayload.ExpirationIntent.init)
        payload.isInBillingRetryPeriod = trouble != nil
        payload.gracePeriodExpiresDate = (trouble?.graceEnd).map { PayloadDate($0) }
        payload.appTransactionId = self.index.appTransactionIdentifier(of: account)
        setBundle(of: index, in: &payload)
        if state.server.hasAdvancedCommerce { payload.advancedCommerceInfo = advancedCommerceInfo(of: index) }
        return payload
    }

    /// Sets the bundle of a member's next period, or whether the member leaves its bundle.
    private func setBundle(of index: SubscriptionIndex, in payload: inout RenewalPayload) {
        guard let period = state.subscriptions[index].term.bundle?.period else { return }
        var product = period.product
        if let bundle = state.subscriptions.bundle(of: index) {
            if state.subscriptions[bundle].continues {
                let member = state.subscriptions.nextProduct(ofMember: index, in: bundle, state.catalog)
                payload.autoRenewStatus = member == nil ? .off : .on
                if let member {
                    product = state.subscriptions[bundle].nextProduct
                    payload.autoRenewProductId = state.catalog[member].identifier
                }
            } else if state.subscriptions[index].willRenew {
                payload.willUnbundle = true
                return
            }
        }
        payload.bundleProductId = state.catalog[product].identifier
        payload.bundleOriginalTransactionId = period.original.identifier
        payload.bundleSubscriptionGroupIdentifier = state.catalog.group(of: product)
    }

    /// Adds the next period's price and offer.
    private func addNextPeriod(of index: SubscriptionIndex, to payload: inout RenewalPayload) {
        let subscription = state.subscriptions[index]
        if payload.bundleProductId != nil {
            // The bundle is paid for instead.
            payload.renewalBillingPlanType = .upFront
            payload.renewalPrice = 0
            payload.currency = Storefronts.country(state.catalog.countryCode)?.currency
            return
        }
        guard let period = state.catalog.period(of: subscription.nextProduct) else { return }
        let (term, charge) = state.nextTerm(
            after: subscription.term.cycle,
            of: index,
            subscription.term,
            subscription.nextProduct,
            period,
            renewalRate
        )
        payload.setOffer(term.offer?.offer)
        payload.renewalBillingPlanType = .init(term.billingPlan)
        payload.renewalPrice = Thousandths.exact(charge)
        if payload.renewalPrice != nil { payload.currency = Storefronts.country(state.catalog.countryCode)?.currency }
    }

    /// Returns the renewal of the commitment that the running period of a subscription is a part of; nil for none.
    private func commitment(of index: SubscriptionIndex) -> RenewalPayload.CommitmentInfo? {
        let subscription = state.subscriptions[index]
        guard subscription.isRunning, let commitment = subscription.term.commitment, commitment.number > 0,
            let (term, charge) = state.termAfterCommitment(of: index, renewalRate)
        else { return nil }
        return RenewalPayload.CommitmentInfo(
            commitmentAutoRenewProductId: state.catalog[subscription.renewsAs].identifier,
            commitmentAutoRenewStatus: subscription.willRenew ? .on : .off,
            commitmentRenewalBillingPlanType: .init(term.billingPlan),
            commitmentRenewalDate: PayloadDate(commitment.end),
            commitmentRenewalPrice: Thousandths.exact(charge)
        )
    }

    private func winBackOffers(in group: String, for account: AccountID) -> [String] {
        state.catalog.onSale(inGroup: group, at: now).flatMap { product in
            let offers = state.catalog.subscription(of: product)?.winBackOffers.map(\.offer) ?? []
            return offers.filter { state.refusal(of: SubscriptionOffer(.winBack, $0), of: product, account) == nil }
                .compactMap(\.terms.identifier)
        }
    }
}

extension RenewalPayload {
    /// Marks the renewal of a subscription that the family no longer shares, which does not renew for the member.
    fileprivate mutating func endSharing() {
        autoRenewStatus = .off
        expirationIntent = nil
        isInBillingRetryPeriod = false
        gracePeriodExpiresDate = nil
    }
}

// Conversions of the sandbox's values to those of signed payloads.

extension TransactionPayload.ProductType {
    init(_ kind: StoreProduct.Kind) {
        self =
            switch kind {
            case .consumable: .consumable
            case .nonConsumable, .freeSubscription: .nonConsumable
            case .nonRenewing: .nonRenewing
            case .autoRenewable: .autoRenewable
            case .subscriptionSuite: .subscriptionSuite
            case .subscriptionBundle: .subscriptionBundle
            }
    }
}

extension TransactionPayload.OfferType {
    init(_ kind: OfferKind) {
        self =
            switch kind {
            case .introductory: .introductory
            case .promotional: .promotional
            case .code: .code
            case .winBack: .winBack
            }
    }
}

extension TransactionPayload.OfferDiscountType {
    init(_ mode: StoreProduct.Offer.PaymentMode) {
        self =
            switch mode {
            case .freeTrial: .freeTrial
            case .payAsYouGo: .payAsYouGo
            case .payUpFront: .payUpFront
            }
    }
}

extension TransactionPayload.BillingPlanType {
    /// Creates the value of a billing plan; nil is payment up front.
    init(_ plan: StoreProduct.BillingPlan?) { self = plan == .monthly ? .monthly : .upFront }
}

extension TransactionPayload.CommitmentInfo {
    /// Creates the information about a commitment; nil if it has not begun.
    init?(_ commitment: Commitment) {
        guard commitment.number > 0 else { return nil }
        self.init(
            billingPeriodNumber: commitment.number,
            totalBillingPeriods: Commitment.count,
            commitmentExpiresDate: PayloadDate(commitment.end),
            commitmentPrice: Thousandths.exact(commitment.total)
        )
    }
}

extension RenewalPayload.ExpirationIntent {
    /// Creates the reason for an expiration; nil for a revocation, which is no expiration.
    init?(_ end: SubscriptionEndReason) {
        switch end {
        case .autoRenewDisabled: self = .customerCanceled
        case .billingError: self = .billingError
        case .didNotConsentToPriceIncrease: self = .didNotConsentToPriceIncrease
        case .productUnavailable: self = .productUnavailable
        case .renewalLimitReached: self = .other
        case .unbundled: self = .unbundled
        case .revoked: return nil
        }
    }
}

extension StoreProduct.Offer {
    /// The length of the whole offer, all of its periods, in ISO 8601.
    var length: String { StoreProduct.Period(period.count * periodCount, period.unit).iso8601 }
}

extension RenewalPayload {
    /// Sets the four values of an offer, if there is one.
    mutating func setOffer(_ offer: SubscriptionOffer?) {
        guard let offer else { return }
        offerType = TransactionPayload.OfferType(offer.kind)
        offerIdentifier = offer.terms.identifier
        offerDiscountType = TransactionPayload.OfferDiscountType(offer.terms.paymentMode)
        offerPeriod = offer.terms.length
    }
}

extension AppPurchase {
    /// The version that payloads state.
    var statedVersion: String { version ?? AppTransactionPayload.testVersion }

    /// The date that payloads state.
    var statedDate: Date { date ?? AppTransactionPayload.testPurchaseDate }
}
