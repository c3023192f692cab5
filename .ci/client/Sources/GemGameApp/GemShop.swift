import StoreKit

// The game's save file. What is written here is there after a kill.
@MainActor protocol GemSave: AnyObject, Sendable {
    /// For each product, how often each transaction has brought it.
    var deliveries: [String: [UInt64: Int]] { get set }
    var spent: Int { get set }
}

@MainActor final class GemShop {
    enum Event: Equatable, Sendable {
        case credited(String)
        case alreadyKnown(String)
        case takenBack(String)
        case held(String)
        case waitsForParent
        case canceled
        case untrusted
    }

    enum Failure: Error {
        case notSold
        case tooFewGems
    }

    static let packs = ["gems.80": 80, "gems.500": 500]

    /// For the display of gems, which is the only one who listens.
    nonisolated let events: AsyncStream<Event>

    private let save: any GemSave
    private let continuation: AsyncStream<Event>.Continuation
    private var isInLevel = false
    private var held: [Product] = []
    private var tasks: [Task<Void, Never>] = []

    init(save: any GemSave) {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        self.continuation = continuation
        self.save = save
        tasks = [
            Task { [weak self] in
                for await result in Transaction.updates { await self?.take(result) }
            },
            Task { [weak self] in
                for await intent in PurchaseIntent.intents { await self?.begin(intent.product) }
            },
            Task { [weak self] () async -> Void in await self?.lookForRefunds() },
        ]
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    func stop() {
        for task in tasks { task.cancel() }
        tasks = []
    }

    // MARK: Gems

    /// What was refunded after it was spent is owed, so this may be below zero.
    var gems: Int { Self.packs.map { packs($0.key) * $0.value }.reduce(0, +) - save.spent }

    func packs(_ product: String) -> Int { save.deliveries[product, default: [:]].values.reduce(0, +) }

    func spend(_ count: Int) throws {
        guard gems >= count else { throw Failure.tooFewGems }
        save.spent += count
    }

    // MARK: Levels

    func beginLevel() { isInLevel = true }

    /// A payment sheet never covers a level: what the player tapped on the store's page waits until here.
    func endLevel() async throws {
        isInLevel = false
        let products = held
        held = []
        for product in products { try await buy(product) }
    }

    // MARK: Buying

    func buy(_ identifier: String) async throws {
        guard let product = try await Product.products(for: [identifier]).first else { throw Failure.notSold }
        try await buy(product)
    }

    private func buy(_ product: Product) async throws {
        switch try await product.purchase() {
        case .success(let result): await take(result)
        case .pending: continuation.yield(.waitsForParent)
        case .userCancelled: continuation.yield(.canceled)
        @unknown default: break
        }
    }

    private func begin(_ product: Product) async {
        if isInLevel {
            held.append(product)
            continuation.yield(.held(product.id))
        } else {
            try? await buy(product)
        }
    }

    /// The result of a call and what comes by itself: first it is kept, then it is finished.
    private func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else {
            continuation.yield(.untrusted)
            return
        }
        let event = keep(transaction)
        await transaction.finish()
        continuation.yield(event)
    }

    /// What was refunded while the game did not run.
    private func lookForRefunds() async {
        for await case .verified(let transaction) in Transaction.all where transaction.revocationDate != nil {
            let event = keep(transaction)
            if event != .alreadyKnown(transaction.productID) { continuation.yield(event) }
        }
    }

    private func keep(_ transaction: Transaction) -> Event {
        let product = transaction.productID
        let count = transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
        let before = save.deliveries[product]?[transaction.id]
        guard before != count else { return .alreadyKnown(product) }
        save.deliveries[product, default: [:]][transaction.id] = count
        return count == 0 ? .takenBack(product) : .credited(product)
    }
}
