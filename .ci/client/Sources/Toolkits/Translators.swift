import Foundation
import StoreKit

// Messages of a plug-in, and the extensions that make them of Store Kit's values, which name the nested types without
// what they are nested in.

package struct OfferMessage: Equatable, Sendable {
    package let id: String?
    package let type: String
    package let price: Double

    package init(id: String?, type: String, price: Double) { (self.id, self.type, self.price) = (id, type, price) }
}

package enum ResultMessage: Equatable, Sendable {
    case success(Int64)
    case unverified(Int64)
    case cancelled, pending
}

extension Product.SubscriptionOffer {
    package var message: OfferMessage {
        OfferMessage(id: id, type: type.name, price: NSDecimalNumber(decimal: price).doubleValue)
    }
}

extension Product.SubscriptionOffer.OfferType {
    fileprivate var name: String {
        switch self {
        case .introductory: return "introductory"
        case .promotional: return "promotional"
        case .winBack: return "winBack"
        default: return "unknown"
        }
    }
}

extension Product.SubscriptionInfo {
    package func plan(_ type: BillingPlanType) -> PricingTerms? {
        pricingTerms.first { $0.billingPlanType == type }
    }

    package func state(of status: Status) -> RenewalState { status.state }

    /// The offers that a former subscriber may have now.
    package func eligibleWinBackOffers() async throws -> [Product.SubscriptionOffer] {
        let statuses = try await status
        for case .verified(let info) in statuses.map(\.renewalInfo) {
            return info.eligibleWinBackOfferIDs.compactMap { id in winBackOffers.first { $0.id == id } }
        }
        return []
    }
}

extension Product.PurchaseResult {
    package var message: ResultMessage {
        switch self {
        case .success(let verification):
            switch verification {
            case .verified(let transaction): .success(Int64(transaction.id))
            case .unverified(let transaction, _): .unverified(Int64(transaction.id))
            }
        case .userCancelled: .cancelled
        case .pending: .pending
        @unknown default: .cancelled
        }
    }
}

extension AppStore.Environment {
    package var name: String {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        case .xcode: "xcode"
        default: rawValue
        }
    }
}

extension Transaction {
    package var environmentName: String {
        if #available(iOS 16.0, macOS 13.0, *) { return environment.name }
        return environmentStringRepresentation
    }

    /// The kind of offer, from whichever property the system has.
    package var anyOfferType: OfferType? {
        if #available(iOS 17.2, macOS 14.2, *) { return offer?.type ?? offerType }
        return offerType
    }

    package var anyOfferID: String? { offer?.id ?? offerID }
}

extension Product {
    /// Buys with an offer that a server has signed in parts.
    @MainActor package func buy(
        _ offer: String,
        keyID: String,
        nonce: UUID,
        timestamp: Int,
        signature: Data
    ) async throws -> ResultMessage {
        let signature = SubscriptionOffer.Signature(
            keyID: keyID,
            nonce: nonce,
            timestamp: timestamp,
            signature: signature
        )
        return try await purchase(options: [.promotionalOffer(offerID: offer, signature: signature)]).message
    }
}

extension Product.PromotionInfo: @retroactive Encodable {
    private enum Key: String, CodingKey { case productId, visibility }

    /// Encodes the promotion as the plug-in's messages have it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(productID, forKey: .productId)
        try container.encode(visibility.rawValue, forKey: .visibility)
    }
}

/// What such a library keeps between calls.
package actor Keeper {
    private var products: Set<Product> = []
    private var intents: [PurchaseIntent] = []
    private var failures: [any Error] = []

    package init() {}

    package func fetch(_ identifiers: [String]) async throws -> Set<String> {
        products.formUnion(try await Product.products(for: identifiers))
        return Set(products.map(\.id))
    }

    package func product(_ id: Product.ID) -> Product? { products.first { $0.id == id } }

    /// Returns what the store's page has asked for, once.
    package func nextIntent() async -> PurchaseIntent? {
        for await intent in PurchaseIntent.intents where !intents.contains(intent) {
            intents.append(intent)
            return intent
        }
        return nil
    }

    /// Finishes everything, and returns what could not be believed.
    package func finishAll() async -> [UInt64] {
        var strange: [UInt64] = []
        for await result in Transaction.unfinished {
            switch result {
            case .unverified(let transaction, let error):
                failures.append(error)
                strange.append(transaction.id)
            case .verified(let transaction): await transaction.finish()
            }
        }
        return strange
    }

    /// The promotions as JSON, for a language that has no such type.
    package func promotions() async throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(try await Product.PromotionInfo.currentOrder), as: UTF8.self)
    }
}
