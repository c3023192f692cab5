import Foundation
import StoreKit

/// What a cache fetches: Store Kit's product is one as it stands.
package protocol FetchableProduct: Sendable {
    var id: String { get }
    static func products(for identifiers: some Collection<String>) async throws -> [Self]
}

extension Product: FetchableProduct {}

/// A cache of what is fetched.
package actor ProductCache<P: FetchableProduct> {
    private var known: [String: P] = [:]
    package private(set) var requests = 0

    package init() {}

    package func products(for identifiers: Set<String>) async throws(ToolkitError) -> [P] {
        let missing = identifiers.subtracting(known.keys)
        if !missing.isEmpty {
            requests += 1
            do {
                for product in try await P.products(for: missing) { known[product.id] = product }
            } catch {
                throw ToolkitError(wrapping: error)
            }
        }
        let found = identifiers.compactMap { known[$0] }
        guard found.count == identifiers.count else {
            throw .notFound(identifiers.subtracting(found.map(\.id)).sorted())
        }
        return found
    }
}

/// Every error that the library throws, and no other.
package enum ToolkitError: Error {
    case store(StoreKitError)
    case purchase(Product.PurchaseError)
    case refund(Transaction.RefundRequestError)
    case unverified(VerificationResult<Transaction>.VerificationError)
    case cancelled, pending
    case notFound([String])
    case unknown((any Error)?)

    init(wrapping error: any Error) {
        switch error {
        case let error as ToolkitError: self = error
        case let error as StoreKitError: self = .store(error)
        case let error as Product.PurchaseError: self = .purchase(error)
        case let error as Transaction.RefundRequestError: self = .refund(error)
        default: self = .unknown(error)
        }
    }
}

extension ToolkitError: LocalizedError {
    package var errorDescription: String? {
        switch self {
        case .store(let error): error.errorDescription
        case .purchase(let error): error.errorDescription
        case .refund(let error): error.errorDescription
        case .unverified(let error): error.errorDescription
        case .cancelled: "cancelled"
        case .pending: "pending"
        case .notFound(let products): products.joined(separator: ", ")
        case .unknown(let error): error?.localizedDescription
        }
    }

    package var failureReason: String? {
        switch self {
        case .store(let error): error.failureReason
        case .purchase(let error): error.failureReason
        default: nil
        }
    }
}

/// Options that are put together step by step.
package struct Order: Sendable {
    package private(set) var options: Set<Product.PurchaseOption> = []
    private var finishes = true

    package init() {}

    package func with(_ option: Product.PurchaseOption?) -> Order {
        var order = self
        if let option { order.options.insert(option) }
        return order
    }

    package func quantity(_ quantity: Int) -> Order { with(.quantity(quantity)) }
    package func account(_ token: UUID?) -> Order { with(token.map { .appAccountToken($0) }) }
    package func winBack(_ offer: Product.SubscriptionOffer?) -> Order {
        with(offer.map(Product.PurchaseOption.winBackOffer))
    }

    package func buy(_ product: Product) async throws(ToolkitError) -> Transaction {
        let result: Product.PurchaseResult
        do {
            result = try await product.purchase(options: options)
        } catch {
            throw ToolkitError(wrapping: error)
        }
        switch result {
        case .success(.verified(let transaction)):
            if finishes { await transaction.finish() }
            return transaction
        case .success(.unverified(_, let error)): throw .unverified(error)
        case .userCancelled: throw .cancelled
        case .pending: throw .pending
        @unknown default: throw .unknown(nil)
        }
    }
}

// What such libraries add to Store Kit's types.

extension Product {
    package var hasTrial: Bool { subscription?.introductoryOffer?.isFreeTrial ?? false }

    package var pricePerDay: Decimal {
        subscription.map { price / Decimal($0.subscriptionPeriod.days) } ?? price
    }

    package func localized(_ price: Decimal) -> String { price.formatted(priceFormatStyle) }

    package var periodText: String? {
        subscription.map {
            "\($0.subscriptionPeriod.value) \($0.subscriptionPeriod.unit.formatted(subscriptionPeriodUnitFormatStyle))"
        }
    }
}

extension Product.SubscriptionPeriod {
    package var days: Int {
        switch unit {
        case .day: value
        case .week: 7 * value
        case .month: 30 * value
        case .year: 365 * value
        @unknown default: 1
        }
    }

    package var isLong: Bool { self == .yearly || unit > .month }
}

extension Product.SubscriptionOffer {
    package var isFreeTrial: Bool { paymentMode == .freeTrial }
    package var total: Decimal { price * Decimal(periodCount) }
}

extension Product.SubscriptionInfo {
    /// Whether the group has a subscription that gives access.
    package var isActive: Bool {
        get async throws {
            try await status.contains { [.subscribed, .inGracePeriod].contains($0.state) }
        }
    }
}
