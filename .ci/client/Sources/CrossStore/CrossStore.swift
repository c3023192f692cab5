import Foundation
import StoreKit

/// The App Store, behind the interface that all stores have.
@available(iOS 15.0, macOS 14.0, tvOS 16.0, watchOS 8.0, *)
package final class CrossStore: NSObject {
    private let state = State()
    private var listener: Task<Void, Error>?
    private let queue: SKPaymentQueue

    package override init() {
        queue = SKPaymentQueue.default()
        super.init()
        queue.add(self)
    }

    deinit {
        listener?.cancel()
        queue.remove(self)
    }

    private actor State {
        private var pending: [String: StoreKit.Transaction] = [:]
        private var products: [String: StoreKit.Product] = [:]
        private(set) var promoted: [String] = []

        func keep(_ transaction: StoreKit.Transaction) { pending[String(transaction.id)] = transaction }
        func take(_ id: String) -> StoreKit.Transaction? { pending.removeValue(forKey: id) }
        func keep(_ products: [StoreKit.Product]) { for product in products { self.products[product.id] = product } }
        func product(_ id: String) -> StoreKit.Product? { products[id] }
        func promote(_ id: String) { promoted.append(id) }
    }

    /// Returns whether the user may buy, and begins to listen.
    package func connect(_ heard: @escaping @Sendable (Purchase) -> Void) async -> Bool {
        guard AppStore.canMakePayments else { return false }
        for await verification in Transaction.unfinished {
            if let transaction = try? check(verification) { await state.keep(transaction) }
        }
        listener = Task { [weak self] in
            for await verification in Transaction.updates {
                guard let self, let transaction = try? self.check(verification) else { continue }
                if transaction.productType == .autoRenewable, Self.isInactive(transaction) {
                    await transaction.finish()
                    continue
                }
                await self.state.keep(transaction)
                heard(await PurchaseConversion.purchase(from: transaction, jws: verification.jwsRepresentation))
            }
        }
        return true
    }

    private static func isInactive(_ transaction: StoreKit.Transaction) -> Bool {
        if transaction.revocationDate != nil || transaction.isUpgraded { return true }
        return false
    }

    /// Returns the products that the store sells.
    package func products(_ identifiers: [String]) async throws -> [Product] {
        let fetched: [StoreKit.Product]
        do {
            fetched = try await StoreKit.Product.products(for: identifiers)
        } catch {
            throw PurchaseError.wrap(error, fallback: .service)
        }
        await state.keep(fetched)
        return fetched.map(ProductConversion.product(from:))
    }

    private func product(_ identifier: String) async throws -> StoreKit.Product {
        if let product = await state.product(identifier) { return product }
        guard let first = try await StoreKit.Product.products(for: [identifier]).first else {
            throw PurchaseError(.notFound, identifier)
        }
        return first
    }

    /// Buys what is asked for.
    package func buy(_ request: Request) async throws -> Purchase {
        let product = try await product(request.product)
        let options = try request.options(for: product)
        let result: StoreKit.Product.PurchaseResult
        do {
            result = try await product.purchase(options: options)
        } catch {
            throw PurchaseError.wrap(error, product: product.id)
        }
        switch result {
        case .success(let verification):
            let transaction = try check(verification)
            if request.isFinishedAtOnce {
                await transaction.finish()
            } else {
                await state.keep(transaction)
            }
            return await PurchaseConversion.purchase(from: transaction, jws: verification.jwsRepresentation)
        case .userCancelled: throw PurchaseError(.userCancelled, product.id)
        case .pending: throw PurchaseError(.deferred, product.id)
        @unknown default: throw PurchaseError(.unknown, product.id)
        }
    }

    /// Finishes a purchase.
    package func finish(_ id: String) async throws {
        if let pending = await state.take(id) { return await pending.finish() }
        guard let number = UInt64(id) else { throw PurchaseError(.developer) }
        for await result in Transaction.unfinished {
            guard let transaction = try? check(result), transaction.id == number else { continue }
            return await transaction.finish()
        }
    }

    /// Returns the account's purchases.
    package func purchases(onlyActive: Bool) async -> [Purchase] {
        var purchases: [Purchase] = []
        for await verification in (onlyActive ? Transaction.currentEntitlements : Transaction.all) {
            guard let transaction = try? check(verification) else { continue }
            purchases.append(await PurchaseConversion.purchase(from: transaction, jws: verification.jwsRepresentation))
        }
        return purchases
    }

    /// Returns how an account's subscriptions stand, each with the JSON of its renewal.
    package func statuses(of identifier: String) async throws -> [(state: String, json: String?)] {
        guard let subscription = try await product(identifier).subscription else { throw PurchaseError(.notFound) }
        return try await subscription.status.map { status in
            switch status.renewalInfo {
            case .verified(let info):
                let json = String(data: info.jsonRepresentation, encoding: .utf8)
                return (String(describing: status.state), json ?? info.jsonRepresentation.base64EncodedString())
            case .unverified: return (String(describing: status.state), nil)
            }
        }
    }

    /// Returns the subscriptions that cannot be charged, once the store says that there are some: to whoever listens.
    package func billingIssues(_ messages: inout Message.Messages.AsyncIterator) async throws -> [String] {
        while let message = await messages.next() {
            guard case .billingIssue = message.reason else { continue }
            break
        }
        var products: [String] = []
        for await verification in Transaction.currentEntitlements {
            guard case .verified(let transaction) = verification, transaction.productType == .autoRenewable else {
                continue
            }
            let statuses = try await product(transaction.productID).subscription?.status ?? []
            if statuses.contains(where: { $0.state == .inBillingRetryPeriod || $0.state == .inGracePeriod }) {
                products.append(transaction.productID)
            }
        }
        return products
    }

    /// Returns the purchase that entitles to a product, and the latest one.
    package func entitlement(to identifier: String) async throws -> (
        current: Purchase?, latest: Purchase?, jws: String?
    ) {
        let product = try await product(identifier)
        var purchases: [Purchase?] = []
        for result in [await product.currentEntitlement, await product.latestTransaction] {
            guard let result else {
                purchases.append(nil)
                continue
            }
            purchases.append(
                await PurchaseConversion.purchase(from: try check(result), jws: result.jwsRepresentation)
            )
        }
        return (purchases[0], purchases[1], await product.latestTransaction?.jwsRepresentation)
    }

    /// Returns the account's purchase of the app.
    package func app() async throws -> AppTransaction? {
        switch try await StoreKit.AppTransaction.shared {
        case .verified(let app): return convert(app)
        case .unverified: return nil
        }
    }

    private func convert(_ app: StoreKit.AppTransaction) -> AppTransaction {
        var id: String?
        var platform: String?
        if #available(iOS 18.4, *) {
            id = String(app.appTransactionID)
            platform = app.originalPlatform.rawValue
        }
        return AppTransaction(
            id: id,
            appID: app.appID.map(Double.init) ?? 0,
            version: app.appVersion,
            versionID: app.appVersionID.map(Double.init) ?? 0,
            bundle: app.bundleID,
            environment: app.environment.rawValue,
            originalVersion: app.originalAppVersion,
            originalDate: app.originalPurchaseDate.milliseconds,
            originalPlatform: platform,
            preorderDate: app.preorderDate?.milliseconds,
            hash: app.deviceVerification.base64EncodedString(),
            nonce: app.deviceVerificationNonce.uuidString
        )
    }

    /// Returns the country that the store sells in.
    package func country() async throws -> String {
        guard let storefront = await Storefront.current else { throw PurchaseError(.unknown) }
        return storefront.countryCode
    }

    /// Returns the receipt's file in Base64.
    package func receipt() throws -> String? {
        guard let url = Bundle.main.appStoreReceiptURL, FileManager.default.fileExists(atPath: url.path) else {
            return nil
        }
        return try Data(contentsOf: url).base64EncodedString()
    }

    /// Asks the store again.
    package func restore() async throws { try await AppStore.sync() }

    /// Whether the account may have a group's introductory offer.
    package func isNew(toGroup group: String) async -> Bool {
        await StoreKit.Product.SubscriptionInfo.isEligibleForIntroOffer(for: group)
    }

    /// Lets the user type a code.
    package func redeemCode() async {
        await MainActor.run { SKPaymentQueue.default().presentCodeRedemptionSheet() }
    }

    /// The products that the user has chosen on the store's page.
    package var promotedProducts: [String] { get async { await state.promoted } }

    private func check<T>(_ result: VerificationResult<T>) throws -> T {
        switch result {
        case .verified(let value): return value
        case .unverified: throw PurchaseError(.unverified)
        }
    }
}

extension CrossStore: SKPaymentTransactionObserver {
    package func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        // Store Kit 2 delivers them.
    }

    package func paymentQueue(
        _ queue: SKPaymentQueue,
        shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool {
        let identifier = product.productIdentifier
        Task { [weak self] in await self?.state.promote(identifier) }
        return false
    }
}
