import Foundation
import StoreCore
import Testing

/// Purchases that fail because the store's operator wants it so.
@Suite struct ForcedFailureTests {
    /// The codes that Apple's test session accepts (behaviour 207), and one that it does not.
    static let codes: [SKError.Code] = [
        .unknown, .invalidOfferIdentifier, .invalidSignature, .missingOfferParams, .invalidOfferPrice, .clientInvalid,
    ]

    private let market: Market

    init() throws { market = try Market() }

    @Test(arguments: codes)
    func `B207: While it is on every purchase fails with the code given`(code: SKError.Code) throws {
        market.store.purchaseFailure = .storeKit(StoreFailure.Code(rawValue: code.rawValue), "the test wants it so")
        let app = App(on: market.store, buying: "sword", "gold.monthly")
        let heard = ["sword", "gold.monthly"].flatMap { calls(of: $0, .purchasing, .failed) }
        #expect(app.recorder.callbacks == heard)
        #expect(app.recorder.transactions.map(\.trouble) == [.storeKit(code), .storeKit(code)])
        #expect(app.recorder.transactions.first?.reason == "the test wants it so")
        #expect(try market.store.account.totalCharged == 0)
    }

    @Test func `B204, B207: No purchase fails before it is on, nor once it is off`() throws {
        #expect(market.store.purchaseFailure == nil)
        let app = App(on: market.store, buying: "sword")
        market.store.purchaseFailure = .network(.timedOut, "the bank sleeps")
        app.buy("shield")
        market.store.purchaseFailure = nil
        app.buy("spear")
        #expect(app.received == [.updated("sword", .purchased), .updated("spear", .purchased)])
        #expect(app.recorder.transactions.map(\.trouble) == [nil, .network(.timedOut), nil])
    }

    @Test func `B207: Nobody is asked about what fails, and what waits fails when it is approved`() throws {
        try market.store.account.setAsksToBuy(true)
        let app = App(on: market.store, buying: "sword")
        market.store.purchaseFailure = .storeKit(.unknown, "the test wants it so")
        app.buy("shield")
        #expect(market.store.undecidedRequests.map(\.productIdentifier) == ["sword"])
        try market.store.settle { try market.store.decide("1", as: .approve) }
        #expect(app.recorder.history(of: "sword").suffix(2) == [.updated("sword", .failed), .removed("sword")])
        #expect(try market.store.account.totalCharged == 0)
    }

    @Test func `B207: What an authorizer approves fails if every purchase is to fail by then`() throws {
        let store = market.store
        store.authorizer = .noting { [weak store] _ in
            store?.purchaseFailure = .storeKit(.unknown, "the test wants it so")
        }
        let app = App(on: store, buying: "sword")
        #expect(app.recorder.history(of: "sword").suffix(2) == [.updated("sword", .failed), .removed("sword")])
        #expect(try store.account.totalCharged == 0)
    }
}
