import Foundation
import StoreCore

/// The service that verifies receipts, at `POST /verifyReceipt`.
package struct ReceiptService: Sendable {
    let store: SandboxStore
    let view: ServerView
    let settings: ServerSettings
    let log: StoreLog
    /// A cache of verified receipts, since an app's server may send a receipt repeatedly, and the result never changes.
    private let recentReceipts = ExactMatchCache<AppReceipt>()
    private let recentQuestions = ExactMatchCache<Question>()

    /// Creates the service of a store.
    package init(_ store: SandboxStore, _ view: ServerView, settings: ServerSettings, log: StoreLog) {
        self.store = store
        self.view = view
        self.settings = settings
        self.log = log
    }

    private struct Body: Decodable {
        let receiptData: Lenient<String>?
        let password: Lenient<String>?
        let excludeOldTransactions: Lenient<Bool>?

        private enum CodingKeys: String, CodingKey {
            case receiptData = "receipt-data"
            case password
            case excludeOldTransactions = "exclude-old-transactions"
        }
    }

    /// The decoded body of a request.
    private struct Question {
        let receipt: Data
        let password: String?
        let excludesOld: Bool
    }

    /// The refusal of a request, with the status in its response.
    private struct Refusal: Error {
        let status: ReceiptVerification.Status
    }

    /// Returns the response to a request.
    ///
    /// Its HTTP status is always 200.
    ///
    /// - Parameters:
    ///   - request: the request, which may have any content.
    ///   - isForeign: whether the request came to the servers of an environment other than the store's.
    /// - Returns: the response.
    package func respond(to request: HTTPRequest, isForeign: Bool) -> HTTPResponse {
        HTTPResponse(json: AnswerValue.object(answer(request, isForeign: isForeign)).json)
    }

    private func answer(_ request: HTTPRequest, isForeign: Bool) -> [String: AnswerValue] {
        guard request.method == "POST" else { return status(.unreadableRequest) }
        if let failure = settings.nextVerification() {
            var answer = status(.init(rawValue: failure.status))
            if (21100...21199).contains(failure.status) { answer["is-retryable"] = .bool(failure.isRetryable) }
            return answer
        }
        guard settings.isAvailable else { return status(.unavailable) }
        guard let question = question(in: request.body) else { return status(.malformed) }
        do {
            // A transaction receipt is an old-style property list, which begins with a brace.
            return question.receipt.first == UInt8(ascii: "{")
                ? try verify(transactionReceipt: question.receipt, question.password, isForeign: isForeign)
                : try verify(
                    appReceipt: question.receipt,
                    question.password,
                    isForeign: isForeign,
                    excludesOld: question.excludesOld
                )
        } catch let refusal as Refusal {
            return status(refusal.status)
        } catch {
            log("verifyReceipt: an internal error: \(error)")
            return status(.internalDataError)
        }
    }

    /// Returns the decoded body of a request, which may be cached; nil if the body has no receipt.
    private func question(in data: Data) -> Question? {
        if let question = recentQuestions.value(of: data) { return question }
        guard let body = try? UntrustedJSON.decode(Body.self, from: data), let text = body.receiptData?.value,
            let receipt = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !receipt.isEmpty
        else { return nil }
        let question = Question(
            receipt: receipt,
            password: body.password?.value,
            excludesOld: body.excludeOldTransactions?.value ?? false
        )
        recentQuestions.insert(question, of: data)
        return question
    }

    private func status(_ status: ReceiptVerification.Status) -> [String: AnswerValue] {
        ["status": .number(status.rawValue)]
    }

    /// Returns the refusal of a receipt by the servers of another environment; `status` is the store's own result.
    private func refusal(foreign status: ReceiptVerification.Status) -> Refusal {
        switch status {
        case .valid, .subscriptionExpired:
            let isProduction = view.environment == "Production"
            return Refusal(status: isProduction ? .productionReceiptInSandbox : .sandboxReceiptInProduction)
        // The receipt may belong to the environment of those servers, but they do not know it either.
        case .sandboxReceiptInProduction, .productionReceiptInSandbox: return Refusal(status: .notAuthentic)
        default: return Refusal(status: status)
        }
    }

    /// Throws a refusal if the shared secret is wrong, or missing for a receipt with auto-renewable subscriptions.
    private func requireSecret(_ password: String?, hasSubscriptions: Bool) throws(Refusal) {
        guard let sharedSecret = settings.sharedSecret, hasSubscriptions || password != nil else { return }
        guard let password, password.isExactly(sharedSecret) else { throw Refusal(status: .wrongSharedSecret) }
    }
}

