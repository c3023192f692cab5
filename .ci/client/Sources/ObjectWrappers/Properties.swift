import Foundation
import StoreKit

// Every property, as an object's property has to be typed.

extension WrappedProduct {
    package var id: String { raw.id }
    package var type: WrappedType { raw.type.wrapped }
    package var displayName: String { raw.displayName }
    package var productDescription: String { raw.description }
    package var price: NSDecimalNumber { raw.price as NSDecimalNumber }
    package var displayPrice: String { raw.displayPrice }
    package var isFamilyShareable: Bool { raw.isFamilyShareable }
    package var subscription: WrappedInfo? { raw.subscription?.wrapped }
    package var jsonRepresentation: Data { raw.jsonRepresentation }
    package var priceFormatStyle: Decimal.FormatStyle.Currency { raw.priceFormatStyle }
    package var unitStyle: WrappedUnitStyle { raw.subscriptionPeriodUnitFormatStyle.wrapped }
    package var debugText: String { raw.debugDescription }
}

extension WrappedType {
    package static let consumable = Product.ProductType.consumable.wrapped
    package static var subscriptionBundle: WrappedType { Product.ProductType.subscriptionBundle.wrapped }
    package static var subscriptionSuite: WrappedType { Product.ProductType.subscriptionSuite.wrapped }
    package convenience init(rawValue: String) { self.init(Product.ProductType(rawValue: rawValue)) }
    package var rawValue: String { raw.rawValue }
    package var localizedDescription: String { raw.localizedDescription }
}

extension WrappedPeriod {
    package enum Unit: Int { case unknown = -1, day, week, month, year }

    package var unit: Unit { raw.unit.object }
    package var value: Int { raw.value }
    package func dateRange(referenceDate: Date = .now) -> [Date] {
        let range = raw.dateRange(referenceDate: referenceDate)
        return [range.lowerBound, range.upperBound]
    }
    package static var constants: [WrappedPeriod] {
        [
            Product.SubscriptionPeriod.weekly.wrapped, Product.SubscriptionPeriod.monthly.wrapped,
            Product.SubscriptionPeriod.yearly.wrapped, Product.SubscriptionPeriod.everyThreeDays.wrapped,
            Product.SubscriptionPeriod.everyTwoWeeks.wrapped, Product.SubscriptionPeriod.everyTwoMonths.wrapped,
            Product.SubscriptionPeriod.everyThreeMonths.wrapped, Product.SubscriptionPeriod.everySixMonths.wrapped,
        ]
    }
    package var debugText: String { raw.debugDescription }
}

extension Product.SubscriptionPeriod.Unit {
    fileprivate var object: WrappedPeriod.Unit {
        switch self {
        case .day: return .day
        case .week: return .week
        case .month: return .month
        case .year: return .year
        @unknown default: return .unknown
        }
    }
}

extension WrappedPeriod.Unit {
    package var raw: Product.SubscriptionPeriod.Unit {
        switch self {
        case .day, .unknown: .day
        case .week: .week
        case .month: .month
        case .year: .year
        }
    }
}

extension WrappedUnitStyle {
    package func format(_ unit: WrappedPeriod.Unit) -> String { raw.format(unit.raw) }
    package func locale(_ locale: Locale) -> WrappedUnitStyle { raw.locale(locale).wrapped }
    package func encode(to encoder: any Encoder) throws { try raw.encode(to: encoder) }
    package convenience init(from decoder: any Decoder) throws {
        self.init(try Product.SubscriptionPeriod.Unit.FormatStyle(from: decoder))
    }
}

extension WrappedInfo {
    package var introductoryOffer: WrappedOffer? { raw.introductoryOffer?.wrapped }
    package var promotionalOffers: [WrappedOffer] { raw.promotionalOffers.map { $0.wrapped } }
    package var winBackOffers: [WrappedOffer] { raw.winBackOffers.map { $0.wrapped } }
    package var subscriptionGroupID: String { raw.subscriptionGroupID }
    package var subscriptionPeriod: WrappedPeriod { raw.subscriptionPeriod.wrapped }
    package var groupLevel: Int { raw.groupLevel }
    package var groupDisplayName: String { raw.groupDisplayName }
    package var pricingTerms: [WrappedTerms] { raw.pricingTerms.map { $0.wrapped } }
    package var bundledSubscriptions: [WrappedMember] { raw.bundledSubscriptions.map { $0.wrapped } }
}

