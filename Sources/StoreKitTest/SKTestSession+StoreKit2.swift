import Foundation
import StoreCore
import StoreKit

// A session's methods for Store Kit 2.
extension SKTestSession {
    // MARK: Purchases

    /// Buys a product outside the app, on some terms; the transaction is one of `Transaction.updates`.
    ///
    /// The purchase counts as made elsewhere: Ask to Buy, interruptions, simulated errors and
    /// ``failTransactionsEnabled`` do not affect it. With `renewUntilNow`, a subscription that began in the past has
    /// renewed until now when the call returns.
    ///
    /// - Parameters:
    ///   - identifier: the product's identifier.
    ///   - options: the terms. Those for Ask to Buy and for a change of the storefront have no effect.
    /// - Returns: the transaction; for a subscription, that of the first period.
    /// - Throws: ``SKTestError/Code/invalidProductIdentifier`` for a product that the configuration does not have, a
    ///   `Product.PurchaseError` with the reason for the store's refusal, and a `StoreKitError`.
    @discardableResult
    public func buyProduct(
        identifier: Product.ID,
        options: Set<Product.PurchaseOption> = []
    ) async throws -> Transaction {
        let kind = try product(identifier).kind
        let payment = try Product.PurchaseOption.payment(
            for: identifier,
            isSoldInAnyQuantity: kind == .consumable || kind == .nonRenewing,
            renews: kind.renews,
            options: options
        )
        let bought: String
        do {
            bought = try store.account.buy(payment)
        } catch let failure as StoreFailure {
            throw Product.PurchaseError.error(for: failure)
        }
        guard let transaction = try await context.run({ try await Transaction.transaction(bought) }) else {
            throw SKTestError(.noTransactionFound, "the transaction \(bought) is not in the test environment any more")
        }
        return transaction
    }

    // MARK: Errors

    /// Makes a call of Store Kit 2 fail from now on, in all sessions of the context, or succeed again.
    ///
    /// An error for ``FailableStoreKitAPI/purchase`` also fails each payment of Store Kit 1, with the `SKError` of the
    /// same meaning (A12); other calls of Store Kit 1 are not affected. A cancellation of a purchase is returned, not
    /// thrown (A14b). ``resetToDefaultState()`` removes all errors, and so does creating another session in the
    /// context. With the quirk `StoreQuirk.keepsErrors`, another session retains the errors, and nil does not remove
    /// that of a purchase.
    ///
    /// - Parameters:
    ///   - error: the failure; nil for none.
    ///   - api: the call.
    /// - Throws: ``SKTestError/Code/invalidAction`` for a type of call that this module does not have.
    public func setSimulatedError<API>(_ error: API.Failure?, forAPI api: API) async throws
    where API: FailableStoreKitAPI {
        guard let api = api as? any SimulatedAPI else {
            throw SKTestError(.invalidAction, "\(API.self) is no call of Store Kit 2 that a session could make fail")
        }
        environment.simulate((error as? any SimulatedFailure)?.error, of: type(of: api).call, in: context)
    }

    /// Returns the failure that is simulated for a call; nil for none.
    public func simulatedError<API>(forAPI api: API) async -> API.Failure? where API: FailableStoreKitAPI {
        guard let known = api as? any SimulatedAPI, let error = context.simulatedErrors[type(of: known).call.rawValue],
            let failure = API.Failure.self as? any SimulatedFailure.Type
        else { return nil }
        return failure.init(error) as? API.Failure
    }
}

// Options for tests. A store accepts them while `SandboxStore.acceptsTestPurchases` is true: a test session's does.
extension Product.PurchaseOption {
    /// The renewals of a subscription that began in the past.
    public enum SubscriptionRenewalBehavior: Codable, Hashable, Sendable {
        /// The subscription has renewed until now.
        case renewUntilNow
        /// The subscription was canceled at once, and has one period.
        case cancelImmediately
    }

    /// A promotional offer without a signature, by its identifier.
    ///
    /// Only a test session's store accepts it, and a store whose `acceptsTestPurchases` is true; any other refuses the
    /// purchase.
    public static func promotionalOffer(id identifier: String) -> Product.PurchaseOption {
        Product.PurchaseOption(.offer(StoreOffer(kind: .promotional, identifier: identifier)))
    }

    /// The offer of an offer code, by its reference name.
    ///
    /// Only a test session's store accepts it, and a store whose `acceptsTestPurchases` is true; any other refuses the
    /// purchase.
    public static func codeOffer(referenceName: String) -> Product.PurchaseOption {
        Product.PurchaseOption(.offer(StoreOffer(kind: .code, identifier: referenceName)))
    }

    /// A date in the past for the purchase.
    ///
    /// Only a test session's store accepts it, and a store whose `acceptsTestPurchases` is true; any other refuses the
    /// purchase. A date in the future is refused too, and one after which the account has already had another
    /// subscription of the product's group.
    ///
    /// - Parameters:
    ///   - date: the date, at the latest the present by the store's clock.
    ///   - renewalBehavior: whether a subscription has renewed since; by default it has.
    /// - Returns: the option.
    public static func purchaseDate(
        _ date: Date,
        renewalBehavior: SubscriptionRenewalBehavior = .renewUntilNow
    ) -> Product.PurchaseOption {
        Product.PurchaseOption(.purchaseDate(date, renews: renewalBehavior == .renewUntilNow))
    }
}
