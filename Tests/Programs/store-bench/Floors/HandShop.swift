import Foundation

/// A test's store by hand: a fake queue with its observer, three products, and the objects of what was bought.
///
/// Whoever fakes a restore, or a look at what was bought, keeps at least these.
final class HandShop {
    private let queue = HandFake()
    private let products: [String: HandProduct]
    private let buyer = Buyer()
    private static let identifiers = ["com.example.coins.100", "com.example.castle", "com.example.premium"]

    private init() {
        products = Dictionary(uniqueKeysWithValues: Self.identifiers.map { ($0, HandProduct(productIdentifier: $0)) })
        queue.add(buyer)
        for product in Self.identifiers + Self.identifiers.prefix(1) {
            queue.add(HandPayment(productIdentifier: product))
        }
    }

    /// Makes shops, each of which has sold four things, the last of them not finished yet.
    static func shops(_ count: Int) throws -> [AnyObject] {
        try (0..<count).map { _ in
            let shop = HandShop()
            try WrongCount.check(shop.buyer.bought.count, of: 4, "purchases were made")
            return shop
        }
    }

    private final class Buyer: HandObserver {
        private(set) var bought: [HandTransaction] = []

        func queue(_ queue: HandFake, updated transactions: [HandTransaction]) {
            for transaction in transactions where transaction.state == .purchased {
                bought.append(transaction)
                if bought.count < 4 { queue.finish(transaction) }
            }
        }

        func queue(_ queue: HandFake, removed transactions: [HandTransaction]) {}
    }
}
