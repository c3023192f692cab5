import Foundation
import StoreKit

@available(iOS 15.0, macOS 14.0, tvOS 16.0, watchOS 8.0, *)
enum PurchaseConversion {
    static func purchase(from transaction: StoreKit.Transaction, jws: String?) async -> Purchase {
        let environment: String?
        if #available(iOS 16.0, tvOS 16.0, watchOS 9.0, *) {
            environment = transaction.environment.rawValue
        } else {
            environment = nil
        }
        let bundle = bundle(of: transaction)
        let commitment = commitment(of: transaction)
        return Purchase(
            id: String(transaction.id),
            originalID: transaction.originalID != 0 ? String(transaction.originalID) : nil,
            productID: transaction.productID,
            bundleID: transaction.appBundleID,
            token: jws ?? String(transaction.id),
            date: transaction.purchaseDate.milliseconds,
            expirationDate: transaction.expirationDate?.milliseconds,
            quantity: transaction.purchasedQuantity,
            country: {
                if #available(iOS 17.0, tvOS 17.0, watchOS 10.0, *) {
                    transaction.storefront.countryCode
                } else {
                    transaction.storefrontCountryCode
                }
            }(),
            currency: transaction.currency?.identifier,
            environment: environment,
            account: transaction.appAccountToken?.uuidString,
            group: transaction.subscriptionGroupID,
            ownership: ownership(from: transaction.ownershipType),
            reason: reason(of: transaction),
            revocation: revocation(of: transaction),
            offer: offer(from: transaction.offer),
            plan: commitment?.plan,
            billingPeriods: commitment?.periods,
            isUpgraded: transaction.isUpgraded,
            renewal: await renewal(of: transaction),
            metadata: [
                "line": transaction.webOrderLineItemID.map { String($0) },
                "bundle": bundle.product, "bundle.group": bundle.group, "bundle.transaction": bundle.transaction,
                "bundle.original": bundle.original, "previous": bundle.previous,
                "commerce": commerce(of: transaction),
            ].compactMapValues { $0 }
        )
    }

    static func bundle(
        of transaction: StoreKit.Transaction
    ) -> (original: String?, product: String?, group: String?, transaction: String?, previous: String?) {
        (
            original: transaction.bundleOriginalTransactionID,
            product: transaction.bundleProductID,
            group: transaction.bundleSubscriptionGroupID,
            transaction: transaction.bundleTransactionID,
            previous: transaction.previousOriginalTransactionID.map(String.init)
        )
    }

    static func commitment(of transaction: StoreKit.Transaction) -> (plan: String?, periods: Int)? {
        guard #available(iOS 26.4, macOS 26.4, *), let info = transaction.commitmentInfo else { return nil }
        let periods = info.totalBillingPeriods - info.billingPeriodNumber
        _ = (info.expirationDate.milliseconds, NSDecimalNumber(decimal: info.price).doubleValue)
        return (
            transaction.billingPlanType.map { ProductConversion.plan(from: $0) },
            periods > UInt64(Int.max) ? Int.max : Int(periods)
        )
    }

    static func ownership(from type: StoreKit.Transaction.OwnershipType) -> String {
        if type == .assigned { return "assigned" }
        switch type {
        case .purchased: return "purchased"
        case .familyShared: return "family_shared"
        default: return "purchased"
        }
    }

    @available(iOS 17.2, macOS 14.2, tvOS 17.2, watchOS 10.2, *)
    static func offer(from offer: StoreKit.Transaction.Offer?) -> (id: String, type: String, mode: String)? {
        guard let offer else { return nil }
        let mode: String
        if let paymentMode = offer.paymentMode {
            switch paymentMode {
            case .freeTrial: mode = "free-trial"
            case .payAsYouGo: mode = "pay-as-you-go"
            case .payUpFront: mode = "pay-up-front"
            default: mode = paymentMode == .oneTime ? "one-time" : "unknown"
            }
        } else {
            mode = "unknown"
        }
        let type: String
        switch offer.type {
        case .introductory: type = "introductory"
        case .promotional: type = "promotional"
        case .winBack: type = "winBack"
        default: type = String(describing: offer.type)
        }
        return (offer.id ?? "", type, mode)
    }

    private struct Reason: Decodable { let transactionReason: String }

    static func reason(of transaction: StoreKit.Transaction) -> String {
        if let revocation = transaction.revocationReason { return name(of: revocation) }
        if transaction.isUpgraded { return "upgrade" }
        if let decoded = try? JSONDecoder().decode(Reason.self, from: transaction.jsonRepresentation),
            decoded.transactionReason == "RENEWAL"
        {
            return "renewal"
        }
        return "purchase"
    }

    static func name(of revocation: StoreKit.Transaction.RevocationReason) -> String {
        if revocation == .upgradedToBundle { return "upgraded_to_bundle" }
        switch revocation {
        case .developerIssue: return "developer_issue"
        case .other: return "other"
        default: return "unknown"
        }
    }

    static func revocation(of transaction: StoreKit.Transaction) -> Purchase.Revocation? {
        guard let date = transaction.revocationDate else { return nil }
        return Purchase.Revocation(
            date: date.milliseconds,
            reason: transaction.revocationReason.map(name(of:)) ?? "none",
            type: transaction.revocationType?.rawValue,
            percentage: transaction.revocationPercentage.map { NSDecimalNumber(decimal: $0).doubleValue }
        )
    }

    static func renewal(of transaction: StoreKit.Transaction) async -> Renewal? {
        guard transaction.productType == .autoRenewable, let group = transaction.subscriptionGroupID else { return nil }
        do {
            let statuses = try await StoreKit.Product.SubscriptionInfo.status(for: group)
            var target: StoreKit.Product.SubscriptionInfo.Status?
            for status in statuses {
                guard case .verified(let latest) = status.transaction else { continue }
                if latest.productID == transaction.productID {
                    target = status
                    break
                }
            }
            guard let status = target ?? statuses.first else { return nil }
            switch status.renewalInfo {
            case .verified(let info): return renewal(from: info, of: status)
            case .unverified(let info, _): return renewal(from: info, of: status)
            }
        } catch {
            return nil
        }
    }

    private static func renewal(
        from info: StoreKit.Product.SubscriptionInfo.RenewalInfo,
        of status: StoreKit.Product.SubscriptionInfo.Status
    ) -> Renewal {
        let current: String? = {
            guard case .verified(let latest) = status.transaction else { return nil }
            return latest.productID
        }()
        let pending: String? = {
            guard info.willAutoRenew, let current else { return nil }
            return info.autoRenewPreference != current ? info.autoRenewPreference : nil
        }()
        let offer = info.offer.map { (id: $0.id, type: String(describing: $0.type)) }
        var committed: Decimal?
        if #available(iOS 26.4, macOS 26.4, *), let commitment = info.commitmentInfo {
            let preference: String = commitment.autoRenewPreference
            let plan: StoreKit.Product.SubscriptionInfo.BillingPlanType = commitment.renewalBillingPlanType
            let date: Date = commitment.renewalDate
            committed =
                commitment.willAutoRenew && !preference.isEmpty && date > .distantPast ? commitment.renewalPrice : 0
            _ = info.renewalBillingPlanType.map { ProductConversion.plan(from: $0) } ?? plan.rawValue
        }
        _ = (info.bundleOriginalTransactionID, info.bundleProductID, info.bundleSubscriptionGroupID)
        return Renewal(
            willAutoRenew: info.willAutoRenew,
            preference: info.autoRenewPreference,
            pendingChange: pending,
            expirationReason: info.expirationReason?.rawValue.description,
            graceEnd: info.gracePeriodExpirationDate?.milliseconds,
            isInBillingRetry: info.isInBillingRetry,
            priceIncrease: String(describing: info.priceIncreaseStatus),
            date: info.renewalDate?.milliseconds,
            offerID: offer?.id,
            committedPrice: committed.map { NSDecimalNumber(decimal: $0).doubleValue },
            willUnbundle: info.willUnbundle
        )
    }

    /// Returns what an Advanced Commerce purchase is made of.
    static func commerce(of transaction: StoreKit.Transaction) -> String? {
        guard #available(iOS 18.4, macOS 15.4, *), let info = transaction.advancedCommerceInfo else { return nil }
        let items = info.items.map { item in
            let refunds: [String]? = item.refunds?.map {
                "\($0.amount) \($0.date) \($0.reason.rawValue) \($0.type.rawValue)"
            }
            return
                "\(item.details.sku) \(details(item.details)) \(refunds ?? []) \(item.revocationDate?.milliseconds ?? 0)"
        }
        let period = info.period.map { ProductConversion.period(from: $0).iso8601 }
        let tax = [info.estimatedTax, info.taxRate, info.taxExclusivePrice].map {
            NSDecimalNumber(decimal: $0).stringValue
        }
        let texts: [String?] = [info.description, info.displayName, period]
        return (items + tax + texts.compactMap { $0 } + [info.requestReferenceID, info.taxCode]).joined(separator: " ")
    }

    @available(iOS 18.4, macOS 15.4, *)
    static func details(_ details: StoreKit.Transaction.AdvancedCommerceInfo.Item.Details) -> String {
        let offer = details.offer.map { offer in
            "\(ProductConversion.period(from: offer.period).iso8601) \(offer.periodCount) \(offer.price) \(offer.reason.rawValue)"
        }
        var partners: [[String: String?]] = []
        if #available(iOS 27.0, macOS 27.0, *) {
            partners = details.partners.map { partner in ["id": partner.id, "name": partner.name] }
        }
        return "\(details.displayName) \(details.description) \(details.price) \(offer ?? "") \(partners.count)"
    }
}
