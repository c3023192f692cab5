import StoreKit

/// What a view shows of a subscription for one, `plan.single`, and of one that the family shares, `plan.family`.
@MainActor final class FamilyPlan {
    /// In the order in which they are worth something: who has several has the last.
    enum Access: Equatable, Sendable {
        case free
        case single(until: Date?)
        case member(until: Date?)
        case organizer(until: Date?)

        fileprivate var rank: Int {
            switch self {
            case .free: 0
            case .single: 1
            case .member: 2
            case .organizer: 3
            }
        }
    }

    enum Outcome: Equatable, Sendable {
        case subscribed
        case asked
        case canceled
    }

    enum Failure: Error {
        case notSold
        case untrusted
    }

    static let single = "plan.single"
    static let family = "plan.family"

    /// Each change of `access`, for the one view that shows it.
    nonisolated let changes: AsyncStream<Access>

    private(set) var access = Access.free

    private let continuation: AsyncStream<Access>.Continuation
    private var tasks: [Task<Void, Never>] = []

    init() {
        let (changes, continuation) = AsyncStream.makeStream(of: Access.self)
        self.changes = changes
        self.continuation = continuation
        tasks = [
            Task { [weak self] in
                for await result in Transaction.updates { await self?.take(result) }
            },
            Task { [weak self] in
                // An end of a subscription, and of sharing, is no transaction that is bought.
                for await _ in Product.SubscriptionInfo.Status.updates { await self?.refresh() }
            },
        ]
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    func stop() {
        for task in tasks { task.cancel() }
        tasks = []
    }

    // MARK: Buying

    @discardableResult
    func subscribe(to identifier: String) async throws -> Outcome {
        guard let product = try await Product.products(for: [identifier]).first else { throw Failure.notSold }
        switch try await product.purchase() {
        case .success(let result):
            guard case .verified = result else { throw Failure.untrusted }
            await take(result)
            return .subscribed
        case .pending:
            // Nobody says if the answer is no: the button stays, and the child may ask once more.
            return .asked
        case .userCancelled: return .canceled
        @unknown default: return .canceled
        }
    }

    /// Whether a button should offer the family's plan instead of the one for one.
    var canUpgrade: Bool {
        switch access {
        case .free, .single: true
        case .member, .organizer: false
        }
    }

    // MARK: Access

    /// Asks the store anew: what was true when it was told may have ended meanwhile.
    func refresh() async {
        var best = Access.free
        for await case .verified(let transaction) in Transaction.currentEntitlements {
            guard let access = Self.access(by: transaction), access.rank > best.rank else { continue }
            best = access
        }
        guard best != access else { return }
        access = best
        continuation.yield(best)
    }

    private static func access(by transaction: Transaction) -> Access? {
        guard transaction.revocationDate == nil, !transaction.isUpgraded else { return nil }
        switch (transaction.productID, transaction.ownershipType) {
        case (family, .familyShared): return .member(until: transaction.expirationDate)
        case (family, _): return .organizer(until: transaction.expirationDate)
        case (single, _): return .single(until: transaction.expirationDate)
        default: return nil
        }
    }

    private func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        await refresh()
        await transaction.finish()
    }
}
