import StoreKit

// Compiles, and so shows that what a client may write about transactions compiles.

/// An app's own store, as apps write it: it listens from its launch, verifies, delivers and finishes.
@MainActor
final class ClientStore {
    private(set) var purchased: Set<String> = []
    private var updates: Task<Void, Never>?

    init() { updates = listen() }

    deinit { updates?.cancel() }

    private func listen() -> Task<Void, Never> {
        Task.detached {
            for await result in Transaction.updates {
                do {
                    let transaction = try self.checkVerified(result)
                    await self.refresh()
                    await transaction.finish()
                } catch {
                    print("Transaction failed verification", error.localizedDescription)
                }
            }
        }
    }

    nonisolated func checkVerified<T>(_ result: VerificationResult<T>) throws -> T {
        switch result {
        case .unverified(_, let error): throw error
        case .verified(let safe): return safe
        }
    }

    func refresh() async {
        var purchased: Set<String> = []
        for await result in Transaction.currentEntitlements {
            guard case .verified(let transaction) = result else { continue }
            switch transaction.productType {
            case .nonConsumable: purchased.insert(transaction.productID)
            case .nonRenewable:
                let end = Calendar.current.date(byAdding: DateComponents(year: 1), to: transaction.purchaseDate)
                if let end, Date() < end { purchased.insert(transaction.productID) }
            case .autoRenewable where !transaction.isUpgraded && transaction.revocationDate == nil:
                purchased.insert(transaction.productID)
            default: break
            }
        }
        self.purchased = purchased
    }

    func buy(_ product: Product) async throws -> Transaction? {
        switch try await product.purchase() {
        case .success(let verification):
            let transaction = try checkVerified(verification)
            await refresh()
            await transaction.finish()
            return transaction
        case .userCancelled, .pending: return nil
        }
    }

    func isPurchased(_ identifier: String) async throws -> Bool {
        guard let result = await Transaction.latest(for: identifier) else { return false }
        let transaction = try checkVerified(result)
        return transaction.revocationDate == nil && !transaction.isUpgraded
    }
}

func readTransactions() async {
    for await result in Transaction.all { print(result.unsafePayloadValue) }
    for await case .verified(let transaction) in Transaction.all(for: "coins") { print(transaction.id) }
    for await result in Transaction.unfinished { await result.unsafePayloadValue.finish() }
    for await _ in Transaction.currentEntitlements {}
    for await _ in Transaction.currentEntitlements(for: "sword") {}
    let all: Transaction.Transactions = Transaction.all
    var iterator: Transaction.Transactions.AsyncIterator = all.makeAsyncIterator()
    let first: Transaction.Transactions.AsyncIterator.Element? = await iterator.next()
    let _: Transaction.Transactions.Element? = first
    let _: [UInt64] = await all.map(\.unsafePayloadValue.id).reduce(into: []) { $0.append($1) }
}

