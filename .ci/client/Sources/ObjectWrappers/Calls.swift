import Foundation
import StoreKit

/// A task as an object, which can be canceled.
package final class Call: NSObject {
    private let task: Task<Void, Never>
    init(_ task: Task<Void, Never>) { self.task = task }
    package func cancel() { task.cancel() }
}

extension Task<Void, Never> {
    var call: Call { Call(self) }
}

/// Begins a call that may fail, and passes on what it comes to.
private func call<T>(
    _ completionHandler: @escaping (T?, NSError?) -> Void,
    _ body: @escaping () async throws -> T
) -> Call {
    // A detached task would leave the context that a test buys in.
    Task {
        do {
            completionHandler(try await body(), nil)
        } catch {
            completionHandler(nil, error.object)
        }
        return
    }.call
}

extension WrappedProduct {
    package static func products(
        for identifiers: [String],
        completionHandler: @escaping ([WrappedProduct]?, NSError?) -> Void
    ) -> Call {
        call(completionHandler) { try await Product.products(for: identifiers).map { $0.wrapped } }
    }

    @MainActor package func purchase(
        options: Set<WrappedOption> = [],
        completionHandler: @escaping (Bought?, NSError?) -> Void
    ) -> Call {
        call(completionHandler) { try await self.raw.purchase(options: Set(options.map { $0.raw })).object }
    }

    package func latestTransaction(completionHandler: @escaping (WrappedResult?) -> Void) -> Call {
        Task { completionHandler(await self.raw.latestTransaction?.wrapped) }.call
    }

    package func currentEntitlement(completionHandler: @escaping (WrappedResult?) -> Void) -> Call {
        Task { completionHandler(await self.raw.currentEntitlement?.wrapped) }.call
    }

    package var currentEntitlements: Feed<WrappedResult> { Feed(raw.currentEntitlements) { $0.wrapped } }
}

/// What a purchase comes to, as a family of classes.
package class Bought: NSObject {
    package let raw: Product.PurchaseResult
    fileprivate init(raw: Product.PurchaseResult) { self.raw = raw }

    package final class Success: Bought {
        package let transaction: WrappedResult
        init(_ transaction: VerificationResult<Transaction>) {
            self.transaction = transaction.wrapped
            super.init(raw: .success(transaction))
        }
    }

    package static let userCancelled = Bought(raw: .userCancelled)
    package static let pending = Bought(raw: .pending)

    package override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Bought else { return false }
        if case .userCancelled = raw, case .userCancelled = other.raw { return true }
        if case .pending = raw, case .pending = other.raw { return true }
        return self === other
    }

    package override var hash: Int {
        switch raw {
        case .userCancelled: return 0
        case .pending: return 1
        default: return super.hash
        }
    }
}

extension Product.PurchaseResult {
    fileprivate var object: Bought {
        switch self {
        case .success(let result): Bought.Success(result)
        case .userCancelled: Bought.userCancelled
        case .pending: Bought.pending
        @unknown default: Bought(raw: self)
        }
    }
}

extension WrappedOption {
    package static func quantity(_ quantity: Int) -> WrappedOption { Product.PurchaseOption.quantity(quantity).wrapped }

    package static func onStorefrontChange(
        shouldContinuePurchase: @escaping @Sendable (WrappedStorefront) -> Bool
    ) -> WrappedOption {
        let proxy: @Sendable (Storefront) -> Bool = { shouldContinuePurchase($0.wrapped) }
        return Product.PurchaseOption.onStorefrontChange(shouldContinuePurchase: proxy).wrapped
    }

    /// One option of each kind that needs nothing but values.
    package static func all(token: UUID, signature: WrappedSignature, offer: WrappedOffer?) -> [WrappedOption] {
        var options = [
            Product.PurchaseOption.appAccountToken(token).wrapped,
            Product.PurchaseOption.billingPlanType(.monthly).wrapped,
            Product.PurchaseOption.custom(key: "text", value: "a").wrapped,
            Product.PurchaseOption.custom(key: "number", value: 1.5).wrapped,
            Product.PurchaseOption.custom(key: "flag", value: true).wrapped,
            Product.PurchaseOption.custom(key: "data", value: Data([1])).wrapped,
            Product.PurchaseOption.simulatesAskToBuyInSandbox(false).wrapped,
            Product.PurchaseOption.introductoryOfferEligibility(compactJWS: "").wrapped,
            Product.PurchaseOption.promotionalOffer(offerID: "spring", signature: signature.raw).wrapped,
        ]
        options += Product.PurchaseOption.promotionalOffer("spring", compactJWS: "").map { $0.wrapped }
        if let offer { options.append(Product.PurchaseOption.winBackOffer(offer.raw).wrapped) }
        return options
    }
}