extension WrappedOffer {
    package var id: String? { raw.id }
    package var type: WrappedOfferType { raw.type.wrapped }
    package var price: NSDecimalNumber { raw.price as NSDecimalNumber }
    package var displayPrice: String { raw.displayPrice }
    package var period: WrappedPeriod { raw.period.wrapped }
    package var periodCount: Int { raw.periodCount }
    package var paymentMode: WrappedPaymentMode { raw.paymentMode.wrapped }
}

extension WrappedTerms {
    package var billingPrice: NSDecimalNumber { raw.billingPrice as NSDecimalNumber }
    package var billingDisplayPrice: String { raw.billingDisplayPrice }
    package var billingPeriod: HashableWrapper<Product.SubscriptionInfo.BillingPeriod> { raw.billingPeriod.wrapped }
    package var billingPlanType: WrappedPlan { raw.billingPlanType.wrapped }
    package var commitmentInfo: WrappedCommitment { raw.commitmentInfo.wrapped }
    package var subscriptionOffers: [WrappedOffer] { raw.subscriptionOffers.map { $0.wrapped } }
    package func offers(ofType type: WrappedOfferType) -> [WrappedOffer] { raw[offers: type.raw].map { $0.wrapped } }
}

extension WrappedSignature {
    package convenience init(keyID: String, nonce: UUID, timestamp: Int, signature: Data) {
        self.init(
            Product.SubscriptionOffer.Signature(keyID: keyID, nonce: nonce, timestamp: timestamp, signature: signature)
        )
    }
    package var line: String { "\(raw.keyID) \(raw.nonce) \(raw.timestamp) \(raw.signature.count)" }
}

extension WrappedRenewalInfo {
    package enum PriceIncrease: Int { case unknown, noIncreasePending, pending, agreed }

    package var jsonRepresentation: Data { raw.jsonRepresentation }
    package var originalTransactionID: UInt64 { raw.originalTransactionID }
    package var currentProductID: String { raw.currentProductID }
    package var willAutoRenew: Bool { raw.willAutoRenew }
    package var autoRenewPreference: String? { raw.autoRenewPreference }
    package var expirationReason: WrappedExpiration? { raw.expirationReason?.wrapped }
    package var isUnbundled: Bool { raw.expirationReason == .unbundled }
    package var priceIncrease: PriceIncrease {
        let status: Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus = raw.priceIncreaseStatus
        return switch status {
        case .noIncreasePending: .noIncreasePending
        case .pending: .pending
        case .agreed: .agreed
        @unknown default: .unknown
        }
    }
    package var isInBillingRetry: Bool { raw.isInBillingRetry }
    package var gracePeriodExpirationDate: Date? { raw.gracePeriodExpirationDate }
    package var offer: WrappedTransactionOffer? { raw.offer?.wrapped }
    package var oldOffer: [String?] {
        [
            raw.offerID, raw.offerType?.localizedDescription, raw.offerPaymentModeStringRepresentation,
            raw.offerPeriodStringRepresentation, raw.environmentStringRepresentation, raw.currencyCode,
        ]
    }
    package var environment: WrappedEnvironment { raw.environment.wrapped }
    package var recentSubscriptionStartDate: Date { raw.recentSubscriptionStartDate }
    package var renewalDate: Date? { raw.renewalDate }
    package var renewalPrice: NSDecimalNumber? { raw.renewalPrice as NSDecimalNumber? }
    package var currencyIdentifier: String? { raw.currency?.identifier }
    package var eligibleWinBackOfferIDs: [String] { raw.eligibleWinBackOfferIDs }
    package var bundle: [String?] {
        [raw.bundleProductID, raw.bundleSubscriptionGroupID, raw.bundleOriginalTransactionID]
    }
    package var willUnbundle: Bool { raw.willUnbundle }
    package var deviceVerification: Data { raw.deviceVerification }
    package var deviceVerificationNonce: UUID { raw.deviceVerificationNonce }
    package var signedDate: Date { raw.signedDate }
    package var appAccountToken: UUID? { raw.appAccountToken }
    package var appTransactionID: String { raw.appTransactionID }
    package var commitmentInfo: WrappedRenewalCommitment? { raw.commitmentInfo?.wrapped }
    package var renewalBillingPlanType: WrappedPlan? { raw.renewalBillingPlanType?.wrapped }
    package var advancedCommerceInfo: WrappedRenewalCommerce? { raw.advancedCommerceInfo?.wrapped }
    package var increases: [WrappedIncrease] {
        raw.advancedCommerceInfo?.items.compactMap { $0.priceIncreaseInfo?.wrapped } ?? []
    }
    package var debugText: String { raw.debugDescription }
}

