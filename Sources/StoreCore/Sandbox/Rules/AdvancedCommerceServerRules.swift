import Foundation

/// A function of the Advanced Commerce API that a server calls.
package enum AdvancedCommerceFunction: Hashable, Sendable {
    /// Turns off the renewal of a subscription.
    case cancel
    /// Changes the texts and the SKUs of a subscription.
    case changeMetadata
    /// Changes prices of a subscription at its next renewal.
    case changePrice
    /// Lets a subscription that was bought without a request go on as one of a generic product.
    case migrate
    /// Ends a subscription now, with a refund.
    case revoke
    /// Refunds items of a transaction.
    case requestRefund
}

/// A server's request of the Advanced Commerce API.
struct AdvancedCommerceServerRequest {
    let function: AdvancedCommerceFunction
    let transaction: TransactionNumber
    let members: AdvancedCommerceMembers
    let info: AdvancedCommerceRequestInfo
    /// The store's decision about refunds for which the server accepts a risk assessment.
    let decision: RefundDecision
    /// Whether the store belongs to the production environment.
    let isProduction: Bool
    /// The price of the newest period of the transaction's subscription, in thousandths; nil if it does not matter.
    var periodPrice: Int64?
}

// The rules of servers' requests of the Advanced Commerce API.
extension SandboxState {
    /// Returns the events of a server's request.
    ///
    /// - Throws: the first defect of the request, with nothing changed.
    func events(
        of request: AdvancedCommerceServerRequest,
        _ sale: SoldTransaction?,
        now: Date,
        _ rate: RenewalRate
    ) throws(AdvancedCommerceFault) -> [LedgerRecord] {
        let members = request.members
        try check(request.info, storefront: members.storefront, currency: members.currency)
        guard let sale else { throw .transactionIDNotFound }
        func record(
            _ effect: AdvancedCommerceChange.Effect,
            _ transactions: [TransactionNumber] = []
        ) -> LedgerRecord {
            let change = AdvancedCommerceChange(
                reference: request.info.reference,
                transactions: transactions,
                effect: effect
            )
            return LedgerRecord(date: now, event: .operator(.server(.advancedCommerce(change))))
        }
        switch request.function {
        case .requestRefund: return try refund(request, sale, now: now, record)
        case .migrate:
            let (effect, newest) = try migration(request, sale)
            return [record(effect, [newest])]
        case .cancel, .changeMetadata, .changePrice, .revoke: break
        }
        let (index, known) = try subscription(of: request.transaction, sale)
        try check(request.info, for: index)
        let newest = newestPeriod(of: subscriptions[index].term.original, by: sale.account)
        let isRunning = subscriptions[index].isRunning
        switch request.function {
        case .cancel:
            guard isRunning else { throw .inactiveSubscription }
            let off = setAutoRenew(false, of: index, at: now, rate)
            return [record(.others)] + off.map { LedgerRecord(date: now, event: $0) }
        case .changeMetadata:
            guard isRunning else { throw .inactiveSubscription }
            let (now, later) = try members.renamed(known.current, known.next)
            return [record(.metadata(index, now: now, later: later), [newest])]
        case .changePrice:
            guard isRunning, subscriptions.trouble(of: index) == nil else { throw .inactiveSubscription }
            let (later, increases) = try members.repriced(known, catalog.countryCode)
            return [record(.prices(index, later: later, increases: increases))]
        case .revoke, .migrate, .requestRefund:
            guard isRunning else { throw .revokeOnInactiveSubscription }
            guard let purchase = server.advancedCommerce[newest] else { throw .subscriptionNotEligible }
            let items = try members.wholeRefund(of: purchase)
            let sale = SoldTransaction(account: sale.account, product: subscriptions[index].term.product)
            let refund = try refund(items, newest, request, sale, now: now, record)
            // A refund that is declined or undecided does not end the subscription, which ends as a canceled one does.
            let off =
                refund.contains { $0.event.ends(index) }
                ? subscriptions[index].willRenew ? [.autoRenewal(subscription: index, false)] : []
                : setAutoRenew(false, of: index, at: now, rate)
            return refund + off.map { LedgerRecord(date: now, event: $0) }
        }
    }