func useTransaction(_ transaction: Transaction) async {
    let _: (UInt64, UInt64, String?) = (transaction.id, transaction.originalID, transaction.webOrderLineItemID)
    let _: (String, Product.ProductType, String?) = (
        transaction.productID, transaction.productType, transaction.subscriptionGroupID
    )
    let _: (String, String, UUID?, Int) = (
        transaction.appBundleID, transaction.appTransactionID, transaction.appAccountToken,
        transaction.purchasedQuantity
    )
    let _: (Date, Date, Date?, Date) = (
        transaction.purchaseDate, transaction.originalPurchaseDate, transaction.expirationDate, transaction.signedDate
    )
    let _: (Decimal?, Locale.Currency?, Bool) = (transaction.price, transaction.currency, transaction.isUpgraded)
    let _: (Transaction.Reason, Transaction.OwnershipType) = (transaction.reason, transaction.ownershipType)
    let _: (AppStore.Environment, Storefront) = (transaction.environment, transaction.storefront)
    let _: (Data, String) = (transaction.jsonRepresentation, transaction.debugDescription)
    let _: (Data, UUID) = (transaction.deviceVerification, transaction.deviceVerificationNonce)
    let _: (Date?, Transaction.RevocationReason?, Decimal?) = (
        transaction.revocationDate, transaction.revocationReason, transaction.revocationPercentage
    )
    let _: (Transaction.RevocationType?, String?) = (
        transaction.revocationType, transaction.revocationTypeStringRepresentation
    )
    let _: Product.SubscriptionInfo.Status? = await transaction.subscriptionStatus
    let _: [Transaction.Reason] = [.purchase, .renewal, Transaction.Reason(rawValue: "NEW")]
    let _: [Transaction.OwnershipType] = [.purchased, .familyShared, .assigned, .init(rawValue: "NEW")]
    let _: String = transaction.ownershipType.localizedDescription + transaction.ownershipType.rawValue
    let _: String = transaction.reason.rawValue
    if let reason = transaction.revocationReason {
        switch reason {
        case .developerIssue, .other, .upgradedToBundle: print(reason.localizedDescription)
        default: print(reason.rawValue)
        }
        let _ = Transaction.RevocationReason(rawValue: 7)
    }
    if let type = transaction.revocationType {
        switch type {
        case .assignmentRevocation, .familyRevocation, .fullRefund, .proratedRefund: break
        default: print(type.rawValue)
        }
        let _ = Transaction.RevocationType(rawValue: "NEW")
    }
    var hasher = Hasher()
    transaction.hash(into: &hasher)
    let _: (Int, Bool) = (transaction.hashValue, transaction == transaction)
}

func useOffer(_ transaction: Transaction) {
    guard let offer: Transaction.Offer = transaction.offer else { return }
    let _: (String?, Product.SubscriptionPeriod?) = (offer.id, offer.period)
    switch offer.type {
    case .introductory, .promotional, .code, .winBack: print(offer.type.localizedDescription)
    default: print(offer.type.rawValue)
    }
    switch offer.paymentMode {
    case .freeTrial, .payAsYouGo, .payUpFront, .oneTime: break
    default: print(offer.paymentMode?.rawValue ?? "none")
    }
    let _: (Transaction.OfferType, Transaction.Offer.PaymentMode) = (.init(rawValue: 9), .init(rawValue: "NEW"))
}

func useBundles(_ transaction: Transaction) {
    let _: [String?] = [
        transaction.bundleProductID, transaction.bundleTransactionID, transaction.bundleOriginalTransactionID,
        transaction.bundleSubscriptionGroupID,
    ]
    let _: UInt64? = transaction.previousOriginalTransactionID
    let _: SubscriptionInfo.BillingPlanType? = transaction.billingPlanType
    if let commitment: Transaction.CommitmentInfo = transaction.commitmentInfo {
        let _: (UInt64, UInt64) = (commitment.billingPeriodNumber, commitment.totalBillingPeriods)
        let _: (Date, Decimal) = (commitment.expirationDate, commitment.price)
    }
}

func refund(_ transaction: Transaction) async {
    do {
        switch try await Transaction.beginRefundRequest(for: transaction.id) {
        case .success: print("requested")
        case .userCancelled: print("canceled")
        }
    } catch let error as Transaction.RefundRequestError {
        switch error {
        case .duplicateRequest, .failed, .ineligible: break
        @unknown default: break
        }
        let _: [String?] = [error.errorDescription, error.failureReason, error.recoverySuggestion]
    } catch {
        print(error)
    }
    let _: Transaction.RefundRequestStatus = .success
}

@available(*, deprecated)
func useOldTransaction(_ transaction: Transaction) async {
    let _: [String?] = [
        transaction.environmentStringRepresentation, transaction.reasonStringRepresentation, transaction.currencyCode,
        transaction.storefrontCountryCode, transaction.offerID, transaction.offerPaymentModeStringRepresentation,
        transaction.offerPeriodStringRepresentation,
    ]
    let _: Transaction.OfferType? = transaction.offerType
    let _: VerificationResult<Transaction>? = await Transaction.currentEntitlement(for: "sword")
}
