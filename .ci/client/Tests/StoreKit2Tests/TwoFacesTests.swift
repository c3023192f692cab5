import StoreCore
import StoreKit
import Testing
import TwoFaces

@Suite struct TwoFacesTests {
    enum Face: CaseIterable { case classic, modern }

    private func till(_ face: Face) -> any Till {
        switch face {
        case .classic: ClassicTill()
        case .modern: ModernTill()
        }
    }

    @Test(arguments: Face.allCases) func `Both tills sell, and finish`(face: Face) async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            let till = till(face)
            #expect(try await till.buy("coins") == .sold)
            shop.store.authorizer = .always(.cancel)
            #expect(try await till.buy("coins") == .cancelled)
            #expect(try shop.store.account.charges.map(\.productIdentifier) == ["coins"])
            #expect(try shop.store.device.unfinished.isEmpty)
        }
    }

    @Test(arguments: Face.allCases) func `Both tills deliver what is approved later`(face: Face) async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            let till = till(face)
            var deliveries = till.deliveries.makeAsyncIterator()
            try shop.store.account.setAsksToBuy(true)
            #expect(try await till.buy("map") == .waiting)
            try shop.approve()
            #expect(await deliveries.next() == "map")
        }
    }

    @Test(arguments: Face.allCases) func `Both tills throw what the store refuses`(face: Face) async throws {
        let shop = try Shop()
        await shop.run {
            let till = till(face)
            shop.store.purchaseFailure = .network(.notConnectedToInternet, "offline")
            await #expect(throws: (any Error).self) { try await till.buy("map") }
        }
    }

    @Test(arguments: Face.allCases) func `Both tills deliver at the next launch what was not`(face: Face) async throws {
        let shop = try Shop()
        _ = try shop.store.account.buy("map")
        shop.relaunch()
        await shop.run {
            let till = till(face)
            var deliveries = till.deliveries.makeAsyncIterator()
            #expect(await deliveries.next() == "map")
        }
    }
}