    /// Returns the subscription of Advanced Commerce that a transaction belongs to.
    private func subscription(
        of transaction: TransactionNumber,
        _ sale: SoldTransaction
    ) throws(AdvancedCommerceFault) -> (SubscriptionIndex, AdvancedCommerceState.Subscription) {
        let history = accounts[sale.account].history
        guard let original = history.index(of: transaction).flatMap({ history[$0].term?.original }),
            let index = subscriptions.index(ofOriginal: original)
        else { throw .subscriptionDoesNotExist }
        guard let known = server.advancedCommerce[index] else { throw .subscriptionNotEligible }
        return (index, known)
    }

    // MARK: Migration

    /// Returns the migration of a subscription, and the transaction that began its newest period.
    private func migration(
        _ request: AdvancedCommerceServerRequest,
        _ sale: SoldTransaction
    ) throws(AdvancedCommerceFault) -> (AdvancedCommerceChange.Effect, newest: TransactionNumber) {
        let (members, reference) = (request.members, request.info.reference)
        let history = accounts[sale.account].history
        guard let place = history.index(of: request.transaction), let original = history[place].term?.original,
            let index = subscriptions.index(ofOriginal: original)
        else { throw .subscriptionDoesNotExist }
        guard server.advancedCommerce[index] == nil else { throw .subscriptionAlreadyMigrated }
        if subscriptions.increase(of: index)?.consent != nil { throw .migrationNotAllowedWithPriceIncrease }
        guard subscriptions[index].isRunning, subscriptions.trouble(of: index) == nil,
            catalog.kind(of: subscriptions[index].term.product) == .autoRenewable,
            subscriptions[index].term.bundle?.period == nil, subscriptions[index].term.commitment == nil,
            subscriptions[index].renewalPlan == nil, subscriptions[index].term.offer == nil,
            subscriptions.waitingOffer(of: index) == nil,
            let period = catalog.period(of: subscriptions[index].term.product),
            let nextPeriod = catalog.period(of: subscriptions[index].renewsAs)
        else { throw .subscriptionNotEligible }
        guard let target = members.targetProductId else { throw .nullTargetProductID }
        guard let product = catalog.index(of: target), catalog.isAdvancedCommerce(product),
            catalog.kind(of: product) == .autoRenewable
        else { throw .invalidTargetProductID }
        guard let descriptors = members.descriptors else { throw .nullDescriptors }
        let renewsAs = subscriptions[index].renewsAs
        let kept = catalog.hasLocalPrice(renewsAs) ? nil : keptPrice(of: index)
        let price = Self.thousandths(kept ?? catalog.price(of: renewsAs))
        func content(
            _ list: [AdvancedCommerceMembers.Item?]?,
            _ period: StoreProduct.Period,
            _ price: Int64
        ) throws(AdvancedCommerceFault) -> AdvancedCommerceContent {
            let items = try AdvancedCommerceMembers.items(list).enumerated().map {
                place,
                item throws(AdvancedCommerceFault) in
                // The request has no prices: the first item costs what the subscription does.
                try item.renamed(price: place == 0 ? price : 0)
            }
            guard Set(items.map { ExactText($0.sku) }).count == items.count else {
                throw .itemCannotBeSpecifiedMultipleTimes
            }
            return AdvancedCommerceContent(
                reference: reference,
                taxCode: try members.requiredTaxCode,
                descriptors: try descriptors.value,
                period: period,
                items: items
            )
        }
        let now = try content(members.items, period, request.periodPrice ?? price)
        let later = try content(members.renewalItems ?? members.items, nextPeriod, price)
        let newest = newestPeriod(of: original, by: sale.account)
        return (.migrated(index, to: product, now: now, later: later), newest)
    }

    private static func thousandths(_ price: Decimal) -> Int64 { (price * 1000 as NSDecimalNumber).int64Value }

    // MARK: Refunds

