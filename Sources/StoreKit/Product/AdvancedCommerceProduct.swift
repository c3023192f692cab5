import Foundation
import StoreCore

/// A generic product of the Advanced Commerce API, which is bought by a request that the developer's server has signed.
///
/// The request has the prices and texts of the items. A transaction has them in
/// ``Transaction/advancedCommerceInfo-swift.property``.
public struct AdvancedCommerceProduct: Identifiable, Sendable {
    /// The kind of a product.
    public typealias ProductType = Product.ProductType
    /// The outcome of a purchase.
    public typealias PurchaseResult = Product.PurchaseResult

    private let product: Product

    /// The generic product's identifier.
    public let id: String
    /// The kind of the product: a consumable for one-time charges, or an auto-renewable subscription.
    public let type: ProductType

    /// Loads a generic product from the current context's store.
    ///
    /// - Parameter id: the product's identifier.
    /// - Throws: `Product.PurchaseError.productUnavailable` if the store does not sell the product,
    ///   ``StoreKitError/unsupported`` for a product that is not generic, and another ``StoreKitError`` if the store does
    ///   not respond, or no store is set.
    public init(id: String) async throws {
        guard let product = try await Product.products(for: [id]).first else {
            throw Product.PurchaseError.productUnavailable
        }
        guard product.product.isAdvancedCommerce else { throw StoreKitError.unsupported }
        self.product = product
        self.id = product.id
        type = product.type
    }

    /// Buys by a signed request in the current context's store, and waits for the outcome.
    ///
    /// - Parameters:
    ///   - compactJWS: the request, which the developer's server has signed as a JWS in compact serialization.
    ///   - options: the terms of the purchase.
    /// - Returns: the transaction, or the reason why there is none.
    /// - Throws: an ``InvalidRequestError`` with the number of the error if the store refuses the request; else the
    ///   errors of ``Product/purchase(options:)``.
    @MainActor public func purchase(
        compactJWS: String,
        options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult {
        try await product.order(Set(options.map(\.option) + [.advancedCommerce(compactJWS: compactJWS)]))
    }

    /// The newest transaction of the product; nil for one that was never bought, for a finished consumable, and if the
    /// store does not respond.
    public var latestTransaction: VerificationResult<Transaction>? { get async { await product.latestTransaction } }

    /// All transactions of the product, newest first.
    public var allTransactions: Transaction.Transactions { Transaction.all(for: id) }

    /// The transactions that entitle the user to the product now: one for each subscription.
    public var currentEntitlements: Transaction.Transactions { product.currentEntitlements }
}

extension AdvancedCommerceProduct: Hashable, CustomDebugStringConvertible {
    /// Returns whether both are the same product of the store.
    public static func == (lhs: AdvancedCommerceProduct, rhs: AdvancedCommerceProduct) -> Bool {
        lhs.product == rhs.product
    }
    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    /// The product's JSON.
    public var debugDescription: String { product.debugDescription }
}

extension AdvancedCommerceProduct {
    /// A term of a purchase by a request.
    public struct PurchaseOption: Hashable, Sendable, CustomDebugStringConvertible {
        fileprivate let option: Product.PurchaseOption

        /// The term's name.
        public var debugDescription: String { option.debugDescription }

        /// The decision whether a purchase continues if the storefront changes while it is under way.
        ///
        /// The option is like ``Product/PurchaseOption/onStorefrontChange(shouldContinuePurchase:)``.
        public static func onStorefrontChange(
            shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
        ) -> AdvancedCommerceProduct.PurchaseOption {
            Self(option: .onStorefrontChange(shouldContinuePurchase: shouldContinuePurchase))
        }
    }
}

extension Product.PurchaseOption {
    /// Returns the option that carries a signed request.
    fileprivate static func advancedCommerce(compactJWS: String) -> Self {
        // Encoding a text cannot fail.
        let data = try? AdvancedCommerceData(compactJWS: compactJWS).json
        return .custom(key: AdvancedCommerceData.optionKey, value: data ?? Data())
    }
}
