import Foundation
import StoreCore
import Testing

@Suite struct SignInTests {
    private let market: Market

    init() throws { market = try Market() }

    @Test func `With nobody signed in purchases and restores are refused`() throws {
        try market.store.device.signOut()
        #expect(market.store.device.account == nil)
        let app = App(on: market.store, buying: "full.game")
        #expect(app.recorder.transactions.first?.trouble == .storeKit(.clientInvalid))
        app.restore()
        #expect(app.recorder.history.last == .restoreFailed(.storeKit(.clientInvalid)))
        #expect(app.queue.transactions.isEmpty)
    }

    @Test func `What is unfinished leaves with its account and comes back with it`() throws {
        let bob = try market.store.addAccount("bob")
        let app = App(on: market.store, finishes: false, buying: "full.game")
        let identifier = try #require(app.queue.transactions.first?.transactionIdentifier)
        try market.signIn(bob)
        #expect(app.queue.transactions.isEmpty && app.recorder.history.last == .removed("full.game"))
        try market.signIn(market.account)
        #expect(app.queue.transactions.map(\.transactionIdentifier) == [identifier])
        #expect(app.queue.transactions.map(\.transactionState) == [.purchased])
        try market.store.settle { app.queue.finishTransaction(try #require(app.queue.transactions.first)) }
        #expect(App(on: market.store).received == [])
    }

    @Test func `Who signs in pays for what is bought from then on`() throws {
        let bob = try market.store.addAccount("bob")
        let app = App(on: market.store, buying: "full.game")
        try market.store.device.signIn(to: bob)
        app.buy("full.game")
        #expect(try market.account.totalCharged == Decimal(string: "4.99"))
        #expect(try bob.totalCharged == Decimal(string: "4.99"))
        #expect(bob.entitlements.map(\.productIdentifier) == ["full.game"])
    }

    @Test func `A renewal waits for its account to sign in`() throws {
        let app = App(on: market.store, buying: "gold.monthly")
        try market.store.device.signOut()
        market.advance(to: "2025-02-02T00:00:00Z")
        #expect(app.received.count == 1)
        try market.signIn(market.account)
        #expect(app.received.count == 2)
    }

    @Test func `A decision about somebody who is signed out is heard when they sign in`() throws {
        let market = try Market(authorizer: .always(.askToBuy))
        let bob = try market.store.addAccount("bob")
        let app = App(on: market.store, buying: "full.game")
        try market.signIn(bob)
        try market.store.decide(try #require(market.store.undecidedRequests.first?.transaction), as: .approve)
        market.store.settle()
        #expect(try app.received == [] && bob.totalCharged == 0)
        try market.signIn(market.account)
        #expect(app.received == [.updated("full.game", .purchased)])
        #expect(try market.account.totalCharged == Decimal(string: "4.99"))
    }

    @Test func `What was refused for want of an account can be finished by whoever signs in`() throws {
        try market.store.device.signOut()
        let app = App(on: market.store, finishes: false, buying: "full.game")
        try market.signIn(market.account)
        #expect(app.queue.transactions.map(\.transactionState) == [.failed])
        market.store.settle { app.queue.transactions.forEach(app.queue.finishTransaction) }
        #expect(App(on: market.store).recorder.history == [])
    }

    @Test func `Signing in who is signed in changes nothing`() throws {
        let app = App(on: market.store, finishes: false, buying: "full.game")
        try market.signIn(market.account)
        #expect(app.received == [.updated("full.game", .purchased)] && app.queue.transactions.count == 1)
    }

    @Test func `What was finished while the store was away does not come back with its account`() throws {
        let bob = try market.store.addAccount("bob")
        let app = App(on: market.store, finishes: false, buying: "full.game")
        market.store.isReachable = false
        try market.store.device.signIn(to: bob)
        app.queue.transactions.forEach(app.queue.finishTransaction)
        try market.store.device.signIn(to: market.account)
        market.store.isReachable = true
        market.store.advance(by: 600)
        #expect(app.received == [.updated("full.game", .purchased)] && app.queue.transactions.isEmpty)
    }
}

extension Market {
    /// Signs somebody in on the first device, and waits until nothing moves.
    fileprivate func signIn(_ account: SandboxAccount) throws {
        try store.settle { try store.device.signIn(to: account) }
    }
}
