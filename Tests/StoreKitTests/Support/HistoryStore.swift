import StoreCore
import StoreKit

/// A store that has a history, and sells nothing.
final class HistoryStore: StoreBackend, HistoryService, StorefrontService, AvailabilityService {
    private let history: [SignedValue<TransactionPayload>]
    private let subscriptions: [SignedSubscription]
    private let repeatsPlaces: Bool
    private let app: SignedValue<AppTransactionPayload>?
    let storefront: StoreStorefront?
    let canMakePayments: Bool
    let deviceVerificationID: UUID?

    /// Makes a store; it fails where it is given nothing to answer.
    ///
    /// With `repeatsPlaces` each of its pages ends where it began, and nothing is unfinished.
    init(
        _ history: [SignedValue<TransactionPayload>] = [],
        repeatsPlaces: Bool = false,
        subscriptions: [SignedSubscription] = [],
        app: SignedValue<AppTransactionPayload>? = nil,
        storefront: StoreStorefront? = nil,
        canMakePayments: Bool = true,
        deviceVerificationID: UUID? = nil
    ) {
        self.history = history
        self.repeatsPlaces = repeatsPlaces
        self.subscriptions = subscriptions
        self.app = app
        self.storefront = storefront
        self.canMakePayments = canMakePayments
        self.deviceVerificationID = deviceVerificationID
    }

    func run<R>(
        log: StoreLog = .silent,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R { try await StoreContext(backend: self, delivery: .inline, log: log).run(body) }

    private static let silence = StoreFailure.storeKit(.unknown, "the store has nothing to say")

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) { reply(.taken) }
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {}
    func disconnect(_ receiver: any StoreUpdateReceiver) {}
    func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {
        reply(.success(ProductsAnswer(products: [], invalidIdentifiers: Array(identifiers))))
    }

    func transactions(_ query: HistoryQuery, reply: @escaping Reply<HistoryPage>) {
        guard repeatsPlaces else { return reply(.success(HistoryPage(history))) }
        reply(.success(HistoryPage(query.selection == .unfinished ? [] : history, next: "here")))
    }

    func subscriptions(_ query: SubscriptionQuery, reply: @escaping Reply<[SignedSubscription]>) {
        reply(subscriptions.isEmpty ? .failure(Self.silence) : .success(subscriptions))
    }

    func appTransaction(reply: @escaping Reply<SignedValue<AppTransactionPayload>>) {
        reply(app.map { .success($0) } ?? .failure(Self.silence))
    }

    func isEligibleForIntroductoryOffer(inGroup group: String, reply: @escaping Reply<Bool>) {
        reply(.failure(Self.silence))
    }

    func follow(_ listener: any HistoryListener) {}
}
