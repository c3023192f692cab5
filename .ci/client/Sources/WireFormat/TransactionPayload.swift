import Foundation
import StoreKit

// StoreCore has a type of this name, which this module does not import.

package struct TransactionPayload: Codable, Equatable, Sendable {
    package let id: UInt64
    package let originalID: UInt64
    package let orderLine: String?
    package let product: String
    package let type: String
    package let group: String?
    package let app: String
    package let purchased: Double
    package let originallyPurchased: Double
    package let expires: Double?
    package let quantity: Int
    package let isUpgraded: Bool
    package let owner: ProductPayload.Name
    package let signed: Double
    package let token: String?
    package let environment: String
    package let reason: String
    package let storefront: StorefrontPayload
    package let price: String?
    package let currency: String?
    package let appTransaction: String
    package let offer: Offer?
    package let revocation: Revocation?
    package let check: Data
    package let nonce: UUID
    package let json: Data

    package struct Offer: Codable, Equatable, Sendable {
        package let id: String?
        package let type: ProductPayload.Name
        package let mode: String?
        package let period: PeriodPayload?

        init(_ offer: Transaction.Offer) {
            id = offer.id
            type = .init(raw: String(offer.type.rawValue), localized: offer.type.localizedDescription)
            mode = offer.paymentMode?.rawValue
            period = offer.period.map(PeriodPayload.init)
        }
    }

    package struct Revocation: Codable, Equatable, Sendable {
        package let date: Double
        package let reason: Int?
        package let reasonText: String?
        package let type: String?
        package let percentage: Decimal?
    }

    init(_ transaction: Transaction) {
        id = transaction.id
        originalID = transaction.originalID
        orderLine = transaction.webOrderLineItemID
        product = transaction.productID
        type = transaction.productType.rawValue
        group = transaction.subscriptionGroupID
        app = transaction.appBundleID
        purchased = transaction.purchaseDate.timeIntervalSince1970
        originallyPurchased = transaction.originalPurchaseDate.timeIntervalSince1970
        expires = transaction.expirationDate?.timeIntervalSince1970
        quantity = transaction.purchasedQuantity
        isUpgraded = transaction.isUpgraded
        owner = .init(
            raw: transaction.ownershipType.rawValue,
            localized: transaction.ownershipType.localizedDescription
        )
        signed = transaction.signedDate.timeIntervalSince1970
        token = transaction.appAccountToken?.uuidString.lowercased()
        environment = transaction.environment.rawValue
        reason = transaction.reason.rawValue
        storefront = StorefrontPayload(transaction.storefront)
        price = transaction.price.map { NSDecimalNumber(decimal: $0).stringValue }
        currency = transaction.currency?.identifier
        appTransaction = transaction.appTransactionID
        offer = transaction.offer.map(Offer.init)
        revocation = transaction.revocationDate.map {
            Revocation(
                date: $0.timeIntervalSince1970,
                reason: transaction.revocationReason?.rawValue,
                reasonText: transaction.revocationReason?.localizedDescription,
                type: transaction.revocationType?.rawValue,
                percentage: transaction.revocationPercentage
            )
        }
        check = transaction.deviceVerification
        nonce = transaction.deviceVerificationNonce
        json = transaction.jsonRepresentation
    }
}

package struct StorefrontPayload: Codable, Equatable, Sendable {
    package let id: String
    package let country: String
    package let currency: String?

    init(_ storefront: Storefront) {
        id = storefront.id
        country = storefront.countryCode
        currency = storefront.currency?.identifier
    }
}

package struct RenewalPayload: Codable, Equatable, Sendable {
    package let product: String
    package let original: UInt64
    package let willRenew: Bool
    package let preference: String?
    package let expiration: ProductPayload.Name?
    package let isRetrying: Bool
    package let graceEnd: Double?
    package let priceIncrease: String
    package let date: Double?
    package let price: Decimal?
    package let currency: String?
    package let environment: String
    package let began: Double
    package let offers: [String]
    package let offer: TransactionPayload.Offer?
    package let account: [String?]

    init(_ info: Product.SubscriptionInfo.RenewalInfo) {
        product = info.currentProductID
        original = info.originalTransactionID
        willRenew = info.willAutoRenew
        preference = info.autoRenewPreference
        expiration = info.expirationReason.map {
            .init(raw: String($0.rawValue), localized: $0.localizedDescription)
        }
        isRetrying = info.isInBillingRetry
        graceEnd = info.gracePeriodExpirationDate?.timeIntervalSince1970
        priceIncrease = info.priceIncreaseStatus.localizedDescription
        date = info.renewalDate?.timeIntervalSince1970
        price = info.renewalPrice
        currency = info.currency?.identifier
        environment = info.environment.rawValue
        began = info.recentSubscriptionStartDate.timeIntervalSince1970
        offers = info.eligibleWinBackOfferIDs
        offer = info.offer.map(TransactionPayload.Offer.init)
        account = [info.appAccountToken?.uuidString, info.appTransactionID]
    }
}

package struct AppPayload: Codable, Equatable, Sendable {
    package let id: String
    package let app: UInt64?
    package let bundle: String
    package let version: String
    package let originalVersion: String
    package let versionID: UInt64?
    package let environment: String
    package let platform: String
    package let purchased: Double
    package let preordered: Double?
    package let revoked: Double?
    package let store: String

    init(_ app: AppTransaction) {
        id = app.appTransactionID
        self.app = app.appID
        bundle = app.bundleID
        version = app.appVersion
        originalVersion = app.originalAppVersion
        versionID = app.appVersionID
        environment = app.environment.rawValue
        platform = app.originalPlatform.rawValue
        purchased = app.originalPurchaseDate.timeIntervalSince1970
        preordered = app.preorderDate?.timeIntervalSince1970
        revoked = app.revocationDate?.timeIntervalSince1970
        store = app.storeType.rawValue
    }
}
