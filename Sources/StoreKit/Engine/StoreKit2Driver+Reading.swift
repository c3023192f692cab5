import Foundation
import StoreCore

extension StoreKit2Driver {
    /// Waits for the store's response to a call, or until the task is canceled.
    func response<Response: Sendable>(
        _ name: @autoclosure () -> String = "a question to the store",
        to call: (@escaping @Sendable (Result<Response, StoreFailure>) -> Void) throws -> Void
    ) async throws -> Response {
        let reply = Reply<Result<Response, any Error>>()
        try call { reply.complete(with: $0.mapError { StoreKitError.error(for: $0) }) }
        return try await value(of: reply, for: name()) { reply.complete(with: .failure(CancellationError())) }.get()
    }

    /// Waits for a reply.
    ///
    /// The context counts the wait, and logs a message if it takes too long.
    func value<Value: Sendable>(
        of reply: Reply<Value>,
        for name: @autoclosure () -> String,
        onCancel: @escaping @Sendable () -> Void
    ) async -> Value {
        if let value = reply.takeValue() { return value }
        let wait = queue?.storeContext.waits(name())
        defer { wait?.end() }
        return await reply.value(onCancel: onCancel)
    }

    /// Waits for the response to a call of the store's history, and returns the response's origin too.
    private func historyResponse<Response: Sendable>(
        to call: (any HistoryService, @escaping @Sendable (Result<Response, StoreFailure>) -> Void) -> Void
    ) async throws -> (response: Response, origin: StoreOrigin) {
        let (history, origin) = try historyAndOrigin()
        return (try await response { call(history, $0) }, origin)
    }

    /// Repeats a query of the store's history, with growing delays, until it succeeds.
    ///
    /// Returns nil if the task is canceled first, or if there is no history.
    func retryUntilSuccess<Response>(_ query: () async throws -> Response) async -> Response? {
        var delay: Double = 1
        while !Task.isCancelled {
            let changes = storeChanges
            do { return try await query() } catch {
                guard let clock = queue?.storeSetup.clock, (try? history()) != nil else {
                    log("the history cannot be read: \(error)")
                    return nil
                }
                await wait(delay, by: clock, unlessChangedSince: changes)
                delay = min(delay * 2, Self.maximumDelay)
            }
        }
        return nil
    }

    /// Waits for some seconds, or until the task is canceled or the store is replaced.
    ///
    /// Returns at once if the store has been replaced since `changes` was read.
    private func wait(_ seconds: Double, by clock: any StoreClock, unlessChangedSince changes: Int) async {
        let reply = Reply<Void>()
        let key = ObjectIdentifier(reply)
        let isDue = state.withLock { state in
            if storeChanges == changes { state.delays[key] = reply }
            return storeChanges != changes
        }
        if isDue { return }
        let token = clock.schedule(at: clock.now + seconds) { reply.complete(with: ()) }
        await reply.value(canceled: ())
        token.cancel()
        state.withLock { $0.delays[key] = nil }
    }

    /// The longest delay between attempts of a query that fails, in seconds.
    static let maximumDelay: Double = 256

    /// Returns a page of transactions.
    func page(_ query: HistoryQuery) async throws -> OriginalPage {
        let (page, origin) = try await historyResponse { $0.transactions(query, reply: $1) }
        return OriginalPage(transactions: page.transactions[...], next: page.next, origin: origin)
    }

    /// Returns a transaction without waiting; nil if the store was replaced, or its history cannot return it at once.
    func immediateTransaction(_ identifier: String, storeChanges changes: Int) -> VerificationResult<Transaction>? {
        let (history, origin) = state.withLock { ($0.reader?.immediate, $0.reader?.origin) }
        guard let origin, origin.storeChanges == changes, let signed = try? history?.transaction(identifier) else {
            return nil
        }
        return VerificationResult(signed, origin)
    }

    /// Returns the query for the page after another; nil after the last.
    func nextQuery(_ query: HistoryQuery, after page: OriginalPage) -> HistoryQuery? {
        guard let next = page.next else { return nil }
        // A page that ends where it begins would be requested forever.
        if next == query.cursor {
            log("the store's page of transactions after \(next) ends where it begins; what is behind is not read")
            return nil
        }
        var query = query
        query.cursor = next
        return query
    }

