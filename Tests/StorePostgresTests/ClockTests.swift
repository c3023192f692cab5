#if canImport(CPostgres)
    import Foundation
    import PostgresCluster
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    /// Two stores on one ledger, whose clocks are minutes apart.
    @Suite(.postgres, .promptly, .timeLimit(.minutes(20))) struct ClockTests {
        private static let distance: TimeInterval = 300

        // Whose clock passes the end of each period first: that of the store behind (0) or ahead (1).
        @Test(arguments: [[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]])
        func `A subscription is renewed once for each period, whichever store comes to its end first`(
            firsts: [Int]
        ) throws {
            let place = try TestDatabase()
            let behind = ManualClock()
            let ahead = ManualClock(startingAt: behind.now + Self.distance)
            let clocks = [behind, ahead]
            let stores = try clocks.map { clock in
                // Patient: a renewal that fails on a busy machine is tried again later, by a clock that stands still here.
                let database = try place.open { ($0.turnTime, $0.turnPatience, $0.responseTime) = (300, 300, 600) }
                return try SandboxStore(
                    products: Shop.products,
                    clock: clock,
                    ledger: database.ledger("shop", lane: .caller)
                )
            }
            try stores[0].account.buy("gold")
            for (period, first) in firsts.enumerated() {
                let end = try #require(try stores[first].transactions.last?.expirationDate)
                for index in [first, 1 - first] {
                    clocks[index].advance(to: end + (index == 0 ? 60 : 60 + Self.distance))
                    // The other store hears of it by a notification, which may still be on its way.
                    #expect(try stores[index].transactions.count == period + 2)
                }
            }
            for store in stores {
                #expect(Set(try store.transactions.map(\.expirationDate)).count == firsts.count + 1)
                #expect(try store.account.charges.count == firsts.count + 1)
            }
            #expect(try place.open().check("shop").isEmpty)
        }
    }
#endif
