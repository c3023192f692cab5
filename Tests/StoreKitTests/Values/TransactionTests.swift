import StoreCore
import StoreKit
import Testing

@Suite struct TransactionTests {
    private func transaction(_ change: (inout TransactionPayload) -> Void = { _ in }) async throws -> Transaction {
        try await TransactionPayload.sample(change).signed().result().payloadValue
    }

    @Test func `A transaction has its payload's values`() async throws {
        let token = UUID()
        let transaction = try await transaction {
            $0.originalTransactionId = "18446744073709551615"
            $0.webOrderLineItemId = "7"
            $0.subscriptionGroupIdentifier = "club"
            $0.originalPurchaseDate = PayloadDate(milliseconds: 500)
            $0.expiresDate = PayloadDate(milliseconds: 9_000)
            $0.quantity = 3
            $0.appAccountToken = token.uuidString.lowercased()
            $0.inAppOwnershipType = .familyShared
            $0.isUpgraded = true
            $0.storefront = "DEU"
            $0.storefrontId = "143443"
            $0.transactionReason = .renewal
            $0.price = 9_990
            $0.currency = "EUR"
            $0.appTransactionId = "abc"
            $0.billingPlanType = .upFront
        }
        #expect(transaction.id == 12 && transaction.originalID == .max && transaction.webOrderLineItemID == "7")
        #expect(transaction.appBundleID == "com.example.app" && transaction.productID == "gold")
        #expect(transaction.productType == .autoRenewable && transaction.subscriptionGroupID == "club")
        #expect(transaction.purchaseDate == Date(timeIntervalSince1970: 1))
        #expect(transaction.originalPurchaseDate == Date(timeIntervalSince1970: 0.5))
        #expect(transaction.expirationDate == Date(timeIntervalSince1970: 9))
        #expect(transaction.signedDate == Date(timeIntervalSince1970: 2.5) && transaction.purchasedQuantity == 3)
        #expect(transaction.appAccountToken == token && transaction.ownershipType == .familyShared)
        #expect(transaction.isUpgraded && transaction.storefront.countryCode == "DEU")
        #expect(transaction.storefront.id == "143443" && transaction.reason == .renewal)
        #expect(transaction.price == Decimal(string: "9.99") && transaction.currency == Locale.Currency("EUR"))
        #expect(transaction.appTransactionID == "abc" && transaction.environment == .sandbox)
        #expect(transaction.billingPlanType == .upFront)
    }

    @Test func `A value that the payload lacks is nil, or the documented one`() async throws {
        let transaction = try await transaction { $0.transactionReason = nil }
        #expect(transaction.originalID == 12 && transaction.webOrderLineItemID == nil)
        #expect(transaction.subscriptionGroupID == nil && transaction.expirationDate == nil)
        #expect(transaction.appAccountToken == nil && !transaction.isUpgraded)
        #expect(transaction.storefront.countryCode == "" && transaction.storefront.id == "")
        #expect(transaction.reason == .purchase && transaction.price == nil && transaction.currency == nil)
        #expect(transaction.appTransactionID == "" && transaction.offer == nil && transaction.revocationDate == nil)
        #expect(transaction.revocationReason == nil && transaction.revocationType == nil)
        #expect(transaction.revocationTypeStringRepresentation == nil && transaction.revocationPercentage == nil)
        #expect(transaction.billingPlanType == nil && transaction.deviceVerification == Data())
        #expect(transaction.deviceVerificationNonce.uuidString == "00000000-0000-0000-0000-000000000000")
    }

    @Test func `Commitments, bundles and Advanced Commerce are absent`() async throws {
        let transaction = try await transaction()
        #expect(transaction.commitmentInfo == nil && transaction.previousOriginalTransactionID == nil)
        #expect(transaction.bundleProductID == nil && transaction.bundleTransactionID == nil)
        #expect(transaction.bundleOriginalTransactionID == nil && transaction.bundleSubscriptionGroupID == nil)
        #expect(transaction.advancedCommerceInfo == nil)
    }

    @Test(arguments: ["", "abc", "-1", "18446744073709551616"])
    func `An identifier that is no number is 0`(identifier: String) async throws {
        let transaction = try await transaction {
            $0.transactionId = identifier
            $0.originalTransactionId = identifier
        }
        #expect(transaction.id == 0 && transaction.originalID == 0)
    }

    @Test(arguments: zip([0, 1, 990, 1_000, 12_345_678] as [Int64], ["0", "0.001", "0.99", "1", "12345.678"]))
    func `A price is exact`(thousandths: Int64, price: String) async throws {
        #expect(try await transaction { $0.price = thousandths }.price == Decimal(string: price))
    }

    @Test(arguments: zip([0, 33_333, 100_000], ["0", "33.333", "100"]))
    func `A refund's part of the price is a percentage`(thousandths: Int, percentage: String) async throws {
        let transaction = try await transaction { $0.revocationPercentage = thousandths }
        #expect(transaction.revocationPercentage == Decimal(string: percentage))
    }

    @Test func `A revocation has its date, reason and type`() async throws {
        let transaction = try await transaction {
            $0.revocationDate = PayloadDate(milliseconds: 4_000)
            $0.revocationReason = .developerIssue
            $0.revocationType = .proratedRefund
        }
        #expect(transaction.revocationDate == Date(timeIntervalSince1970: 4))
        #expect(transaction.revocationReason == .developerIssue && transaction.revocationType == .proratedRefund)
        #expect(transaction.revocationTypeStringRepresentation == "REFUND_PRORATED")
    }

