import StoreKit

/// A magazine that sells single editions, and a pass for a year that does not renew. The store knows no end of it:
/// the app reckons it from what was bought.
actor Newsstand {
    struct Edition: Sendable, Hashable {
        var id: String
        var published: Date
    }

    enum Outcome: Equatable, Sendable {
        case bought
        case waiting
        case canceled
        case notSold
        case untrusted
    }

    static let pass = "pass.year"

    /// The product of each transaction that came by itself, once it is on the shelf.
    nonisolated let arrivals: AsyncStream<String>

    private let editions: [Edition]
    private let now: @Sendable () -> Date
    private let continuation: AsyncStream<String>.Continuation
    private var updates: Task<Void, Never>?

    init(editions: [Edition], now: @escaping @Sendable () -> Date = { Date() }) {
        self.editions = editions
        self.now = now
        let (arrivals, continuation) = AsyncStream.makeStream(of: String.self)
        self.arrivals = arrivals
        self.continuation = continuation
    }

    deinit { updates?.cancel() }

    func open() {
        updates?.cancel()
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.receive(result) }
        }
    }

    func close() {
        updates?.cancel()
        updates = nil
    }

    // MARK: Buying

    func buy(_ identifier: String) async throws -> Outcome {
        guard let product = try await Product.products(for: [identifier]).first else { return .notSold }
        switch try await product.purchase() {
        case .success(let result):
            guard case .verified(let transaction) = result else { return .untrusted }
            await transaction.finish()
            return .bought
        case .pending: return .waiting
        case .userCancelled: return .canceled
        @unknown default: return .canceled
        }
    }

    // MARK: Reading

    /// The last moment of the last pass, or nil if there is none.
    func passEnd() async -> Date? { await passes().last?.end }

    func isPassRunning() async -> Bool {
        let moment = now()
        return await passes().contains { $0.start <= moment && moment < $0.end }
    }

    /// What may be read: the editions that were bought, and those that came out during a pass.
    func shelf() async -> [Edition] {
        let bought = Set(await purchases().map(\.productID))
        let periods = await passes()
        let moment = now()
        return editions.filter { edition in
            guard edition.published <= moment else { return false }
            return bought.contains(edition.id)
                || periods.contains { $0.start <= edition.published && edition.published < $0.end }
        }
    }

    /// A pass that is bought while another one runs begins where that one ends.
    private func passes() async -> [DateInterval] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var passes: [DateInterval] = []
        for purchase in await purchases() where purchase.productID == Self.pass {
            let start = max(purchase.purchaseDate, passes.last?.end ?? purchase.purchaseDate)
            guard let end = calendar.date(byAdding: .year, value: purchase.purchasedQuantity, to: start) else {
                continue
            }
            passes.append(DateInterval(start: start, end: end))
        }
        return passes
    }

    /// The history is the same on all devices of the account: nothing has to be restored.
    private func purchases() async -> [Transaction] {
        var purchases: [Transaction] = []
        for await case .verified(let transaction) in Transaction.all where transaction.revocationDate == nil {
            purchases.append(transaction)
        }
        return purchases.sorted { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) }
    }

    private func receive(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        await transaction.finish()
        continuation.yield(transaction.productID)
    }
}
