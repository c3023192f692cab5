import Foundation

/// Who has what. A real server has a database here.
actor Customers {
    struct Right: Sendable {
        var customer: String
        var product: String
        var coins: Int
    }

    private var rights: [String: Right] = [:]
    private var handled: Set<String> = []

    func hasHandled(_ notification: String) -> Bool { handled.contains(notification) }

    func handle(_ notification: String) { handled.insert(notification) }

    func set(_ right: Right?, for original: String) { rights[original] = right }

    func rights(of customer: String) -> [Right] { rights.values.filter { $0.customer == customer } }
}

struct Access: Codable, Equatable, Sendable {
    var products: [String]
    var coins: Int
}

/// A notification says what to ask about, and nothing else is believed of it.
func routes(api: AppStoreAPI, customers: Customers = Customers()) -> Routes {
    struct Envelope: Decodable { var signedPayload: String }
    struct Upload: Decodable { var transactionId: String }
    struct Hint: Decodable {
        struct Content: Decodable { var signedTransactionInfo: String? }
        var notificationUUID: String
        var data: Content?
    }
    struct Subject: Decodable { var transactionId: String }

    @Sendable func refresh(_ transaction: String) async throws -> AppStoreAPI.Purchase {
        let purchase = try await api.purchase(transaction)
        var isValid = purchase.revocationDate == nil
        if purchase.type == "Auto-Renewable Subscription" { isValid = try await api.hasAccess(purchase) }
        var right: Customers.Right?
        if isValid, let customer = purchase.appAccountToken?.lowercased() {
            let coins = purchase.type == "Consumable" ? purchase.quantity ?? 1 : 0
            right = Customers.Right(customer: customer, product: purchase.productId, coins: coins)
        }
        await customers.set(right, for: purchase.originalTransactionId)
        return purchase
    }

    var routes = Routes()
    routes.post("notifications") { request in
        let signed = try request.decode(Envelope.self).signedPayload
        let hint = try AppStoreAPI.payload(of: signed, as: Hint.self)
        if await customers.hasHandled(hint.notificationUUID) { return .ok }
        if let about = hint.data?.signedTransactionInfo {
            _ = try await refresh(AppStoreAPI.payload(of: about, as: Subject.self).transactionId)
        }
        await customers.handle(hint.notificationUUID)
        return .ok
    }
    routes.post("customers/:customer/transactions") { request in
        let purchase = try await refresh(request.decode(Upload.self).transactionId)
        let customer = try request.parameter("customer").lowercased()
        guard purchase.appAccountToken?.lowercased() == customer else { throw Routes.Abort(status: 403) }
        return .ok
    }
    routes.get("customers/:customer") { request in
        let customer = try request.parameter("customer").lowercased()
        let rights = await customers.rights(of: customer)
        let products = rights.filter { $0.coins == 0 }.map(\.product).sorted()
        return try .json(Access(products: products, coins: rights.map(\.coins).reduce(0, +)))
    }
    return routes
}
