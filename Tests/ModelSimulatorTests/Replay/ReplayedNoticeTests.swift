import ModelSimulator
import StoreCore
import Testing

/// What apps were told agrees with the model, or is found.
@Suite struct ReplayedNoticeTests {
    private let shop: ReplayedShop
    private let sword: String
    private let game: String
    private let restored: String

    init() throws {
        shop = try ReplayedShop()
        sword = try shop.buy("sword", as: 1, on: shop.phone)
        game = try shop.buy("game", as: 2, on: shop.phone)
        shop.finish(game, on: shop.phone)
        shop.restore(on: shop.phone)
        restored = try shop.store.transactions.last?.id ?? ""
    }

    /// The contradictions after some notices.
    private func violations(_ tell: (inout LedgerReplay) -> Void) throws -> [String] {
        var replay = try shop.replay()
        tell(&replay)
        return replay.violations
    }

    @Test func `What an honest store tells its apps is explained`() throws {
        try shop.buy("gold", as: 3, on: shop.tablet)
        shop.store.advance(by: ReplayedShop.period)
        let renewal = try #require(try shop.store.transactions.last)
        shop.finish(renewal.id, on: shop.tablet)
        let lines = try violations { replay in
            replay.hear(sword, as: .purchased, for: "1", on: "device")
            // Each launch is told anew.
            replay.hear(sword, as: .purchased, for: "1", on: "device")
            replay.hear(game, as: .purchased, for: "2", on: "device")
            replay.hearRemoval(of: game, on: "device")
            replay.hear(restored, as: .restored, for: nil, on: "device")
            replay.hear(renewal.id, as: .purchased, for: nil, on: "tablet")
            replay.hearRemoval(of: renewal.id, on: "tablet")
            replay.checkFinishes()
        }
        #expect(lines == [])
    }

    @Test func `A purchase that the ledger lacks is found`() throws {
        #expect(try violations { $0.hear("99", as: .purchased, for: "1", on: "device") }.count == 1)
        #expect(try violations { $0.hear("99", as: .restored, for: nil, on: "device") }.count == 1)
        #expect(try violations { $0.hear("99", as: .failed, for: "7", on: "device") }.count == 1)
    }

    @Test func `A purchase that another payment paid is found`() throws {
        #expect(try violations { $0.hear(sword, as: .purchased, for: "2", on: "device") }.count == 1)
    }

    @Test func `A transaction in another state is found`() throws {
        #expect(try violations { $0.hear(sword, as: .restored, for: nil, on: "device") }.count == 1)
        #expect(try violations { $0.hear(restored, as: .purchased, for: nil, on: "device") }.count == 1)
    }

    @Test func `A purchase of another device or another user is found`() throws {
        #expect(try violations { $0.hear(sword, as: .purchased, for: "1", on: "tablet") }.count == 1)
        try shop.buy("gold", as: 3, on: shop.tablet)
        shop.store.advance(by: ReplayedShop.period)
        let renewal = try #require(try shop.store.transactions.last)
        #expect(try violations { $0.hear(renewal.id, as: .purchased, for: nil, on: "device") }.count == 1)
        #expect(try violations { $0.hear(sword, as: .purchased, for: "1", on: "television") }.count == 1)
    }

    @Test func `A removal of what is not finished, or never was there, is found`() throws {
        #expect(try violations { $0.hearRemoval(of: sword, on: "device") }.count == 1)
        #expect(try violations { $0.hearRemoval(of: "99", on: "device") }.count == 1)
        #expect(try violations { $0.hearRemoval(of: game, on: "device") } == [])
    }

    @Test func `A finished purchase of which no app was told is found`() throws {
        #expect(try violations { $0.checkFinishes() }.count == 1)
    }
}
