import StoreCore
import StoreHelper
import StoreKit
import Testing

@Suite struct StoreHelperTests {
    @Test func `A product may be used from its purchase to its refund`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            #expect(await !Purchases.isEntitled(to: "map"))
            #expect(try await Purchases.buy("map"))
            #expect(await Purchases.isEntitled(to: "map"))
            try shop.refund("map")
            #expect(await !Purchases.isEntitled(to: "map"))
            await #expect(throws: Purchases.Failure.notSold) { try await Purchases.buy("ship") }
        }
    }

    @Test func `What was bought elsewhere is restored, but not by somebody signed out`() async throws {
        let shop = try Shop()
        _ = try shop.store.account.buy("map")
        _ = try shop.store.account.buy("pass")
        try await shop.run { () async throws in
            #expect(try await Purchases.restore() == ["map", "pass"])
            try shop.store.device.signOut()
            await #expect(throws: StoreKitError.self) { try await Purchases.restore() }
        }
    }

    @Test func `Renewals entitle, and what is not verified does not`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            #expect(try await Purchases.buy("pass"))
            shop.store.advance(by: 100 * 86_400)
            #expect(await Purchases.isEntitled(to: "pass"))
            shop.store.signatureDefect = .invalidCertificateChain
            #expect(await !Purchases.isEntitled(to: "pass"))
            await #expect(throws: Purchases.Failure.unverified) { try await Purchases.restore() }
        }
    }
}
