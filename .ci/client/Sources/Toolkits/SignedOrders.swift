import StoreKit

/// Products whose names and prices the app's server states when it signs an order.
package actor SignedOrders {
    private var products: [AdvancedCommerceProduct.ID: AdvancedCommerceProduct] = [:]

    package init() {}

    package func product(_ id: String) async throws(ToolkitError) -> AdvancedCommerceProduct {
        if let product = products[id] { return product }
        do {
            let product = try await AdvancedCommerceProduct(id: id)
            products[product.id] = product
            return product
        } catch {
            throw ToolkitError(wrapping: error)
        }
    }

    /// Buys what a server has signed.
    package func buy(_ id: String, signed jws: String, storefronts: Set<String>) async throws(ToolkitError)
        -> Transaction
    {
        let product = try await product(id)
        let options: Set<AdvancedCommerceProduct.PurchaseOption> = [
            .onStorefrontChange { storefronts.contains($0.countryCode) }
        ]
        let result: AdvancedCommerceProduct.PurchaseResult
        do {
            result = try await product.purchase(compactJWS: jws, options: options)
        } catch {
            throw ToolkitError(wrapping: error)
        }
        switch result {
        case .success(.verified(let transaction)):
            await transaction.finish()
            return transaction
        case .success(.unverified(_, let error)): throw .unverified(error)
        case .userCancelled: throw .cancelled
        case .pending: throw .pending
        @unknown default: throw .unknown(nil)
        }
    }

    /// Returns the items that an account has bought by a product: all, or those that it may use.
    package func items(of id: String, onlyCurrent: Bool) async throws(ToolkitError) -> [String] {
        let product = try await product(id)
        let isSubscription: Bool = product.type == AdvancedCommerceProduct.ProductType.autoRenewable
        let sequence: Transaction.Transactions = onlyCurrent ? product.currentEntitlements : product.allTransactions
        var items: [String] = []
        for await case .verified(let transaction) in sequence {
            guard let info = transaction.advancedCommerceInfo else { continue }
            items += info.items.filter { $0.revocationDate == nil }.map(\.details.sku)
        }
        return isSubscription ? Set(items).sorted() : items
    }

    package func latest(_ id: String) async throws(ToolkitError) -> String? {
        await (try product(id)).latestTransaction?.jwsRepresentation
    }
}
