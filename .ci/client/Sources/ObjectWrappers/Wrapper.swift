import Foundation
import StoreKit

/// A value of Store Kit as an object, for a language that has no structures: equal to another if the values are.
package class Wrapper<Raw: Equatable>: NSObject {
    package let raw: Raw

    package init(_ raw: Raw) { self.raw = raw }

    package override func isEqual(_ object: Any?) -> Bool {
        (object as? Wrapper<Raw>)?.raw == raw
    }
}

/// A wrapper whose value can be hashed, as nearly all of Store Kit's can.
package final class HashableWrapper<Raw: Hashable>: Wrapper<Raw> {
    package override var hash: Int { raw.hashValue }
}

extension Hashable {
    /// The value as an object.
    package var wrapped: HashableWrapper<Self> { HashableWrapper(self) }
}

// The values that are wrapped so: each line requires what the wrapper does.
package typealias WrappedProduct = HashableWrapper<Product>
package typealias WrappedType = HashableWrapper<Product.ProductType>
package typealias WrappedPeriod = HashableWrapper<Product.SubscriptionPeriod>
package typealias WrappedUnitStyle = HashableWrapper<Product.SubscriptionPeriod.Unit.FormatStyle>
package typealias WrappedInfo = HashableWrapper<Product.SubscriptionInfo>
package typealias WrappedOption = HashableWrapper<Product.PurchaseOption>
package typealias WrappedOffer = HashableWrapper<Product.SubscriptionOffer>
package typealias WrappedOfferType = HashableWrapper<Product.SubscriptionOffer.OfferType>
package typealias WrappedPaymentMode = HashableWrapper<Product.SubscriptionOffer.PaymentMode>
package typealias WrappedSignature = HashableWrapper<Product.SubscriptionOffer.Signature>
package typealias WrappedRenewalState = HashableWrapper<Product.SubscriptionInfo.RenewalState>
package typealias WrappedRenewalInfo = HashableWrapper<Product.SubscriptionInfo.RenewalInfo>
package typealias WrappedExpiration = HashableWrapper<Product.SubscriptionInfo.RenewalInfo.ExpirationReason>
package typealias WrappedStatus = HashableWrapper<Product.SubscriptionInfo.Status>
package typealias WrappedPlan = HashableWrapper<Product.SubscriptionInfo.BillingPlanType>
package typealias WrappedTerms = HashableWrapper<Product.SubscriptionInfo.PricingTerms>
package typealias WrappedCommitment = HashableWrapper<Product.SubscriptionInfo.CommitmentInfo>
package typealias WrappedRenewalCommitment = HashableWrapper<Product.SubscriptionInfo.RenewalInfo.CommitmentInfo>
package typealias WrappedMember = HashableWrapper<Product.SubscriptionInfo.BundledSubscription>
package typealias WrappedRenewalCommerce = HashableWrapper<Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo>
package typealias WrappedIncrease = HashableWrapper<
    Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo
>
package typealias WrappedTransaction = HashableWrapper<Transaction>
package typealias WrappedReason = HashableWrapper<Transaction.Reason>
package typealias WrappedRevocation = HashableWrapper<Transaction.RevocationReason>
package typealias WrappedRevocationType = HashableWrapper<Transaction.RevocationType>
package typealias WrappedTransactionOfferType = HashableWrapper<Transaction.OfferType>
package typealias WrappedOwnership = HashableWrapper<Transaction.OwnershipType>
package typealias WrappedTransactionOffer = HashableWrapper<Transaction.Offer>
package typealias WrappedTransactionMode = HashableWrapper<Transaction.Offer.PaymentMode>
package typealias WrappedTransactionCommitment = HashableWrapper<Transaction.CommitmentInfo>
package typealias WrappedCommerce = HashableWrapper<Transaction.AdvancedCommerceInfo>
package typealias WrappedItem = HashableWrapper<Transaction.AdvancedCommerceInfo.Item>
package typealias WrappedDetails = HashableWrapper<Transaction.AdvancedCommerceInfo.Item.Details>
package typealias WrappedPartner = HashableWrapper<Transaction.AdvancedCommerceInfo.Partner>
package typealias WrappedCommerceOffer = HashableWrapper<Transaction.AdvancedCommerceInfo.Offer>
package typealias WrappedCommerceRefund = HashableWrapper<Transaction.AdvancedCommerceInfo.Refund>
package typealias WrappedApp = HashableWrapper<AppTransaction>
package typealias WrappedStoreType = HashableWrapper<AppTransaction.StoreType>
package typealias WrappedPlatform = HashableWrapper<AppStore.Platform>
package typealias WrappedEnvironment = HashableWrapper<AppStore.Environment>
package typealias WrappedMessage = HashableWrapper<Message>
package typealias WrappedMessageReason = HashableWrapper<Message.Reason>
package typealias WrappedResult = HashableWrapper<VerificationResult<Transaction>>
package typealias WrappedRenewalResult = HashableWrapper<VerificationResult<Product.SubscriptionInfo.RenewalInfo>>
package typealias WrappedAppResult = HashableWrapper<VerificationResult<AppTransaction>>

// These two have no hash in Store Kit.
package typealias WrappedPromotion = Wrapper<Product.PromotionInfo>
package typealias WrappedIntent = Wrapper<PurchaseIntent>

/// A storefront, which cannot even be compared.
package final class WrappedStorefront: NSObject {
    package let raw: Storefront

    init(_ raw: Storefront) { self.raw = raw }

    package override func isEqual(_ object: Any?) -> Bool {
        guard let other = (object as? WrappedStorefront)?.raw else { return false }
        return raw.countryCode == other.countryCode && raw.id == other.id
    }

    package override var hash: Int { raw.countryCode.hash * 1_031 + raw.id.hash }
}

extension Storefront {
    package var wrapped: WrappedStorefront { WrappedStorefront(self) }
}
