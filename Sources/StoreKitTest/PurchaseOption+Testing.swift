import Foundation
import StoreCore
import StoreKit

// Options for tests, which a store takes while `SandboxStore.acceptsTestPurchases` is true: a test session's does.
extension Product.PurchaseOption {
    /// What becomes of a subscription that began in the past.
    public enum SubscriptionRenewalBehavior: Codable, Hashable, Sendable {
        /// It has renewed until now.
        case renewUntilNow
        /// It was canceled at once, and has one period.
        case cancelImmediately
    }

    /// A promotional offer without a signature.
    public static func promotionalOffer(id identifier: String) -> Product.PurchaseOption {
        Product.PurchaseOption(.offer(StoreOffer(kind: .promotional, identifier: identifier)))
    }

    /// The offer behind a code, by its reference name.
    public static func codeOffer(referenceName: String) -> Product.PurchaseOption {
        Product.PurchaseOption(.offer(StoreOffer(kind: .code, identifier: referenceName)))
    }

    /// The date of the purchase, not in the future.
    public static func purchaseDate(
        _ date: Date,
        renewalBehavior: SubscriptionRenewalBehavior = .renewUntilNow
    ) -> Product.PurchaseOption {
        Product.PurchaseOption(.purchaseDate(date, renews: renewalBehavior == .renewUntilNow))
    }
}
