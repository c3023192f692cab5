import Foundation

extension SandboxProduct {
    /// Returns the JSON of a request by which a simulated user, or one who tries the store by hand, buys the generic
    /// product: one item, for the product's own price and period.
    ///
    /// - Parameters:
    ///   - reference: the identifier of the request, which serves once.
    ///   - sku: the item's SKU.
    ///   - currency: the currency of the storefront.
    ///   - user: the UUID of the app's user; nil for none.
    /// - Returns: the request; nil for a product that is not generic.
    package func sampleRequest(
        _ reference: UUID,
        sku: String = "item",
        currency: String,
        user: String? = nil
    ) -> Data? {
        guard isAdvancedCommerce else { return nil }
        let item = sampleItem(sku)
        var info = ["requestReferenceId": reference.uuidString.lowercased()]
        if let user { info["appAccountToken"] = user }
        var request: [String: Any] = ["version": "1", "currency": currency, "requestInfo": info]
        if let subscription {
            request["operation"] = "CREATE_SUBSCRIPTION"
            request["taxCode"] = "C003-00-1"
            request["period"] = subscription.period.iso8601
            request["descriptors"] = ["displayName": "A pass", "description": "For items"]
            request["items"] = [item]
        } else {
            request["operation"] = "CREATE_ONE_TIME_CHARGE"
            request["taxCode"] = "C003-00-2"
            request["item"] = item
        }
        return try? JSONSerialization.data(withJSONObject: request, options: .sortedKeys)
    }

    /// Returns the JSON of a request by which a simulated user adds an item to a subscription of the generic product,
    /// for the rest of its period and from the renewal on.
    ///
    /// - Parameters:
    ///   - reference: the identifier of the request, which serves once.
    ///   - sku: the item's SKU.
    ///   - transaction: a transaction of the subscription.
    ///   - currency: the currency of the storefront.
    /// - Returns: the request; nil for a product that is no generic subscription.
    package func sampleAddition(
        _ reference: UUID,
        sku: String,
        to transaction: String,
        currency: String
    ) -> Data? {
        guard isAdvancedCommerce, subscription != nil else { return nil }
        let request: [String: Any] = [
            "operation": "MODIFY_SUBSCRIPTION", "version": "1", "currency": currency, "transactionId": transaction,
            "retainBillingCycle": true, "addItems": [sampleItem(sku)],
            "requestInfo": ["requestReferenceId": reference.uuidString.lowercased()],
        ]
        return try? JSONSerialization.data(withJSONObject: request, options: .sortedKeys)
    }

    private func sampleItem(_ sku: String) -> [String: Any] {
        [
            "SKU": sku, "displayName": "An item", "description": "Sold by a request",
            "price": (price * 1000 as NSDecimalNumber).int64Value,
        ]
    }
}