extension WrappedIncrease {
    package var isSettled: Bool { raw.status == .accepted || raw.status == .scheduled }
    package var price: NSDecimalNumber { raw.price as NSDecimalNumber }
    package var dependentSKUs: [String] { raw.dependentSKUs }
}

extension WrappedTransaction {
    package var id: UInt64 { raw.id }
    package var originalID: UInt64 { raw.originalID }
    package var webOrderLineItemID: String? { raw.webOrderLineItemID }
    package var productID: String { raw.productID }
    package var subscriptionGroupID: String? { raw.subscriptionGroupID }
    package var appBundleID: String { raw.appBundleID }
    package var dates: [Date?] {
        [raw.purchaseDate, raw.originalPurchaseDate, raw.expirationDate, raw.revocationDate, raw.signedDate]
    }
    package var purchasedQuantity: Int { raw.purchasedQuantity }
    package var isUpgraded: Bool { raw.isUpgraded }
    package var offer: WrappedTransactionOffer? { raw.offer?.wrapped }
    package var oldNames: [String?] {
        [
            raw.offerID, raw.offerType?.localizedDescription, raw.offerPaymentModeStringRepresentation,
            raw.offerPeriodStringRepresentation, raw.revocationTypeStringRepresentation,
            raw.environmentStringRepresentation, raw.reasonStringRepresentation, raw.storefrontCountryCode,
            raw.currencyCode,
        ]
    }
    package var revocationReason: WrappedRevocation? { raw.revocationReason?.wrapped }
    package var revocationType: WrappedRevocationType? { raw.revocationType?.wrapped }
    package var revocationPercentage: NSDecimalNumber? { raw.revocationPercentage as NSDecimalNumber? }
    package var productType: WrappedType { raw.productType.wrapped }
    package var appAccountToken: UUID? { raw.appAccountToken }
    package var environment: WrappedEnvironment { raw.environment.wrapped }
    package var reason: WrappedReason { raw.reason.wrapped }
    package var storefront: WrappedStorefront { raw.storefront.wrapped }
    package var price: NSDecimalNumber? { raw.price as NSDecimalNumber? }
    package var currencyIdentifier: String? { raw.currency?.identifier }
    package var bundle: [String?] {
        [
            raw.bundleProductID, raw.bundleSubscriptionGroupID, raw.bundleTransactionID,
            raw.bundleOriginalTransactionID,
        ]
    }
    package var previousOriginalTransactionID: NSNumber? {
        raw.previousOriginalTransactionID.map { NSNumber(value: $0) }
    }
    package var appTransactionID: String { raw.appTransactionID }
    package var deviceVerification: Data { raw.deviceVerification }
    package var deviceVerificationNonce: UUID { raw.deviceVerificationNonce }
    package var ownershipType: WrappedOwnership { raw.ownershipType.wrapped }
    package var advancedCommerceInfo: WrappedCommerce? { raw.advancedCommerceInfo?.wrapped }
    package var billingPlanType: WrappedPlan? { raw.billingPlanType?.wrapped }
    package var commitmentInfo: WrappedTransactionCommitment? { raw.commitmentInfo?.wrapped }
    package var jsonRepresentation: Data { raw.jsonRepresentation }
    package var debugText: String { raw.debugDescription }
}

extension WrappedTransactionOffer {
    package var id: String? { raw.id }
    package var type: WrappedTransactionOfferType { raw.type.wrapped }
    package var paymentMode: WrappedTransactionMode? { raw.paymentMode?.wrapped }
    package var period: WrappedPeriod? { raw.period?.wrapped }
}

extension WrappedRevocationType {
    package convenience init(rawValue: String) { self.init(.init(rawValue: rawValue)) }
    package static var familyRevocation: WrappedRevocationType { Transaction.RevocationType.familyRevocation.wrapped }
    package static var fullRefund: WrappedRevocationType { Transaction.RevocationType.fullRefund.wrapped }
    package static var proratedRefund: WrappedRevocationType { Transaction.RevocationType.proratedRefund.wrapped }
    package static var assignmentRevocation: WrappedRevocationType { .init(.assignmentRevocation) }
}

extension WrappedCommerce {
    package var requestReferenceID: String { raw.requestReferenceID }
    package var estimatedTax: NSDecimalNumber { raw.estimatedTax as NSDecimalNumber }
    package var productDescription: String? { raw.description }
    package var displayName: String? { raw.displayName }
    package var period: WrappedPeriod? { raw.period?.wrapped }
    package var items: [WrappedItem] { raw.items.map { $0.wrapped } }
}

