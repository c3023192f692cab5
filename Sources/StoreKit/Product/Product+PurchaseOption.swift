import Foundation
import StoreCore

extension Product {
    /// A term of a purchase.
    ///
    /// Passing several terms of one kind is a mistake: it is undefined which one is used.
    public struct PurchaseOption: Sendable {
        package enum Term: Hashable, Sendable {
            case quantity(Int)
            case appAccountToken(UUID)
            case simulatesAskToBuy(Bool)
            case storefrontChange(StorefrontChangeHandler)
            case discount(StoreDiscount)
            case offer(StoreOffer)
            case billingPlan(SubscriptionInfo.BillingPlanType)
            /// A past date, and whether the subscription has renewed until now.
            case purchaseDate(Date, renews: Bool)
            /// The data of an Advanced Commerce request.
            case requestData(Data)
            /// Has no effect.
            case custom(key: String, value: String)
        }

        package let term: Term

        package init(_ term: Term) { self.term = term }
    }
}

extension Product.PurchaseOption: Hashable, CustomDebugStringConvertible {
    /// Returns whether both are the same term; two storefront closures are the same only if one is a copy of the other.
    ///
    /// The signature of a promotional offer is ignored: it differs each time that the same offer is signed.
    public static func == (left: Self, right: Self) -> Bool { left.unsigned == right.unsigned }
    /// Hashes the term, without a promotional offer's signature.
    public func hash(into hasher: inout Hasher) { hasher.combine(unsigned) }
    /// The term without a promotional offer's signature.
    private var unsigned: Term {
        switch term {
        case .discount(var discount):
            discount.signature = ""
            return .discount(discount)
        case .offer(var offer) where offer.kind == .promotional:
            // The last part of a JWS, after its header and its payload.
            if let proof = offer.proof, let end = proof.lastIndex(of: ".") { offer.proof = String(proof[..<end]) }
            return .offer(offer)
        default: return term
        }
    }
    /// The term's name, without tokens and signatures.
    public var debugDescription: String {
        // The label alone: Foundation traps when it describes a date that is not a number.
        Mirror(reflecting: term).children.first?.label ?? ""
    }
}