// MARK: - App receipts

extension ReceiptService {
    private func verify(
        appReceipt data: Data,
        _ password: String?,
        isForeign: Bool,
        excludesOld: Bool
    ) throws -> [String: AnswerValue] {
        let receipt: AppReceipt
        do throws(ReceiptRefusal) {
            receipt = try verified(data)
        } catch {
            throw isForeign ? refusal(foreign: error.status) : Refusal(status: error.status)
        }
        if isForeign { throw refusal(foreign: .valid) }
        let hasSubscriptions = receipt.purchases.contains { $0.kind == .autoRenewable }
        try requireSecret(password, hasSubscriptions: hasSubscriptions)

        let known = try view.payloads(of: receipt.purchases.map(\.transactionIdentifier))
        // No purchase of the receipt is known if the account's transactions were deleted.
        if !receipt.purchases.isEmpty, known.isEmpty { throw Refusal(status: .accountNotFound) }
        var answer = try receipt.answer(environment: view.environment, requestedAt: view.clock.now) { purchase in
            guard let transaction = known[purchase.transactionIdentifier] else { return [:] }
            return ReceiptFields.details(transaction)
        }
        guard hasSubscriptions,
            let some = receipt.purchases.lazy.map(\.transactionIdentifier).first(where: { known[$0] != nil })
        else { return answer }
        let latest = try view.receipt(of: some)
        answer["latest_receipt"] = .text((latest ?? data).base64EncodedString())
        let newest = latest.flatMap { try? verified($0) } ?? receipt
        let unfinished = Set(newest.purchases.map(\.transactionIdentifier))
        let transactions = try transactions(of: some).filter {
            $0.type != .consumable || unfinished.contains($0.transactionId)
        }
        let shown = excludesOld ? latestRenewals(transactions) : transactions
        answer["latest_receipt_info"] = .list(try shown.map { .object(try ReceiptFields.latest($0)) })
        let renewals = try view.subscriptions(of: some)?.flatMap(\.subscriptions).map(\.renewal.payload) ?? []
        answer["pending_renewal_info"] = .list(try renewals.map { .object(try ReceiptFields.pending($0)) })
        return answer
    }

    /// Returns a verified app receipt, which may be cached.
    private func verified(_ data: Data) throws(ReceiptRefusal) -> AppReceipt {
        if let receipt = recentReceipts.value(of: data) { return receipt }
        let receipt = try store.verify(appReceipt: data)
        recentReceipts.insert(receipt, of: data)
        return receipt
    }

    /// Returns all transactions of the account to which a transaction belongs, sorted by purchase date.
    private func transactions(of some: String) throws -> [TransactionPayload] {
        var transactions: [TransactionPayload] = []
        var revision: String?
        while let page = try view.history(ServerHistoryQuery(of: some, revision: revision, limit: 1000)) {
            transactions += page.transactions.map(\.payload)
            guard page.hasMore else { break }
            revision = page.revision
        }
        return transactions.sorted { $0.purchaseDate < $1.purchaseDate }
    }

    /// Returns the newest transaction of each subscription, in the order of `transactions`.
    private func latestRenewals(_ transactions: [TransactionPayload]) -> [TransactionPayload] {
        var seen: Set<String> = []
        let latest = transactions.reversed().filter { transaction in
            transaction.type.renews && seen.insert(transaction.originalTransactionId).inserted
        }
        return latest.reversed()
    }
}

// MARK: - Transaction receipts

extension ReceiptService {
    private func verify(
        transactionReceipt data: Data,
        _ password: String?,
        isForeign: Bool
    ) throws -> [String: AnswerValue] {
        let verification = store.verify(receipt: data)
        if isForeign { throw refusal(foreign: verification.status) }
        guard [.valid, .subscriptionExpired].contains(verification.status) else {
            throw Refusal(status: verification.status)
        }
        let isSubscription = verification.fields["expires_date"] != nil
        try requireSecret(password, hasSubscriptions: isSubscription)
        let identifiers = ["transaction_id", "original_transaction_id"].compactMap { verification.fields[$0] }
        guard let known = try identifiers.first(where: { try view.transaction($0) != nil }) else {
            throw Refusal(status: .accountNotFound)
        }
        guard isSubscription else { return verification.answer }
        let original = verification.fields["original_transaction_id"]
        let subscription = try view.subscriptions(of: known)?.flatMap(\.subscriptions).first {
            $0.renewal.payload.originalTransactionId == original
        }
        guard let subscription else { return verification.answer }
        return verification.answer.merging(ReceiptFields.renewal(subscription.renewal.payload)) { $1 }
    }
}
