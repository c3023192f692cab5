import StoreCore
import StoreKitTest
import Testing

/// The quirks of the store that a test session controls.
@MainActor @Suite struct SessionQuirkTests {
    private let app: TestApp

    init() throws { app = try TestApp() }

    private func another(_ configuration: String = "Shop") throws -> SKTestSession {
        try app.context.run { try SKTestSession(contentsOf: TestApp.url(configuration), clock: app.clock) }
    }

    @Test func `A session's quirks are its store's, stay when transactions are cleared, and end with a reset`() throws {
        #expect(app.session.quirks.isEmpty)
        app.session.quirks = [.listsLate(by: 2), .declinedArrives]
        #expect(app.session.store.quirks == [.listsLate(by: 2), .declinedArrives])
        app.session.clearTransactions()
        #expect(app.session.quirks == [.listsLate(by: 2), .declinedArrives])
        #expect(try TestApp().session.quirks.isEmpty)
        app.session.resetToDefaultState()
        #expect(app.session.quirks.isEmpty)
        app.session.quirks = .iOS27Simulator
        #expect(try another().quirks.isEmpty)
        #expect(app.session.quirks.isEmpty)
    }

    @Test func `A declined request arrives where the session's store has the quirk`() throws {
        app.session.quirks = [.declinedArrives]
        app.session.askToBuyEnabled = true
        app.buy("castle")
        let waiting = try #require(app.session.allTransactions().last)
        try app.session.declineAskToBuyTransaction(identifier: waiting.identifier)
        #expect(app.heard.last == "castle purchased")
    }

    @Test func `C14: With the quirk, nil does not remove the error of a purchase, and a reset does`() async throws {
        app.session.quirks = [.keepsErrors]
        try await app.session.setSimulatedError(.generic(.unknown), forAPI: .purchase)
        try await app.session.setSimulatedError(nil, forAPI: .purchase)
        #expect(await app.session.simulatedError(forAPI: .purchase) == .generic(.unknown))
        app.buy("castle")
        #expect(app.heard.last == "castle failed (unknown)")
        // Another call's error is removed, and a purchase can have another error.
        try await app.session.setSimulatedError(.generic(.notEntitled), forAPI: .loadProducts)
        try await app.session.setSimulatedError(nil, forAPI: .loadProducts)
        #expect(await app.session.simulatedError(forAPI: .loadProducts) == nil)
        try await app.session.setSimulatedError(.purchase(.invalidOfferPrice), forAPI: .purchase)
        #expect(await app.session.simulatedError(forAPI: .purchase) == .purchase(.invalidOfferPrice))
        app.session.resetToDefaultState()
        #expect(await app.session.simulatedError(forAPI: .purchase) == nil)
        app.buy("castle")
        #expect(app.heard.last == "castle purchased")
    }

    @Test(arguments: ["Shop", "Offers"])
    func `C14: With the quirk, errors outlive their session`(configuration: String) async throws {
        app.session.quirks = [.keepsErrors]
        try await app.session.setSimulatedError(.generic(.unknown), forAPI: .purchase)
        try await app.session.setSimulatedError(.generic(.notEntitled), forAPI: .loadProducts)
        let next = try another(configuration)
        #expect(await next.simulatedError(forAPI: .purchase) == .generic(.unknown))
        #expect(await next.simulatedError(forAPI: .loadProducts) == .generic(.notEntitled))
        #expect(next.store.purchaseFailure?.code == SKError.Code.unknown.rawValue)
    }

    // The "app" of this quirk is a test.
    @Test func `C14: A test that disarms its error by nil leaves it to the next test, one that resets does not`()
        async throws
    {
        func nextTestBuys(after cleanUp: @MainActor () async throws -> Void) async throws -> Bool {
            app.session.quirks = [.keepsErrors]
            try await app.session.setSimulatedError(.generic(.unknown), forAPI: .purchase)
            try await cleanUp()
            let next = try another()
            defer { next.resetToDefaultState() }
            app.buy("castle")
            return app.heard.last == "castle purchased"
        }
        #expect(try await !nextTestBuys { try await app.session.setSimulatedError(nil, forAPI: .purchase) })
        #expect(try await nextTestBuys { app.session.resetToDefaultState() })
    }
}