/// The app's closure that decides whether a purchase continues in another storefront, compared by identity.
package final class StorefrontChangeHandler: Hashable, Sendable {
    package let shouldContinue: @Sendable (Storefront) -> Bool

    init(_ shouldContinue: @escaping @Sendable (Storefront) -> Bool) { self.shouldContinue = shouldContinue }

    package static func == (left: StorefrontChangeHandler, right: StorefrontChangeHandler) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Product.PurchaseOption {
    /// The quantity, from 1 to 10; by default 1.
    ///
    /// Only consumables and non-renewing subscriptions are sold in quantities other than 1. A purchase in any other
    /// quantity throws ``Product/PurchaseError/invalidQuantity``.
    public static func quantity(_ quantity: Int) -> Product.PurchaseOption { Self(.quantity(quantity)) }

    /// The app's UUID for its user, which becomes the transaction's ``Transaction/appAccountToken``.
    public static func appAccountToken(_ token: UUID) -> Product.PurchaseOption { Self(.appAccountToken(token)) }

    /// Whether a sandbox store simulates Ask to Buy: if true, the purchase is pending until a parent decides.
    ///
    /// The option has no effect in an `SKTestSession`, whose `askToBuyEnabled` decides.
    public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> Product.PurchaseOption {
        Self(.simulatesAskToBuy(simulateAskToBuy))
    }

    /// The decision whether a purchase continues if the storefront changes while it is under way.
    ///
    /// Without this option, the payment queue's delegate decides; without a delegate, the purchase continues. A
    /// purchase that does not continue throws `StoreKitError.notAvailableInStorefront`.
    ///
    /// - Parameter shouldContinuePurchase: returns whether the purchase continues in the new storefront. It is called
    ///   where the queue delivers its callbacks, by default on the main queue. A sandbox store waits for one second of
    ///   its clock (behavior 171): an answer that has not come by then counts as no.
    /// - Returns: the option.
    public static func onStorefrontChange(
        shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
    ) -> Product.PurchaseOption {
        Self(.storefrontChange(StorefrontChangeHandler(shouldContinuePurchase)))
    }

    /// A promotional offer, signed by the app's server as JWS; ignored for a product that does not renew.
    ///
    /// - Parameters:
    ///   - offerID: the offer's identifier, ``Product/SubscriptionOffer/id``.
    ///   - compactJWS: the server's JWS in compact serialization.
    /// - Returns: the options to pass to ``Product/purchase(options:)``.
    public static func promotionalOffer(_ offerID: String, compactJWS: String) -> [Product.PurchaseOption] {
        [Self(.offer(StoreOffer(kind: .promotional, identifier: offerID, proof: compactJWS)))]
    }

    /// A promotional offer, signed by the app's server in the form of Store Kit 1; ignored for a product that does not
    /// renew.
    ///
    /// - Parameters:
    ///   - offerID: the offer's identifier.
    ///   - keyID: the identifier of the key that signed.
    ///   - nonce: a number used for one purchase only.
    ///   - signature: the signature, ECDSA in DER.
    ///   - timestamp: the time of signing, in milliseconds since 1970.
    /// - Returns: the option.
    @available(*, deprecated, message: "Sign offers as JWS, see promotionalOffer(_:compactJWS:)")
    public static func promotionalOffer(
        offerID: String,
        keyID: String,
        nonce: UUID,
        signature: Data,
        timestamp: Int
    ) -> Product.PurchaseOption {
        let discount = StoreDiscount(
            identifier: offerID,
            keyIdentifier: keyID,
            nonce: nonce,
            signature: signature.base64EncodedString(),
            timestamp: Int64(timestamp)
        )
        return Self(.discount(discount))
    }

    /// A promotional offer, signed by the app's server in the form of Store Kit 1; ignored for a product that does not
    /// renew.
    @available(*, deprecated, message: "Sign offers as JWS, see promotionalOffer(_:compactJWS:)")
    public static func promotionalOffer(
        offerID: String,
        signature: Product.SubscriptionOffer.Signature
    ) -> Product.PurchaseOption {
        promotionalOffer(
            offerID: offerID,
            keyID: signature.keyID,
            nonce: signature.nonce,
            signature: signature.signature,
            timestamp: signature.timestamp
        )
    }

    /// The app's server's decision, signed as JWS, on whether the user gets the introductory offer.
    public static func introductoryOfferEligibility(compactJWS: String) -> Product.PurchaseOption {
        Self(.offer(StoreOffer(kind: .introductory, proof: compactJWS)))
    }

    /// A win-back offer, one of ``Product/SubscriptionInfo/winBackOffers``.
    ///
    /// The store refuses an offer of another kind, and an offer that the user is not eligible for.
    public static func winBackOffer(_ offer: Product.SubscriptionOffer) -> Product.PurchaseOption {
        // An empty identifier makes the store refuse an offer of another kind.
        Self(.offer(StoreOffer(kind: .winBack, identifier: offer.type == .winBack ? offer.id : "")))
    }

    /// The way in which a subscription is billed; by default, the whole period at once.
    ///
    /// With ``Product/SubscriptionInfo/BillingPlanType/monthly``, the buyer commits to the monthly payments of a year.
    /// The store sells it if ``Product/SubscriptionInfo/pricingTerms`` lists it, with the offers listed there.
    public static func billingPlanType(_ type: Product.SubscriptionInfo.BillingPlanType) -> Product.PurchaseOption {
        Self(.billingPlan(type))
    }

    /// A custom term, which has no effect.
    public static func custom(key: String, value: String) -> Product.PurchaseOption {
        Self(.custom(key: key, value: value))
    }
    /// A custom term, which has no effect.
    public static func custom(key: String, value: Double) -> Product.PurchaseOption {
        Self(.custom(key: key, value: "\(value)"))
    }
    /// A custom term, which has no effect.
    public static func custom(key: String, value: Bool) -> Product.PurchaseOption {
        Self(.custom(key: key, value: "\(value)"))
    }
    /// A signed request of the Advanced Commerce API with the key `advancedCommerceData`; has no effect with another key.
    ///
    /// The value is a JSON object `{"signatureInfo": {"token": "…"}}` with the JWS, for a generic product. See also
    /// ``AdvancedCommerceProduct/purchase(compactJWS:options:)``.
    public static func custom(key: String, value: Data) -> Product.PurchaseOption {
        guard key != AdvancedCommerceData.optionKey else { return Self(.requestData(value)) }
        return Self(.custom(key: key, value: value.base64EncodedString()))
    }
}

extension Product.PurchaseOption {
    /// Returns the payment for a product on some terms.
    ///
    /// A promotional offer for a product that is no subscription is ignored, as in Xcode's sessions: the tests of
    /// flutter/packages buy consumables with one.
    ///
    /// - Throws: `Product.PurchaseError.invalidQuantity` for a quantity that the product is not sold in.
    static func payment(for product: Product, options: Set<Product.PurchaseOption>) throws -> StorePayment {
        let isAny = product.type == .consumable || product.type == .nonRenewable
        return try payment(
            for: product.id,
            isSoldInAnyQuantity: isAny,
            renews: product.type.renews,
            options: options
        )
    }

    /// Returns the payment for a product's identifier on some terms.
    package static func payment(
        for identifier: Product.ID,
        isSoldInAnyQuantity isAny: Bool,
        renews: Bool,
        options: Set<Product.PurchaseOption>
    ) throws -> StorePayment {
        var payment = StorePayment(productIdentifier: identifier)
        payment.isStoreKit2 = true
        if options.isEmpty { return payment }
        for option in options {
            switch option.term {
            case .quantity(let quantity):
                guard quantity == 1 || isAny && (1...10).contains(quantity) else {
                    throw Product.PurchaseError.invalidQuantity
                }
                payment.quantity = quantity
            case .appAccountToken(let token): payment.applicationUsername = token.uuidString.lowercased()
            case .simulatesAskToBuy(let isOn): payment.simulatesAskToBuyInSandbox = isOn
            case .discount(let discount): payment.discount = renews ? discount : nil
            case .offer(let offer): payment.offer = renews || offer.kind != .promotional ? offer : nil
            case .billingPlan(let plan): payment.billingPlan = plan == .monthly ? .monthly : nil
            case .purchaseDate(let date, let isRenewed):
                payment.purchaseDate = date
                payment.renewsUntilNow = isRenewed
            case .requestData(let data): payment.requestData = data
            case .storefrontChange, .custom: break
            }
        }
        return payment
    }

    /// Returns the decision whether a purchase continues in another storefront; nil without an option for it.
    static func shouldContinue(_ options: Set<Product.PurchaseOption>) -> (@Sendable (StoreStorefront) -> Bool)? {
        for option in options {
            if case .storefrontChange(let handler) = option.term { return { handler.shouldContinue(Storefront($0)) } }
        }
        return nil
    }
}
