import StoreCore
import StoreKit

/// A test's own store with offers of every kind, and the context that a library runs in with it.
struct Till: Sendable {
    let store: SandboxStore
    let context: StoreContext

    static let month: TimeInterval = 31 * 86_400

    init() throws {
        store = try SandboxStore(
            products: [
                .consumable("coins", price: "0.99", title: "Coins", description: "A purse of coins"),
                .nonConsumable("map", price: "4.99", isFamilyShareable: true),
                .autoRenewable(
                    "gold",
                    price: "3.99",
                    period: .init(1, .month),
                    group: "club",
                    introductoryOffer: .freeTrial(.init(1, .week)),
                    promotionalOffers: [
                        .payAsYouGo(price: "0.99", every: .init(1, .month), times: 2, identifier: "spring")
                    ],
                    offerCodes: [.freeTrial(.months(1), identifier: "FRIENDS")],
                    winBackOffers: [
                        .init(.payUpFront(price: "2.99", for: .init(2, .month), identifier: "come.back"))
                    ]
                ),
            ],
            // The libraries compare dates with the device's.
            clock: ManualClock(startingAt: .now),
            locale: "en_US"
        )
        context = StoreContext(backend: store, delivery: .inline, log: .silent)
    }

    func run<R>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R) async rethrows -> R {
        try await context.run(body)
    }

    /// Refunds the purchases of a product.
    func refund(_ product: String, percentage: Decimal = 100) throws {
        for sale in try store.transactions where sale.productIdentifier == product {
            try store.refund(sale.id, percentage: percentage)
        }
    }

    /// Makes the account one that has left the club.
    func lapse() throws {
        try store.account.buy("gold")
        try store.account.setAutoRenew(false, inGroup: "club")
        store.advance(by: 4 * Self.month)
    }
}
