import Foundation
import StoreKit

/// What an app asks to buy, in any store.
package struct Request: Sendable {
    package var product: String
    package var quantity: Int?
    package var account: String?
    package var winBackOffer: String?
    package var signedOffer: (id: String, jws: String)?
    package var introductoryOffer: String?
    package var commerceData: String?
    package var plan: String?
    package var offer: Signature?
    package var isFinishedAtOnce = true

    /// An offer that a server has signed the older way.
    package struct Signature: Sendable {
        package let offer: String
        package let key: String
        package let nonce: String
        package let signature: String
        package let time: Double
        package init(offer: String, key: String, nonce: String, signature: String, time: Double) {
            (self.offer, self.key, self.nonce, self.signature, self.time) = (offer, key, nonce, signature, time)
        }
    }

    package init(_ product: String) { self.product = product }

    func options(
        for product: StoreKit.Product,
        intended: StoreKit.Product.SubscriptionOffer? = nil
    ) throws -> Set<StoreKit.Product.PurchaseOption> {
        var options: Set<StoreKit.Product.PurchaseOption> = []
        if let quantity, quantity > 1 { options.insert(.quantity(quantity)) }
        if let account {
            guard let token = UUID(uuidString: account) else { throw PurchaseError(.developer, product.id) }
            options.insert(.appAccountToken(token))
        }
        if let offer {
            guard let option = Self.option(for: offer) else { throw PurchaseError(.developer, product.id) }
            options.insert(option)
        }
        if let plan, #available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            switch plan {
            case "monthly": options.insert(.billingPlanType(.monthly))
            case "up-front": options.insert(.billingPlanType(.upFront))
            default: throw PurchaseError(.developer, product.id)
            }
        }
        if let winBackOffer {
            guard let subscription = product.subscription else { throw PurchaseError(.developer, product.id) }
            let found = subscription.winBackOffers.first { offer in offer.id == winBackOffer && offer.type == .winBack }
            guard let found else { throw PurchaseError(.developer, product.id) }
            options.insert(.winBackOffer(found))
        } else if let intended {
            options.insert(.winBackOffer(intended))
        }
        if let signedOffer {
            options.formUnion(
                StoreKit.Product.PurchaseOption.promotionalOffer(signedOffer.id, compactJWS: signedOffer.jws)
            )
        }
        if let introductoryOffer { options.insert(.introductoryOfferEligibility(compactJWS: introductoryOffer)) }
        if let commerceData {
            let data = try JSONSerialization.data(withJSONObject: ["signatureInfo": ["token": commerceData]])
            options.insert(.custom(key: "advancedCommerceData", value: data))
        }
        return options
    }

    private static func option(for offer: Signature) -> StoreKit.Product.PurchaseOption? {
        guard let nonce = UUID(uuidString: offer.nonce), let data = Data(base64Encoded: offer.signature) else {
            return nil
        }
        return .promotionalOffer(
            offerID: offer.offer,
            keyID: offer.key,
            nonce: nonce,
            signature: data,
            timestamp: Int(offer.time)
        )
    }
}
