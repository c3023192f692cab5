import Foundation
import StoreCore
import StoreKit

/// A purchase by Store Kit 2, in a task that waits for its outcome.
final class PurchaseProbe: @unchecked Sendable {  // unchecked: a run uses one thread
    enum Outcome {
        case purchased(identifier: String, token: UUID?)
        case canceled
        case pending
        case failed(any Error)
        /// The task was canceled, and the purchase goes on.
        case abandoned
    }

    let tag: Int
    let product: SimulatedOperation.Product
    let quantity: Int
    var task: Task<Void, Never>?
    var isCanceled = false
    /// The number of the user who was signed in when it began.
    var userNumber = 0
    /// The outcome, nil while the purchase goes on.
    var outcome: Outcome?

    init(_ tag: Int, _ product: SimulatedOperation.Product, _ quantity: Int) {
        self.tag = tag
        self.product = product
        self.quantity = quantity
    }

    /// Whether Store Kit 2 refuses to order so many, as it does before the store is asked.
    var isRefused: Bool { quantity > 10 || quantity > 1 && (product == .game || product.group != nil) }

    /// Whether an error says that a purchase has failed with a code, other than `unknown`.
    static func isRight(_ error: any Error, for code: StoreFailure.Code) -> Bool {
        switch (error as? Product.PurchaseError, code) {
        case (.productUnavailable?, .paymentInvalid), (.ineligibleForOffer?, .ineligibleForOffer),
            (.invalidOfferSignature?, .invalidSignature):
            return true
        case (nil, .storeProductNotAvailable):
            if case .notAvailableInStorefront? = error as? StoreKitError { return true }
            return false
        case (nil, .clientInvalid):
            if case .systemError? = error as? StoreKitError { return true }
            return false
        default: return false
        }
    }

    /// Whether an error says no more than that a purchase has failed, or that nobody can tell since the user has changed.
    static func isUnknown(_ error: any Error) -> Bool {
        if case .unknown? = error as? StoreKitError { return true }
        return false
    }

    /// Whether an error says that the store could not be reached for the transaction that it had sold.
    static func isLoss(_ error: any Error) -> Bool {
        if case .networkError? = error as? StoreKitError { return true }
        return false
    }
}

extension Product {
    /// Creates one of the simulated store's products as an app has loaded it, perhaps before it was withdrawn.
    init(_ product: SimulatedOperation.Product) {
        let kind: StoreProduct.Kind =
            switch product {
            case .sword, .gift, .shield, .generic, .ghost: .consumable
            case .game: .nonConsumable
            case .season: .nonRenewing
            case .basic, .gold, .journal, .films, .songs, .pass: .autoRenewable
            case .silver: .subscriptionSuite
            case .bundle: .subscriptionBundle
            }
        let description = StoreProduct(
            identifier: product.rawValue,
            localizedTitle: product.rawValue,
            localizedDescription: "",
            price: 1,
            priceLocaleIdentifier: "en_US@currency=USD",
            kind: kind
        )
        self.init(description, storefront: nil)
    }
}
