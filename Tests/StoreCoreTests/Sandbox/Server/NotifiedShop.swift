import Foundation
import StoreCore
import Testing

/// A store that tells a server what happens.
struct NotifiedShop {
    let market: Market
    let view: ServerView

    /// The products of a market, and those that a family may share.
    static let allProducts =
        Market.products
        + Household.products.filter { product in !Market.products.contains { $0.identifier == product.identifier } }

    var store: SandboxStore { market.store }
    var account: SandboxAccount { market.store.account }

    init(_ products: [SandboxProduct] = Market.products, ledger: any Ledger = MemoryLedger()) throws {
        market = try Market(products, ledger: ledger)
        view = ServerView(market.store)
        try view.beginNotifications()
    }

    /// All notifications.
    var all: [ServerNotification] { get throws { try view.notifications(after: nil, limit: .max) } }

    /// What the server is told by an act: each notification's type, subtype and transaction.
    func told(_ act: () throws -> Void) throws -> [String] {
        let last = try all.last?.position
        try act()
        return try view.notifications(after: last, limit: .max).map(\.words)
    }

    /// Checks that the server is told this by an act.
    func tells(_ words: String..., at place: SourceLocation = #_sourceLocation, by act: () throws -> Void) throws {
        let told = try told(act)
        #expect(told == words, sourceLocation: place)
    }

    func advance(to date: String) { market.advance(to: date) }
}

extension ServerNotification {
    /// Its type, subtype and transaction.
    var words: String {
        [type, subtype, transaction.map { "#\($0.transactionId)" }].compactMap { $0 }.joined(separator: " ")
    }
}

extension Market {
    /// A market with those products too that a family may share, and what a server sees of it.
    static func withView() throws -> (Market, ServerView) {
        let market = try Market(NotifiedShop.allProducts)
        return (market, ServerView(market.store))
    }
}
