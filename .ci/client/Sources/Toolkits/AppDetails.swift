import Foundation
import StoreKit

/// What a library reports about the app's own purchase.
package struct AppDetails: Sendable {
    package let platform: AppStore.Platform
    package let firstVersion: String
    package let transactionID: String
    package let environment: AppStore.Environment
    package let isVolumePurchase: Bool
    package let ageRating: Int?

    package static func read() async throws -> AppDetails {
        let result = try await AppTransaction.shared
        let app = try result.payloadValue
        return AppDetails(
            platform: app.originalPlatform,
            firstVersion: app.originalAppVersion,
            transactionID: app.appTransactionID,
            environment: app.environment,
            isVolumePurchase: app.storeType == .enterprise || app.storeType == .education,
            ageRating: await AppStore.ageRatingCode
        )
    }

    /// Whether the app was bought on a device of a kind that its business model has counted since.
    package var isFromPhoneOrTablet: Bool {
        switch platform {
        case .iOS: return true
        case .macOS, .tvOS, .visionOS: return false
        default: return false
        }
    }
}

/// Every refund with the part of the price that it returned.
package enum Refunds {
    package struct Refund: Equatable, Sendable {
        package let product: String
        package let type: Transaction.RevocationType
        package let percentage: Decimal?
        package let amount: Decimal?

        package init(product: String, type: Transaction.RevocationType, percentage: Decimal?, amount: Decimal?) {
            (self.product, self.type, self.percentage, self.amount) = (product, type, percentage, amount)
        }
    }

    package static func all() async -> [Refund] {
        var refunds: [Refund] = []
        for await result in Transaction.all {
            guard let transaction = try? result.payloadValue, let type = transaction.revocationType else { continue }
            let percentage: Decimal?
            switch type {
            case .fullRefund, .proratedRefund: percentage = transaction.revocationPercentage
            case .familyRevocation, .assignmentRevocation: percentage = nil
            default: percentage = nil
            }
            let amount = percentage.flatMap { part in transaction.price.map { $0 * part / 100 } }
            refunds.append(Refund(product: transaction.productID, type: type, percentage: percentage, amount: amount))
        }
        return refunds
    }
}