    @Test func `A value that is not known passes through`() async throws {
        let transaction = try await transaction {
            $0.type = .init(rawValue: "Lifetime")
            $0.inAppOwnershipType = .init(rawValue: "LENT")
            $0.transactionReason = .init(rawValue: "GIFT")
            $0.revocationReason = .init(rawValue: 9)
            $0.environment = "Moon"
        }
        #expect(transaction.productType.rawValue == "Lifetime" && transaction.ownershipType.rawValue == "LENT")
        #expect(transaction.reason.rawValue == "GIFT" && transaction.revocationReason?.rawValue == 9)
        #expect(transaction.environment.rawValue == "Moon")
    }

    @Test func `Transactions are equal if their payloads are, whoever signed them`() async throws {
        let payload = TransactionPayload.sample()
        let one = try await payload.signed(key: "one").result()
        let other = try await payload.signed(key: "other").result()
        #expect(one == other && one.hashValue == other.hashValue && one.jwsRepresentation != other.jwsRepresentation)
        #expect(one.unsafePayloadValue == other.unsafePayloadValue)
        let later = try await transaction { $0.signedDate = PayloadDate(milliseconds: 2_501) }
        #expect(one.unsafePayloadValue != later)
        #expect(Set([one.unsafePayloadValue, other.unsafePayloadValue, later]).count == 2)
    }

    @Test func `A transaction's JSON is what was signed, keys included that are not known`() async throws {
        let signer = HMACReceiptSigner()
        var json = TransactionPayload.sample { $0.environment = signer.environment }.json
        json.insert(contentsOf: Data(#" "newKey" : 1, "#.utf8), at: 1)
        let signed = try SignedValue<TransactionPayload>(jws: signer.jws(of: json), verifier: signer)
        let transaction = try await signed.result().payloadValue
        #expect(transaction.jsonRepresentation == json)
        #expect(transaction.debugDescription == String(decoding: json, as: UTF8.self))
        #expect(transaction.productID == "gold")
    }

    @Test func `Only an auto-renewable transaction has a status, and only if the store answers`() async throws {
        let payload = TransactionPayload.sample()
        let subscription =
            SignedSubscription(transaction: try payload.signed(), renewal: try RenewalPayload.sample().signed())
        func status(of payload: TransactionPayload, in subscriptions: [SignedSubscription]) async throws -> Bool {
            try await HistoryStore([payload.signed()], subscriptions: subscriptions).run {
                let transaction = try #require(await Transaction.all.all().first).payloadValue
                return await transaction.subscriptionStatus != nil
            }
        }
        #expect(try await status(of: payload, in: [subscription]))
        #expect(try await !status(of: payload, in: []))
        #expect(try await !status(of: .sample { $0.type = .nonRenewing }, in: [subscription]))
    }

    @Test func `Each listed value has words of its own, and others are unknown`() {
        typealias Revocation = Transaction.RevocationReason
        let revocations = [Revocation.developerIssue, .other, .upgradedToBundle, Revocation(rawValue: 99)]
        #expect(Set(revocations.map(\.localizedDescription)).count == 4)
        typealias Ownership = Transaction.OwnershipType
        let ownerships = [Ownership.purchased, .familyShared, .assigned, Ownership(rawValue: "LENT")]
        #expect(Set(ownerships.map(\.localizedDescription)).count == 4)
        #expect(Transaction.RevocationReason(rawValue: 99).localizedDescription == "Unknown")
    }

    @Test func `Each reason why no refund was requested has sentences`() {
        let errors: [Transaction.RefundRequestError] = [.duplicateRequest, .failed, .ineligible]
        #expect(Set(errors.map(\.failureReason)).count == 3)
        #expect(errors.allSatisfy { $0.errorDescription != nil })
        #expect(errors.filter { $0.recoverySuggestion != nil } == [.failed])
    }
}

@Suite struct RefundRequestTests {
    /// Returns the error of a request for a refund in a context, as text.
    private func failure(in context: StoreContext) async -> String {
        await context.run {
            do { return "\(try await Transaction.beginRefundRequest(for: 1))" } catch { return "\(error)" }
        }
    }

    @Test func `A canceled request for a refund throws a cancellation`() async throws {
        let flaky = FlakyStore(try SandboxStore(products: Shop.products))
        flaky.isLate = true
        let context = StoreContext(backend: flaky, delivery: .inline, log: .silent)
        let task = context.run { Task { try await Transaction.beginRefundRequest(for: 1) } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A store that cannot be reached is no store that refuses`() async throws {
        let flaky = try FlakyStore(SandboxStore(products: Shop.products))
        flaky.refundFailure = .network(.notConnectedToInternet, "offline")
        let context = StoreContext(backend: flaky, delivery: .inline, log: .silent)
        #expect(await failure(in: context).hasPrefix("networkError"))
        flaky.refundFailure = .storeKit(.unknown, "not today")
        #expect(await failure(in: context) == "failed")
    }

    @Test func `A store without a history says so to a request for a refund`() async throws {
        let context = StoreContext(backend: nil, delivery: .inline, log: .silent)
        #expect(await failure(in: context).contains("no store is set"))
        context.use(PlainStore(try SandboxStore(products: Shop.products)))
        #expect(await failure(in: context).contains("HistoryService"))
    }
}
