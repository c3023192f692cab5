import StoreKit

/// What a library asks of a transaction, which a test can stand in for.
package protocol EntitlementTransaction: Sendable {
    var id: UInt64 { get }
    var productID: String { get }
    var purchaseDate: Date { get }
    var expirationDate: Date? { get }
    var revocationDate: Date? { get }
    var isUpgraded: Bool { get }
    var productType: Product.ProductType { get }
    var ownershipType: Transaction.OwnershipType { get }
    var environment: AppStore.Environment { get }
    var offerKind: OfferKind? { get }
}

package enum OfferKind: String, Sendable { case trial, promotional, code, winBack }

extension Transaction: EntitlementTransaction {
    package var offerKind: OfferKind? {
        // A switch over the optional, whose cases are a structure's constants.
        switch offer?.type {
        case .introductory: return .trial
        case .promotional: return .promotional
        case .code: return .code
        case .winBack: return .winBack
        case .none: return nil
        default: return nil
        }
    }
}

/// What an account may use.
package struct Entitlement: Equatable, Sendable {
    package var product: String
    package var store: String
    package var isActive: Bool
    package var state: State?
    package var offer: OfferKind?
    package var latest: UInt64?
    package var isFromStoreKit = false

    package enum State: Sendable { case active, grace, retrying, expired, revoked }

    package init(_ transactions: [any EntitlementTransaction], product: String) {
        let transactions = transactions.filter { $0.productID == product }.sorted { $0.purchaseDate < $1.purchaseDate }
        let latest = transactions.last
        self.product = product
        store = latest.map { $0.environment == .production ? "live" : $0.environment.rawValue } ?? "none"
        isActive = transactions.contains {
            switch $0.productType {
            case .nonConsumable: $0.revocationDate == nil
            case .autoRenewable:
                $0.revocationDate == nil && !$0.isUpgraded && ($0.expirationDate ?? .distantPast) > .now
            default: false
            }
        }
        offer = latest?.offerKind
        self.latest = latest?.id
        isFromStoreKit = latest as? Transaction != nil
    }

    /// Adds what only the store knows.
    package mutating func refine(_ status: Product.SubscriptionInfo.Status?) {
        switch status?.state {
        case .subscribed: state = .active
        case .inGracePeriod: state = .grace
        case .inBillingRetryPeriod: state = .retrying
        case .expired: state = .expired
        case .revoked: state = .revoked
        default: state = nil
        }
    }
}

package enum EntitlementReader {
    package static func read(_ products: Set<String>) async -> [Entitlement] {
        var transactions: [any EntitlementTransaction] = []
        var groups: [String: String] = [:]
        for await case .verified(let transaction) in Transaction.all where products.contains(transaction.productID) {
            transactions.append(transaction)
            if let group = transaction.subscriptionGroupID { groups[transaction.productID] = group }
        }
        var entitlements: [Entitlement] = []
        for product in products.sorted() {
            var entitlement = Entitlement(transactions, product: product)
            if let group = groups[product] {
                let statuses = try? await Product.SubscriptionInfo.status(for: group)
                entitlement.refine(
                    statuses?.first {
                        guard case let .verified(transaction) = $0.transaction else { return false }
                        return transaction.productID == product
                    }
                )
            }
            entitlements.append(entitlement)
        }
        return entitlements
    }

    /// Buys, with the errors that a dashboard tells apart.
    package static func outcome(of product: Product, _ options: Set<Product.PurchaseOption> = []) async -> String {
        do {
            let result = try await product.purchase(options: options)
            switch result {
            case let .success(.verified(transaction)):
                await transaction.finish()
                return "purchased \(transaction.productID)"
            case let .success(.unverified(transaction, error)):
                await transaction.finish()
                return "failed: \(error.localizedDescription)"
            case .userCancelled: return "cancelled"
            case .pending: return "pending"
            @unknown default: return "unknown"
            }
        } catch let error as StoreKitError {
            switch error {
            case .notEntitled: return "failed: not entitled"
            case .notAvailableInStorefront: return "failed: not in this country"
            case .networkError(let error): return "failed: network \(error.code.rawValue)"
            case .systemError(let error): return "failed: \((error as NSError).domain)"
            case .userCancelled: return "cancelled"
            default: return "failed: unknown"
            }
        } catch {
            return "failed: \(error)"
        }
    }

    /// The terms that a commitment begins with.
    package static func trials(of product: Product) -> [String] {
        product.subscription?.pricingTerms.compactMap { term in
            term[offers: .introductory].first.map { "\(term.billingPlanType.rawValue) \($0.paymentMode.rawValue)" }
        } ?? []
    }
}
