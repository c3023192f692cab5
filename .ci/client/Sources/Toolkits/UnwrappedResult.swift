import StoreKit

/// A signed value that a view can hold, whether or not it is believed.
package struct UnwrappedResult<T> {
    package let value: T
    package let isVerified: Bool
    package let error: VerificationResult<T>.VerificationError?

    package init(_ result: VerificationResult<T>) {
        switch result {
        case .unverified(let value, let error): (self.value, isVerified, self.error) = (value, false, error)
        case .verified(let value): (self.value, isVerified, error) = (value, true, nil)
        }
    }
}

extension UnwrappedResult: Sendable where T: Sendable {}
extension UnwrappedResult: Equatable where T: Equatable {}

/// What a view shows of a purchase: synthesized, so that each value has to be hashable.
package struct PurchaseInfo: Hashable, Identifiable, Sendable {
    package let id: ProductId
    package let product: Product
    package var latest: Transaction?
    package var type: Product.ProductType
    package var ownership: Transaction.OwnershipType?
    package var revocation: Transaction.RevocationReason?
    package var offer: Product.SubscriptionOffer.OfferType?

    package typealias ProductId = String
}

/// What a view shows of a subscription.
package struct SubscriptionInfo: Hashable, Sendable {
    package let product: Product
    package let status: Product.SubscriptionInfo.Status
    package let renewal: Product.SubscriptionInfo.RenewalInfo
    package var isSubscribed: Bool { status.state == .subscribed }
}

/// An error of Store Kit, in an enumeration that a view compares.
package enum UnderlyingError: Equatable, Sendable {
    case purchase(Product.PurchaseError)
    case storeKit(StoreKitError)

    package init?(_ error: any Error) {
        switch error {
        case let error as StoreKitError: self = .storeKit(error)
        case let error as Product.PurchaseError: self = .purchase(error)
        default: return nil
        }
    }
}

extension StoreKitError: @retroactive Equatable {
    /// Compares the kinds of error alone.
    public static func == (left: StoreKitError, right: StoreKitError) -> Bool {
        switch (left, right) {
        case (.unknown, .unknown), (.userCancelled, .userCancelled), (.networkError, .networkError),
            (.systemError, .systemError), (.notAvailableInStorefront, .notAvailableInStorefront),
            (.notEntitled, .notEntitled):
            return true
        default: return false
        }
    }
}

/// Reads a subscription's best state, and the text that goes with it.
@MainActor package final class SubscriptionModel {
    package private(set) var info: SubscriptionInfo?
    package private(set) var changes: [String] = []
    private var updates: Task<Void, any Error>?

    package init() {}

    package func load(_ product: Product) async {
        guard let subscription = product.subscription,
            let statuses = try? await subscription.status, !statuses.isEmpty
        else { return }
        var highest: SubscriptionInfo?
        for status in statuses where status.state == .subscribed || status.state == .inGracePeriod {
            let transaction = UnwrappedResult(status.transaction), renewal = UnwrappedResult(status.renewalInfo)
            guard transaction.isVerified, renewal.isVerified, renewal.error == nil else { continue }
            guard let level = highest?.product.subscription?.groupLevel else {
                highest = SubscriptionInfo(product: product, status: status, renewal: renewal.value)
                continue
            }
            if subscription.groupLevel < level {
                highest = SubscriptionInfo(product: product, status: status, renewal: renewal.value)
            }
        }
        info = highest
    }

    package var text: String {
        guard let info else { return "none" }
        if info.renewal.willAutoRenew { return "renews" }
        return switch info.renewal.expirationReason {
        case .autoRenewDisabled: "cancelled"
        case .billingError: "billing problem"
        case .didNotConsentToPriceIncrease: "price refused"
        case .productUnavailable: "not sold"
        case nil: "ends"
        default: "unknown"
        }
    }

    /// Listens until the task is canceled, away from the main actor if it may.
    package func listen() {
        updates = Task(priority: .background) { [weak self] in
            for await result in Transaction.updates {
                let unwrapped = UnwrappedResult(result)
                if unwrapped.isVerified { await unwrapped.value.finish() }
                self?.heard(unwrapped.value)
            }
        }
    }

    private func heard(_ transaction: Transaction) {
        if let reason = transaction.revocationReason {
            changes.append("\(transaction.productID): revoked, \(reason == .developerIssue ? "faulty" : "other")")
        } else if let end = transaction.expirationDate, end < Date() {
            changes.append("\(transaction.productID): expired")
        } else if transaction.isUpgraded {
            changes.append("\(transaction.productID): upgraded")
        } else {
            changes.append("\(transaction.productID): purchased")
        }
    }

    deinit { updates?.cancel() }
}
