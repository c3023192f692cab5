import Foundation
import StoreKit

/// A purchase option as another language describes it.
package struct OptionPayload: Codable, Sendable {
    package var kind: String
    package var text: String?
    package var number: Int?
    package var flag: Bool?
    package var data: Data?
    package var key: String?
    package var nonce: UUID?

    package init(_ kind: String, text: String? = nil, number: Int? = nil, flag: Bool? = nil, data: Data? = nil) {
        self.kind = kind
        self.text = text
        self.number = number
        self.flag = flag
        self.data = data
    }

    package struct Unsupported: Error, Equatable {
        package let kind: String
    }

    func options(for product: Product) throws -> [Product.PurchaseOption] {
        switch kind {
        case "quantity": return [.quantity(number ?? 1)]
        case "account": return try [.appAccountToken(required(text.flatMap(UUID.init)))]
        case "askToBuy": return [.simulatesAskToBuyInSandbox(flag ?? true)]
        case "storefront":
            let mayChange = flag ?? false
            return [.onStorefrontChange { _ in mayChange }]
        case "introductory": return try [.introductoryOfferEligibility(compactJWS: required(text))]
        case "promotional":
            return try Product.PurchaseOption.promotionalOffer(required(key), compactJWS: required(text))
        case "signed":
            return try [
                .promotionalOffer(
                    offerID: required(text),
                    keyID: required(key),
                    nonce: required(nonce),
                    signature: required(data),
                    timestamp: required(number)
                )
            ]
        case "winBack":
            let offer = product.subscription?.winBackOffers.first { $0.id == text }
            return try [.winBackOffer(required(offer))]
        case "plan":
            return try [.billingPlanType(.init(rawValue: required(text)))]
        case "custom":
            let key = try required(key)
            if let number { return [.custom(key: key, value: Double(number))] }
            if let flag { return [.custom(key: key, value: flag)] }
            if let data { return [.custom(key: key, value: data)] }
            return try [.custom(key: key, value: required(text))]
        default: throw Unsupported(kind: kind)
        }
    }

    private func required<T>(_ value: T?) throws -> T {
        guard let value else { throw Unsupported(kind: kind) }
        return value
    }
}
