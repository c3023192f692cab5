import Foundation
import StoreKit

/// What comes over the channel: a name, and arguments of the codec's types.
package struct MethodCall {
    package let method: String
    package let arguments: [String: Any]

    package init(_ method: String, arguments: [String: Any] = [:]) {
        self.method = method
        self.arguments = arguments
    }
}

/// What goes back in place of a result.
package struct PluginError: Error, Equatable {
    package let code: String
    package let message: String
}

package typealias MethodResult = @MainActor @Sendable (Any?) -> Void
package typealias EventSink = @MainActor @Sendable ([String: Any]) -> Void

// The native half of a plugin for purchases. Whoever is on the other side delivers, and says when that is done.
@MainActor
package final class PurchasePlugin {
    private var sink: EventSink?
    /// What has happened before somebody listens.
    private var backlog: [[String: Any]] = []
    private var updates: Task<Void, Never>?

    package init() {}

    deinit { updates?.cancel() }

    // MARK: The plugin's life

    package func attach() {
        guard updates == nil else { return }
        updates = Task { [weak self] in
            for await result in Transaction.updates { self?.report(result) }
        }
    }

    package func detach() {
        updates?.cancel()
        updates = nil
        sink = nil
    }

    package func onListen(_ sink: @escaping EventSink) {
        self.sink = sink
        for event in backlog { sink(event) }
        backlog = []
    }

    package func onCancel() { sink = nil }

    // MARK: Methods

    package func handle(_ call: MethodCall, result: @escaping MethodResult) {
        let id = call.arguments["id"] as? String
        switch call.method {
        case "canMakePayments":
            result(AppStore.canMakePayments)
        case "queryProducts":
            let ids = call.arguments["ids"] as? [String] ?? []
            answer(result) { try await self.queryProducts(ids) }
        case "buy":
            let quantity = call.arguments["quantity"] as? Int ?? 1
            answer(result) { try await self.buy(self.required(id), quantity: quantity) }
        case "complete":
            answer(result) { try await self.complete(self.required(id)) }
        case "restore":
            answer(result) { try await self.restore() }
        case "owned":
            answer(result) { await self.owned() }
        default:
            result(PluginError(code: "not_implemented", message: call.method))
        }
    }

    private func answer(_ result: @escaping MethodResult, with work: @escaping @MainActor () async throws -> Any?) {
        Task {
            do {
                result(try await work())
            } catch let error as PluginError {
                result(error)
            } catch StoreKitError.userCancelled {
                result(PluginError(code: "canceled", message: "The user has canceled."))
            } catch StoreKitError.networkError {
                result(PluginError(code: "network", message: "The App Store cannot be reached."))
            } catch {
                result(PluginError(code: "storekit", message: error.localizedDescription))
            }
        }
    }

    private func required(_ id: String?) throws -> String {
        guard let id else { throw PluginError(code: "arguments", message: "There is no id.") }
        return id
    }

    private func queryProducts(_ ids: [String]) async throws -> [[String: Any]] {
        try await Product.products(for: ids).map { product in
            [
                "id": product.id,
                "title": product.displayName,
                "price": product.displayPrice,
                "rawPrice": NSDecimalNumber(decimal: product.price).doubleValue,
                "currency": product.priceFormatStyle.currencyCode,
                "type": product.type.rawValue,
            ]
        }
    }

    // Answers at once when the sheet is gone. What has become of the purchase is an event, as in Google's library.
    private func buy(_ id: String, quantity: Int) async throws -> Bool {
        guard let product = try await Product.products(for: [id]).first else {
            throw PluginError(code: "unknown_product", message: id)
        }
        switch try await product.purchase(options: [.quantity(quantity)]) {
        case .success(let result):
            report(result)
            return true
        case .pending:
            send(["status": "pending", "productId": id])
            return true
        case .userCancelled:
            send(["status": "canceled", "productId": id])
            return false
        @unknown default:
            return false
        }
    }

    private func complete(_ id: String) async throws -> Bool {
        for await case .verified(let transaction) in Transaction.unfinished where String(transaction.id) == id {
            await transaction.finish()
            return true
        }
        throw PluginError(code: "unknown_transaction", message: id)
    }

    private func restore() async throws -> Int {
        try await AppStore.sync()
        var count = 0
        for await result in Transaction.currentEntitlements {
            report(result, status: "restored")
            count += 1
        }
        return count
    }

    private func owned() async -> [String] {
        var products: [String] = []
        for await case .verified(let transaction) in Transaction.currentEntitlements {
            products.append(transaction.productID)
        }
        return products.sorted()
    }

    // MARK: Events

    private func report(_ result: VerificationResult<Transaction>, status: String? = nil) {
        guard case .verified(let transaction) = result else {
            send(["status": "unverified", "productId": result.unsafePayloadValue.productID])
            return
        }
        var event: [String: Any] = [
            "productId": transaction.productID,
            "transactionId": String(transaction.id),
            "originalId": String(transaction.originalID),
            "quantity": transaction.purchasedQuantity,
            "purchasedAt": Int(transaction.purchaseDate.timeIntervalSince1970 * 1000),
            "jws": result.jwsRepresentation,
        ]
        if let date = transaction.expirationDate { event["expiresAt"] = Int(date.timeIntervalSince1970 * 1000) }
        if transaction.revocationDate != nil {
            event["status"] = "revoked"
        } else if let status {
            event["status"] = status
        } else {
            event["status"] = transaction.id == transaction.originalID ? "purchased" : "renewed"
        }
        send(event)
    }

    private func send(_ event: [String: Any]) {
        if let sink { sink(event) } else { backlog.append(event) }
    }
}