extension WrappedItem {
    package var details: WrappedDetails { raw.details.wrapped }
    package var refunds: [WrappedCommerceRefund]? { raw.refunds?.map { $0.wrapped } }
    package var revocationDate: Date? { raw.revocationDate }
}

extension WrappedDetails {
    package var sku: String { raw.sku }
    package var offer: WrappedCommerceOffer? { raw.offer?.wrapped }
    package var partners: [WrappedPartner] { raw.partners.map { $0.wrapped } }
    package var price: NSDecimalNumber { raw.price as NSDecimalNumber }
}

extension WrappedCommerceOffer {
    package var reason: Int {
        [
            Transaction.AdvancedCommerceInfo.Offer.Reason.acquisition, .retention, .winBack,
        ].firstIndex(of: raw.reason) ?? -1
    }
}

extension WrappedCommerceRefund {
    package enum Reason: Int { case unknown = -1, legal, modifyItems, other, unfulfilled, unintended, unsatisfied }

    package var reason: Reason {
        switch raw.reason {
        case .legal: .legal
        case .modifyItems: .modifyItems
        case .other: .other
        case .unfulfilled: .unfulfilled
        case .unintended: .unintended
        case .unsatisfied: .unsatisfied
        default: .unknown
        }
    }
    package var kind: Int {
        [
            Transaction.AdvancedCommerceInfo.Refund.RefundType.custom, .proRated, .full,
        ].firstIndex(of: raw.type) ?? -1
    }
    package var amount: NSDecimalNumber { raw.amount as NSDecimalNumber }
    package var date: Date { raw.date }
}

extension WrappedApp {
    package var appID: NSNumber? { raw.appID as NSNumber? }
    package var appVersionID: NSNumber? { raw.appVersionID as NSNumber? }
    package var appTransactionID: String { raw.appTransactionID }
    package var versions: [String] { [raw.appVersion, raw.originalAppVersion, raw.bundleID] }
    package var environment: WrappedEnvironment { raw.environment.wrapped }
    package var originalPlatform: WrappedPlatform { raw.originalPlatform.wrapped }
    package var oldNames: [String] { [raw.originalPlatformStringRepresentation, raw.storeTypeStringRepresentation] }
    package var dates: [Date?] { [raw.originalPurchaseDate, raw.preorderDate, raw.revocationDate, raw.signedDate] }
    package var storeType: WrappedStoreType { raw.storeType.wrapped }
    package var deviceVerification: Data { raw.deviceVerification }
    package var deviceVerificationNonce: UUID { raw.deviceVerificationNonce }
    package var jsonRepresentation: Data { raw.jsonRepresentation }
    package var debugText: String { raw.debugDescription }
}

extension WrappedStoreType {
    package static var all: [WrappedStoreType] {
        [
            AppTransaction.StoreType.consumer.wrapped, AppTransaction.StoreType.education.wrapped,
            AppTransaction.StoreType.enterprise.wrapped,
        ]
    }
    package var rawValue: String { raw.rawValue }
}

extension WrappedPlatform {
    package static var all: [WrappedPlatform] {
        [
            AppStore.Platform.iOS.wrapped, AppStore.Platform.macOS.wrapped, AppStore.Platform.tvOS.wrapped,
            AppStore.Platform.visionOS.wrapped, AppStore.Platform.managed.wrapped,
        ]
    }
    package var rawValue: String { raw.rawValue }
}

extension WrappedPromotion {
    package enum Visibility: Int { case unknown = -1, appStoreConnectDefault, visible, hidden }

    package var productID: Product.ID { raw.productID }
    package var visibility: Visibility {
        switch raw.visibility {
        case .appStoreConnectDefault: return .appStoreConnectDefault
        case .visible: return .visible
        case .hidden: return .hidden
        @unknown default: return .unknown
        }
    }
}

extension WrappedIntent {
    package var product: WrappedProduct { raw.product.wrapped }
    package var offer: WrappedOffer? { raw.offer?.wrapped }
    package var id: String { raw.id }
}

extension WrappedMessageReason {
    package static var all: [WrappedMessageReason] {
        [
            Message.Reason.generic.wrapped, Message.Reason.priceIncreaseConsent.wrapped,
            Message.Reason.billingIssue.wrapped, Message.Reason.winBackOffer.wrapped,
        ]
    }
}