    private typealias Recording = (AdvancedCommerceChange.Effect, [TransactionNumber]) -> LedgerRecord

    private func refund(
        _ request: AdvancedCommerceServerRequest,
        _ sale: SoldTransaction,
        now: Date,
        _ record: Recording
    ) throws(AdvancedCommerceFault) -> [LedgerRecord] {
        let items = try request.members.refundedItems
        return try refund(items, request.transaction, request, sale, now: now, record)
    }

    /// Returns the events of refunding items of a transaction, as the store decides.
    private func refund(
        _ items: [AdvancedCommerceMembers.RefundedItem],
        _ number: TransactionNumber,
        _ request: AdvancedCommerceServerRequest,
        _ sale: SoldTransaction,
        now: Date,
        _ record: Recording
    ) throws(AdvancedCommerceFault) -> [LedgerRecord] {
        guard let risks = request.members.refundRiskingPreference else { throw .nullRefundRisking }
        guard let purchase = server.advancedCommerce[number] else { throw .subscriptionNotEligible }
        if revocations.cancellation(of: number) != nil { throw .alreadyRefunded }
        if server.isRefundUndecided(of: number) { throw .pendingRefund }
        let isRevocation = request.function == .revoke
        guard purchase.charge > 0 || isRevocation else { throw .transactionNotRefundable }
        let history = accounts[sale.account].history
        let term = history.index(of: number).flatMap { history[$0].term }
        let isNewest = term.map { newestPeriod(of: $0.original, by: sale.account) == number } ?? false
        let remaining = isNewest ? term?.remainingFraction(at: now) : nil
        let refunds = try items.map { item throws(AdvancedCommerceFault) in
            try item.refund(
                of: purchase,
                remaining: remaining,
                isSubscription: term != nil,
                isRevocation: isRevocation
            )
        }
        let declines = items.count { $0.reason == AdvancedCommerceMembers.simulatedDecline }
        guard declines == 0 || declines == items.count else { throw .partialSimulateRefundDecline }
        if declines > 0, request.isProduction { throw .simulateRefundDeclineOnlyInSandbox }
        func answer(_ change: ServerChange) -> LedgerRecord { .init(date: now, event: .operator(.server(change))) }
        if declines > 0 || risks && request.decision == .decline {
            return [record(.others, []), answer(.refundDeclined(transaction: number))]
        }
        if risks, request.decision != .approve {
            return [record(.others, []), answer(.refundRequested(transaction: number, reason: items.first?.reason))]
        }
        let revoked = refunds.filter(\.isRevoked).map(\.sku)
        let isWhole = purchase.content.items.allSatisfy { item in
            purchase.isRevoked(item.sku) || revoked.contains(where: item.sku.isExactly)
        }
        let records = [record(.refunds(refunds, isWhole: isWhole), [number])]
        guard isWhole else { return records }
        let amount = (purchase.refunds.map(\.refund) + refunds).reduce(0) { $0 + $1.amount }
        let share = purchase.charge > 0 ? Double(amount) / Double(purchase.charge) : 1
        // In thousandths of a percent.
        let thousandths = min(max(Int((share * Double(Refund.whole)).rounded()), 1), Refund.whole)
        do throws(SandboxError) {
            return records + [try self.refund(number, of: sale, RefundShare(thousandths: thousandths), now: now)]
        } catch {
            if case .alreadyRefunded = error.reason { throw .alreadyRefunded }
            throw .transactionNotRefundable
        }
    }
}

extension AdvancedCommerceMembers {
    /// The reason with which a server simulates that a refund is declined.
    static let simulatedDecline = "SIMULATE_REFUND_DECLINE"

    /// The refund of an item, as requested.
    struct RefundedItem {
        /// The extent of a refund.
        enum Extent: String { case full = "FULL", prorated = "PRORATED", custom = "CUSTOM" }

        let sku: String
        let extent: Extent
        let reason: String
        /// The amount of a custom refund, in thousandths.
        let amount: Int64?
        let isRevoked: Bool
    }