    /// Returns the transactions that match a query, read as they are consumed.
    func transactions(_ query: HistoryQuery) -> Transaction.Transactions {
        var query = query
        query.includesFinishedConsumables = queue?.storeContext.includesFinishedConsumables ?? false
        return Transaction.Transactions(.pages(self, query))
    }

    /// Returns the first transaction that matches a query.
    func first(_ query: HistoryQuery) async -> VerificationResult<Transaction>? {
        var query = query
        query.limit = 1
        var transactions = transactions(query).makeAsyncIterator()
        return await transactions.next()
    }

    /// Returns the statuses that match a query; none in a task that is canceled.
    func statuses(_ query: SubscriptionQuery) async throws -> [Product.SubscriptionInfo.Status] {
        try await emptyIfCanceled {
            try check(.subscriptionStatus)
            let (subscriptions, origin) = try await historyResponse { $0.subscriptions(query, reply: $1) }
            return subscriptions.map { Product.SubscriptionInfo.Status($0, origin) }
        }
    }

    /// Returns the elements that a closure reads; none, and no error, if the task is canceled first.
    private func emptyIfCanceled<Element>(_ read: () async throws -> [Element]) async throws -> [Element] {
        if Task.isCancelled { return [] }
        do {
            let all = try await read()
            return Task.isCancelled ? [] : all
        } catch is CancellationError { return [] }
    }

    /// Returns whether the account is eligible for a group's introductory offer; waits even in a canceled task.
    func isEligibleForIntroductoryOffer(_ group: String) async -> Bool {
        guard let history = try? history() else { return false }
        let isKept = quirk(.keepsEligibility) != nil
        if isKept, let first = state.withLock({ $0.eligibility[group] }) { return first }
        let reply = Reply<Bool?>()
        history.isEligibleForIntroductoryOffer(inGroup: group) { reply.complete(with: try? $0.get()) }
        let answer = await value(of: reply, for: "a question to the store") {}
        guard let isEligible = answer else { return false }
        guard isKept else { return isEligible }
        // Of several calls at the same time, all return the answer that is kept.
        return state.withLock { state in
            let first = state.eligibility[group] ?? isEligible
            state.eligibility[group] = first
            return first
        }
    }

    func appTransaction(isRefreshed: Bool) async throws -> VerificationResult<AppTransaction> {
        try check(.appTransaction)
        if isRefreshed { try await callSynchronize() }
        return VerificationResult(try await historyResponse { $0.appTransaction(reply: $1) }.response)
    }

    func synchronize() async throws {
        try check(.appStoreSync)
        try await callSynchronize()
    }

    private func callSynchronize() async throws {
        let _: (Void, StoreOrigin) = try await historyResponse { history, reply in
            history.synchronize { failure in reply(failure.map { .failure($0) } ?? .success(())) }
        }
    }

    func requestRefund(_ identifier: String) async throws -> Transaction.RefundRequestStatus {
        try check(.refundRequest)
        let answer: RefundAnswer
        let history = try history()
        do {
            answer = try await response { history.requestRefund(ofTransaction: identifier, reply: $0) }
        } catch StoreKitError.systemError(let failure) {
            // The store's refusal. Other errors are more specific than `failed`, and pass unchanged.
            log("no refund was requested: \(failure)")
            throw Transaction.RefundRequestError.failed
        }
        switch answer {
        case .taken: return .success
        case .duplicate: throw Transaction.RefundRequestError.duplicateRequest
        case .ineligible: throw Transaction.RefundRequestError.ineligible
        }
    }

    /// Shows the store's sheet for offer codes, and returns the transaction of the redeemed code.
    func redeemCode() async throws -> VerificationResult<Transaction> {
        try check(.offerCodeRedeem)
        let changes = storeChanges
        _ = try history()
        guard let codes = backend?.services.codes else { throw StoreKitError.unsupported }
        let identifier = try await response("the sheet for offer codes") { codes.presentCodeRedemptionSheet(reply: $0) }
        guard let identifier else { throw StoreKitError.userCancelled }
        let page = try await page(HistoryQuery(.transactions([identifier])))
        // Another store may have another transaction with the same identifier.
        guard page.origin.storeChanges == changes, let signed = page.transactions.first else {
            throw StoreKitError.unknown
        }
        return VerificationResult(signed, page.origin)
    }

