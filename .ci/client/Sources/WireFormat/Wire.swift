import Foundation
import StoreKit

/// The functions that the other language calls: JSON in, JSON out, and errors as JSON too.
package enum Wire {
    package enum Outcome: Equatable, Sendable {
        case value(String)
        case failure(ErrorPayload)

        /// Returns what the JSON says.
        package func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
            guard case .value(let json) = self else { throw OptionPayload.Unsupported(kind: "\(self)") }
            return try JSONDecoder().decode(type, from: Data(json.utf8))
        }
    }

    package struct Bought: Codable, Equatable, Sendable {
        package let outcome: String
        package let transaction: ResultPayload<TransactionPayload>?
    }

    package struct Group: Codable, Equatable, Sendable {
        package let id: String
        package let statuses: [StatusPayload]
    }

    package struct Promotion: Codable, Equatable, Sendable {
        package let product: String
        package var visibility: Int
        package init(product: String, visibility: Int) { (self.product, self.visibility) = (product, visibility) }
    }

    private static func answer<T: Encodable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> T
    ) async -> Outcome {
        do {
            return .value(String(decoding: try JSONEncoder().encode(try await body()), as: UTF8.self))
        } catch {
            return .failure(ErrorPayload(error))
        }
    }

    package static func products(_ identifiers: String) async -> Outcome {
        await answer {
            let identifiers = try JSONDecoder().decode([String].self, from: Data(identifiers.utf8))
            return try await Product.products(for: identifiers).map(ProductPayload.init)
        }
    }

    @MainActor package static func purchase(_ identifier: String, _ payloads: [OptionPayload]) async -> Outcome {
        await answer {
            guard let product = try await Product.products(for: [identifier]).first else {
                throw Product.PurchaseError.productUnavailable
            }
            var options: Set<Product.PurchaseOption> = []
            for payload in payloads { options.formUnion(try payload.options(for: product)) }
            switch try await product.purchase(options: options) {
            case .success(let result): return Bought(outcome: "success", transaction: ResultPayload(result))
            case .userCancelled: return Bought(outcome: "cancelled", transaction: nil)
            case .pending: return Bought(outcome: "pending", transaction: nil)
            @unknown default: return Bought(outcome: "unknown", transaction: nil)
            }
        }
    }

    package static func transactions(_ kind: String, of product: String? = nil) async -> Outcome {
        let sequence: Transaction.Transactions
        switch (kind, product) {
        case ("all", let product?): sequence = Transaction.all(for: product)
        case ("all", nil): sequence = Transaction.all
        case ("entitlements", let product?): sequence = Transaction.currentEntitlements(for: product)
        case ("entitlements", nil): sequence = Transaction.currentEntitlements
        default: sequence = Transaction.unfinished
        }
        var iterator = sequence.makeAsyncIterator()
        var payloads: [ResultPayload<TransactionPayload>] = []
        while let result = await iterator.next() { payloads.append(ResultPayload(result)) }
        return await answer { payloads }
    }

    package static func finish(_ id: UInt64) async -> Bool {
        var iterator = Transaction.unfinished.makeAsyncIterator()
        while let result = await iterator.next() {
            guard result.unsafePayloadValue.id == id else { continue }
            await result.unsafePayloadValue.finish()
            return true
        }
        return false
    }

    package static func latest(_ product: String) async -> Outcome {
        await answer { await Transaction.latest(for: product).map { ResultPayload($0) } }
    }

    package static func status(of id: UInt64) async -> Outcome {
        await answer { try await Product.SubscriptionInfo.status(transactionID: id).map { StatusPayload($0) } }
    }

    package static func statuses(in group: String) async -> Outcome {
        await answer { try await Product.SubscriptionInfo.status(for: group).map { StatusPayload($0) } }
    }

    package static func groups() async -> Outcome {
        var iterator = Product.SubscriptionInfo.Status.all.makeAsyncIterator()
        var groups: [Group] = []
        while let next = await iterator.next() {
            groups.append(Group(id: next.groupID, statuses: next.statuses.map(StatusPayload.init)))
        }
        return await answer { groups }
    }

    package static func isEligible(for group: String) async -> Bool {
        await Product.SubscriptionInfo.isEligibleForIntroOffer(for: group)
    }

    package static func app(refreshing: Bool = false) async -> Outcome {
        await answer {
            ResultPayload(try await refreshing ? AppTransaction.refresh() : AppTransaction.shared)
        }
    }

    package static func storefront() async -> Outcome {
        await answer { await Storefront.current.map(StorefrontPayload.init) }
    }

    package static func sync() async -> Outcome {
        await answer {
            try await AppStore.sync()
            return AppStore.canMakePayments
        }
    }

    /// Asks for a refund of a purchase, which Apple's platforms do in a sheet of a scene.
    package static func requestRefund(of id: UInt64) async -> Outcome {
        await answer {
            #if canImport(UIKit) || canImport(AppKit)
                throw OptionPayload.Unsupported(kind: "refund")
            #else
                let status: Transaction.RefundRequestStatus = try await Transaction.beginRefundRequest(for: id)
                return
                    switch status
                {
                case .success: "success"
                case .userCancelled: "cancelled"
                @unknown default: "unknown"
                }
            #endif
        }
    }

    package static func promotions() async -> Outcome {
        await answer {
            try await Product.PromotionInfo.currentOrder.map {
                Promotion(product: $0.productID, visibility: $0.visibility.rawValue)
            }
        }
    }

    package static func setPromotions(_ promotions: [Promotion]) async -> Outcome {
        await answer {
            try await Product.PromotionInfo.updateProductOrder(byID: promotions.map(\.product))
            for promotion in promotions {
                guard let visibility = Product.PromotionInfo.Visibility(rawValue: promotion.visibility) else {
                    continue
                }
                try await Product.PromotionInfo.updateProductVisibility(visibility, for: promotion.product)
            }
            return promotions.count
        }
    }
}

/// Passes on what the store sends, until it is let go.
package final class WireListener: Sendable {
    private let tasks: [Task<Void, Never>]

    package init(_ heard: @escaping @Sendable (_ kind: String, _ json: Data) -> Void) {
        @Sendable func send(_ kind: String, _ value: some Encodable & Sendable) {
            if let data = try? JSONEncoder().encode(value) { heard(kind, data) }
        }
        tasks = [
            Task {
                var iterator = Transaction.updates.makeAsyncIterator()
                while let next = await iterator.next() { send("transaction", ResultPayload(next)) }
            },
            Task {
                var iterator = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
                while let next = await iterator.next() { send("status", StatusPayload(next)) }
            },
            Task {
                var iterator = Storefront.updates.makeAsyncIterator()
                while let next = await iterator.next() { send("storefront", StorefrontPayload(next)) }
            },
            Task {
                var iterator = Message.messages.makeAsyncIterator()
                while let next = await iterator.next() { send("message", next.reason.localizedDescription) }
            },
            Task {
                var iterator = PurchaseIntent.intents.makeAsyncIterator()
                while let next = await iterator.next() { send("intent", [next.id, next.product.id, next.offer?.id]) }
            },
        ]
    }

    deinit { for task in tasks { task.cancel() } }
}