    private static func extent(_ text: String?) throws(AdvancedCommerceFault) -> RefundedItem.Extent {
        guard let text else { throw .nullRefundType }
        guard let extent = RefundedItem.Extent(rawValue: text) else { throw .invalidRefundType }
        return extent
    }

    private static func reason(_ reason: String?) throws(AdvancedCommerceFault) -> String {
        guard let reason else { throw .nullRefundReason }
        let known: Set = [
            "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
            "MODIFY_ITEMS_REFUND", simulatedDecline,
        ]
        guard known.contains(reason) else { throw .invalidRefundReason }
        return reason
    }

    fileprivate var refundedItems: [RefundedItem] {
        get throws(AdvancedCommerceFault) {
            let items = try Self.items(items, else: .atLeastOneItem).map { item throws(AdvancedCommerceFault) in
                let extent = try Self.extent(item.refundType)
                if extent != .custom, item.refundAmount != nil { throw .refundAmountWithoutCustom }
                if extent == .custom, item.refundAmount == nil { throw .nullRefundAmount }
                if let amount = item.refundAmount, amount < 0 { throw .negativeRefundAmount }
                return RefundedItem(
                    sku: try item.requiredSKU,
                    extent: extent,
                    reason: try Self.reason(item.refundReason),
                    amount: item.refundAmount,
                    isRevoked: item.revoke ?? false
                )
            }
            guard Set(items.map { ExactText($0.sku) }).count == items.count else {
                throw .itemCannotBeSpecifiedMultipleTimes
            }
            return items
        }
    }

    /// Returns the refund of all items that are not revoked, which they are then.
    fileprivate func wholeRefund(
        of purchase: AdvancedCommerceState.Purchase
    ) throws(AdvancedCommerceFault) -> [RefundedItem] {
        let (extent, reason) = (try Self.extent(refundType), try Self.reason(refundReason))
        guard extent != .custom else { throw .invalidRefundType }
        return purchase.content.items.filter { !purchase.isRevoked($0.sku) }.map {
            RefundedItem(sku: $0.sku, extent: extent, reason: reason, amount: nil, isRevoked: true)
        }
    }

    // MARK: Texts and prices

    /// Returns the contents of the running and the next period with the texts of a request.
    fileprivate func renamed(
        _ now: AdvancedCommerceContent,
        _ later: AdvancedCommerceContent
    ) throws(AdvancedCommerceFault) -> (now: AdvancedCommerceContent, later: AdvancedCommerceContent) {
        var (now, later) = (now, later)
        guard descriptors != nil || items != nil || taxCode != nil else { throw .atLeastOneItem }
        if let descriptors {
            guard descriptors.displayName != nil || descriptors.description != nil else {
                throw .atLeastOneOfDisplayNameOrDescription
            }
            if try Self.isImmediate(descriptors.effective) { try descriptors.rename(&now) }
            try descriptors.rename(&later)
        }
        for item in try items.map({ items throws(AdvancedCommerceFault) in try Self.items(items) }) ?? [] {
            guard item.SKU != nil || item.displayName != nil || item.description != nil else {
                throw .atLeastOneOfDisplayNameOrDescription
            }
            if try Self.isImmediate(item.effective) { try item.rename(&now) }
            try item.rename(&later)
        }
        if let taxCode {
            now.taxCode = try Self.valid(taxCode: taxCode)
            later.taxCode = taxCode
        }
        return (now, later)
    }

