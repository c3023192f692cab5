import Foundation
import StoreCore
import Testing

/// What a server reads about single transactions, subscriptions, orders and the app.
@Suite struct ServerReadingTests {
    private let market: Market
    private let view: ServerView
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }

    init() throws { (market, view) = try Market.withView() }

    @Test func `A view says what the store is`() throws {
        #expect(view.bundleIdentifier == "com.example.app" && view.bundleVersion == "1.0")
        #expect(view.environment == "LocalTesting" && view.appAppleIdentifier == nil && view.clock === market.clock)
        let signer = CountingSigner(environment: "Production")
        #expect(ServerView(try SandboxStore(signer: signer, appAppleIdentifier: 7)).appAppleIdentifier == 7)
        #expect(ServerView(try SandboxStore(appAppleIdentifier: 7)).appAppleIdentifier == nil)
    }

    @Test func `Any payload is signed as the store signs, or wrongly`() throws {
        struct Note: Codable, Equatable { let text: String }
        let signer = store.payloadSigner
        let payload = try signer.payload(of: view.sign(Note(text: "a/b"))) { _ in nil }
        #expect(String(decoding: payload, as: UTF8.self) == #"{"text":"a/b"}"#)
        store.signatureDefect = .invalidSignature
        let wrong = try view.sign(Note(text: "a"))
        #expect(throws: (any Error).self) { try signer.payload(of: wrong) { _ in nil } }
    }

    @Test func `A transaction is known to all, and one that failed to none`() throws {
        try store.addAccount("bob").buy("sword")
        #expect(try view.transaction("1")?.payload == (try store.signedTransaction("1").payload))
        App(on: store).buy("swrod")
        #expect(try view.transaction("2")?.payload == nil && view.transaction("x")?.payload == nil)
    }

    @Test func `All subscriptions of an account are there by groups, with their states`() throws {
        let bob = try store.addAccount("bob")
        try store.addFamily("smiths", organizer: bob).add(account)
        try account.buy("sword")
        #expect(try view.subscriptions(of: "1")?.isEmpty == true)
        try account.buy("gold.monthly", "solo.monthly")
        try bob.buy("tv.monthly")
        try account.expireSubscription(inGroup: "metals")
        let groups = try #require(try view.subscriptions(of: "1"))
        #expect(groups.map(\.groupIdentifier) == ["metals", "plans"])
        #expect(groups.map { $0.subscriptions.map(\.state.rawValue) } == [[2], [1, 1]])
        let owners = groups.last?.subscriptions.map(\.transaction.payload.inAppOwnershipType)
        #expect(owners == [.purchased, .familyShared])
        #expect(try view.subscriptions(of: "99")?.count == nil)
    }

    // MARK: Orders

    @Test func `An order finds its transaction, and what is no order finds nothing`() throws {
        try account.buy("sword", "gold.monthly")
        market.advance(to: "2025-02-01T00:00:00Z")
        let orders = try ["1", "2", "3"].map { try #require(try view.orderIdentifier(of: $0)) }
        #expect(Set(orders).count == 3)
        #expect(orders.allSatisfy { $0.hasPrefix("M") && $0.count == 10 })
        let found = try orders.map { try view.transactions(ofOrder: $0).map(\.payload.transactionId) }
        #expect(found == [["1"], ["2"], ["3"]])
        #expect(try store.orderIdentifier(of: "2") == orders[1])
        for wrong in ["", "M", "M000000000", orders[0].lowercased(), orders[0] + "0", "MIIIIIIIII"] {
            #expect(try view.transactions(ofOrder: wrong).isEmpty)
        }
        #expect(throws: SandboxError(.unknownTransaction("9"))) { try store.orderIdentifier(of: "9") }
        #expect(try view.orderIdentifier(of: "9") == nil)
    }

    @Test func `A restored purchase has the order of the first, a member's share none`() throws {
        let bob = try store.addAccount("bob")
        let app = App(on: store, buying: "full.game")
        app.restore()
        #expect(try view.orderIdentifier(of: "2") == (try view.orderIdentifier(of: "1")))
        let order = try #require(try view.orderIdentifier(of: "2"))
        #expect(try view.transactions(ofOrder: order).map(\.payload.transactionId) == ["1"])
        try store.addFamily("smiths", organizer: account).add(bob)
        try account.buy("album")
        #expect(try view.transaction("4")?.payload.inAppOwnershipType == .familyShared)
        #expect(try view.orderIdentifier(of: "4") == nil)
    }

    // MARK: The app

    @Test func `The app's purchase and receipt are those of the transaction's account`() throws {
        let bob = try store.addAccount("bob")
        let tablet = try store.addDevice("tablet", signedInTo: nil)
        try bob.buy("full.game")
        #expect(try view.appTransaction(of: "1")?.payload == (try bob.signedAppTransaction.payload))
        #expect(try view.appTransaction(of: "9")?.payload == nil && view.receipt(of: "1") == nil)
        try tablet.signIn(to: bob)
        #expect(try view.receipt(of: "1") == tablet.appReceipt)
        #expect(try store.verify(appReceipt: try #require(try view.receipt(of: "1"))).purchases.count == 1)
        #expect(try view.receipt(of: "9") == nil)
    }
}