extension WrappedPromotion {
    package static func order(completionHandler: @escaping ([WrappedPromotion]?, NSError?) -> Void) -> Call {
        call(completionHandler) { try await Product.PromotionInfo.currentOrder.map { Wrapper($0) } }
    }

    package static func updateProductOrder(
        byID order: [String],
        completionHandler: @escaping (Void?, NSError?) -> Void
    ) -> Call {
        call(completionHandler) { try await Product.PromotionInfo.updateProductOrder(byID: order) }
    }

    package static func updateProductVisibility(
        _ visibility: Product.PromotionInfo.Visibility,
        for productID: Product.ID,
        completionHandler: @escaping (Void?, NSError?) -> Void
    ) -> Call {
        call(completionHandler) {
            try await Product.PromotionInfo.updateProductVisibility(visibility, for: productID)
        }
    }

    package static func updateAll(
        _ promotions: [WrappedPromotion],
        completionHandler: @escaping (Void?, NSError?) -> Void
    ) -> Call {
        call(completionHandler) { try await Product.PromotionInfo.updateAll(promotions.map { $0.raw }) }
    }

    package func update(completionHandler: @escaping (Void?, NSError?) -> Void) -> Call {
        call(completionHandler) { try await self.raw.update() }
    }
}

extension WrappedInfo {
    package func isEligibleForIntroOffer(completionHandler: @escaping (Bool) -> Void) -> Call {
        Task { completionHandler(await self.raw.isEligibleForIntroOffer) }.call
    }

    package static func isEligibleForIntroOffer(
        for groupID: String,
        completionHandler: @escaping (Bool) -> Void
    ) -> Call {
        Task { completionHandler(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: groupID)) }.call
    }

    package func status(completionHandler: @escaping ([WrappedStatus]?, NSError?) -> Void) -> Call {
        call(completionHandler) { try await self.raw.status.map { $0.wrapped } }
    }

    package static func status(
        for groupID: String,
        completionHandler: @escaping ([WrappedStatus]?, NSError?) -> Void
    ) -> Call {
        call(completionHandler) { try await Product.SubscriptionInfo.status(for: groupID).map { $0.wrapped } }
    }

    package static func status(
        transactionID: UInt64,
        completionHandler: @escaping (WrappedStatus?, NSError?) -> Void
    ) -> Call {
        Task {
            do {
                let status = try await Product.SubscriptionInfo.status(transactionID: transactionID)
                completionHandler(status?.wrapped, nil)
            } catch {
                completionHandler(nil, error.object)
            }
            return
        }.call
    }
}

extension WrappedTransaction {
    package func finish(completionHandler: @escaping () -> Void) -> Call {
        Task {
            await self.raw.finish()
            completionHandler()
            return
        }.call
    }

    package func subscriptionStatus(completionHandler: @escaping (WrappedStatus?) -> Void) -> Call {
        Task { completionHandler(await self.raw.subscriptionStatus?.wrapped) }.call
    }

    package static func latest(for productID: String, completionHandler: @escaping (WrappedResult?) -> Void) -> Call {
        Task { completionHandler(await Transaction.latest(for: productID)?.wrapped) }.call
    }

    package static func currentEntitlement(
        for productID: String,
        completionHandler: @escaping (WrappedResult?) -> Void
    ) -> Call {
        Task { completionHandler(await Transaction.currentEntitlement(for: productID)?.wrapped) }.call
    }
}

extension WrappedApp {
    package static func shared(completionHandler: @escaping (WrappedAppResult?, NSError?) -> Void) -> Call {
        call(completionHandler) { try await AppTransaction.shared.wrapped }
    }

    package static func refresh(completionHandler: @escaping (WrappedAppResult?, NSError?) -> Void) -> Call {
        call(completionHandler) { try await AppTransaction.refresh().wrapped }
    }
}

/// The App Store as an object.
package final class Shop: NSObject {
    package static var canMakePayments: Bool { AppStore.canMakePayments }
    package static var deviceVerificationID: UUID? { AppStore.deviceVerificationID }

    package static func sync(completionHandler: @escaping (Void?, NSError?) -> Void) -> Call {
        call(completionHandler) { try await AppStore.sync() }
    }

    package static func ageRatingCode(completionHandler: @escaping (NSNumber?) -> Void) -> Call {
        Task {
            let code = await AppStore.ageRatingCode
            completionHandler(code.map(NSNumber.init(value:)))
            return
        }.call
    }

    package static func storefront(completionHandler: @escaping (WrappedStorefront?) -> Void) -> Call {
        Task { completionHandler(await Storefront.current?.wrapped) }.call
    }
}