    /// Returns the content of the next period with the prices of a request, and all increases at its beginning.
    fileprivate func repriced(
        _ known: AdvancedCommerceState.Subscription,
        _ countryCode: String
    ) throws(AdvancedCommerceFault) -> (AdvancedCommerceContent, [String: AdvancedCommerceIncrease]) {
        var (later, increases) = (known.next, known.increases)
        _ = try requiredCurrency
        let items = try Self.items(items)
        var named: Set<ExactText> = []
        for item in items {
            let (sku, price) = (try item.requiredSKU, try Item.valid(price: item.price))
            guard named.insert(ExactText(sku)).inserted else { throw .itemCannotBeSpecifiedMultipleTimes }
            guard let index = later.index(of: sku) else { throw .invalidSKUMustBeCurrent }
            let present = known.current.index(of: sku).map { known.current.items[$0] } ?? later.items[index]
            increases[sku] = nil
            if price > present.price {
                if countryCode == "IND" { throw .priceIncreaseNotSupportedInIndia }
                increases[sku] = AdvancedCommerceIncrease(price: price, dependentSKUs: item.dependentSKUs ?? [])
            }
            later.items[index].price = price
        }
        let dependent = items.flatMap { $0.dependentSKUs ?? [] }
        guard Set(dependent.map(ExactText.init)).count == dependent.count else { throw .dependentSKUsCannotBeShared }
        for item in items where !(item.dependentSKUs ?? []).isEmpty {
            guard !dependent.contains(where: (item.SKU ?? "").isExactly) else { throw .dependentSKUsCannotBeChained }
        }
        return (later, increases)
    }
}

extension AdvancedCommerceMembers.RefundedItem {
    /// Returns the refund of the item of a purchase.
    ///
    /// - Parameters:
    ///   - purchase: the purchase.
    ///   - share: the share of the newest period that remains; nil for an earlier period and for a one-time charge.
    ///   - isSubscription: whether the purchase is one of a subscription.
    ///   - isRevocation: whether the item is refunded to end the subscription, even if nothing is paid back.
    /// - Returns: the refund, with its amount.
    /// - Throws: the defect of the request for this purchase.
    fileprivate func refund(
        of purchase: AdvancedCommerceState.Purchase,
        remaining share: Double?,
        isSubscription: Bool,
        isRevocation: Bool
    ) throws(AdvancedCommerceFault) -> AdvancedCommerceRefund {
        guard let index = purchase.content.index(of: sku) else { throw .invalidSKU }
        let price = purchase.paid[index]
        let past = purchase.refunds.map(\.refund).filter { $0.sku.isExactly(sku) }
        let remaining = price - past.reduce(0) { $0 + $1.amount }
        guard remaining > 0 || price == 0 || isRevocation, !purchase.isRevoked(sku) else { throw .alreadyRefunded }
        let amount: Int64
        switch extent {
        case .full: amount = remaining
        case .prorated:
            guard isSubscription else { throw .invalidRefundType }
            guard let share else { throw .proratedOnlyLatestTransaction }
            amount = min(Int64((Double(price) * share).rounded()), remaining)
        case .custom:
            amount = self.amount ?? 0
            guard amount <= remaining else { throw .invalidAmount }
        }
        return AdvancedCommerceRefund(
            sku: sku,
            amount: amount,
            reason: reason,
            type: extent.rawValue,
            isRevoked: isRevoked
        )
    }
}

extension AdvancedCommerceMembers.Descriptors {
    fileprivate func rename(_ content: inout AdvancedCommerceContent) throws(AdvancedCommerceFault) {
        if displayName != nil {
            content.descriptors?.displayName = try AdvancedCommerceMembers.Item.valid(displayName: displayName)
        }
        if description != nil {
            content.descriptors?.description = try AdvancedCommerceMembers.Item.valid(description: description)
        }
    }
}

extension AdvancedCommerceMembers.Item {
    fileprivate func rename(_ content: inout AdvancedCommerceContent) throws(AdvancedCommerceFault) {
        guard let currentSKU else { throw .nullCurrentSKU }
        guard let index = content.index(of: currentSKU) else { throw .changeItemNotFound }
        if SKU != nil {
            let sku = try requiredSKU
            if let other = content.index(of: sku), other != index { throw .productAlreadyExists }
            content.items[index].sku = sku
        }
        if displayName != nil { content.items[index].displayName = try Self.valid(displayName: displayName) }
        if description != nil { content.items[index].description = try Self.valid(description: description) }
    }
}

extension StoreEvent {
    /// Whether the event is a refund that ends a subscription.
    fileprivate func ends(_ subscription: SubscriptionIndex) -> Bool {
        if case .operator(.refunded(let refund)) = self { refund.ended == subscription } else { false }
    }
}