    /// Returns the products with given identifiers, each once; none in a task that is canceled.
    func products(_ identifiers: [String]) async throws -> [Product] {
        try await emptyIfCanceled { try await loadProducts(identifiers) }
    }

    private func loadProducts(_ identifiers: [String]) async throws -> [Product] {
        try check(.loadProducts)
        guard let backend else { throw StoreKitError.systemError(StoreFailure.storeKit(.unknown, "no store is set")) }
        var (all, products): (Set<ExactText>, [ExactText: StoreProduct]) = ([], [:])
        let requested = identifiers.filter { all.insert(ExactText($0)).inserted }
        for identifiers in requested.inSets {
            let answer = try await response("a look-up of products") { backend.products(identifiers, reply: $0) }
            for product in answer.products { products[ExactText(product.identifier)] = product }
        }
        let storefront = storefront
        return requested.compactMap { products[ExactText($0)] }.map { Product($0, storefront: storefront) }
    }

    /// The app's changes to promotions on this device.
    var promotionOverrides: PromotionOverrides { queue?.promotionService.promotionOverrides ?? PromotionOverrides() }

    /// Changes how the store promotes products on this device.
    func changePromotion(_ change: PromotionChange) async throws {
        guard let service = queue?.promotionService else { throw StoreKitError.unknown }
        let _: Void = try await response("a change of promotions") { reply in
            service.changePromotion(change) { failure in reply(failure.map { .failure($0) } ?? .success(())) }
        }
    }

    var storefront: StoreStorefront? { backend?.services.storefront?.storefront }
    var canMakePayments: Bool { backend?.services.availability?.canMakePayments ?? true }
    var ageRatingCode: Int? { backend?.services.availability?.ageRatingCode }
    var deviceVerificationID: UUID? { backend?.services.history?.deviceVerificationID }
}

extension [String] {
    /// All texts in as few sets as possible: a set merges canonically equivalent texts, which are different
    /// identifiers.
    fileprivate var inSets: [Set<String>] {
        let first = Set(self)
        if first.count == count { return [first] }
        return reduce(into: []) { sets, text in
            if let index = sets.firstIndex(where: { !$0.contains(text) }) {
                sets[index].insert(text)
            } else {
                sets.append([text])
            }
        }
    }
}

extension StoreKitError {
    /// Returns the Store Kit 2 error for a failure of a store, or the error itself if it is one already.
    static func error(for error: any Error) -> any Error {
        guard let failure = error as? StoreFailure else { return error }
        switch (failure.domain, failure.code) {
        case (.network, let code):
            return StoreKitError.networkError(URLError(named(code) ?? .unknown, userInfo: failure.userInfo))
        case (.storeKit, StoreFailure.Code.paymentCancelled.rawValue): return StoreKitError.userCancelled
        case (.storeKit, StoreFailure.Code.storeProductNotAvailable.rawValue):
            return StoreKitError.notAvailableInStorefront
        case (.storeKit, _): return StoreKitError.systemError(failure)
        }
    }
}

extension StoreFailure {
    fileprivate var userInfo: [String: any Sendable] {
        [NSLocalizedFailureReasonErrorKey: reason, StoreFailure.reasonKey: reason]
    }
}

/// Returns the code of a number; generic, because `URLError.Code.init(rawValue:)` is failable on some platforms only.
private func named<Code: RawRepresentable<Int>>(_ code: Int) -> Code? { Code(rawValue: code) }

/// StoreCrypto's function of that name, bound when the program is linked.
///
/// If StoreCrypto were imported, every target that imports StoreKit would need libcrypto's module map.
@_silgen_name("StoreCrypto_makeDefaultSigner")
private func makeDefaultSigner(clock: any StoreClock, start: Date) -> (any PayloadSigner)?

extension StoreBackend {
    /// Makes a sandbox store sign as the App Store does, if libcrypto is installed.
    func preferAppStoreSignatures() {
        guard let store = self as? any SandboxBackend else { return }
        guard let signer = makeDefaultSigner(clock: store.clock, start: store.clock.now) else { return }
        store.preferForPayloads { signer }
    }
}
