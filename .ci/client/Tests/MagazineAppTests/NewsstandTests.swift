import Foundation
import StoreCore
import StoreKit
import Testing

@testable import MagazineApp

@Suite(.timeLimit(.minutes(1))) struct NewsstandTests {
    let store: SandboxStore
    let context: StoreContext
    let editions: [Newsstand.Edition]

    init() throws {
        let start = try Self.day("2025-01-31")
        store = try SandboxStore(
            products: [
                .nonRenewing("pass.year", price: "29.99", title: "A year"),
                .nonRenewing("issue.2024-12", price: "3.99", title: "December"),
                .nonRenewing("issue.2025-06", price: "3.99", title: "June"),
                .nonRenewing("issue.2026-02", price: "3.99", title: "February"),
            ],
            clock: ManualClock(startingAt: start)
        )
        context = StoreContext(backend: store, delivery: .inline)
        editions = try [
            .init(id: "issue.2024-12", published: Self.day("2024-12-01")),
            .init(id: "issue.2025-06", published: Self.day("2025-06-01")),
            .init(id: "issue.2026-02", published: Self.day("2026-02-01")),
        ]
    }

    static func day(_ text: String) throws -> Date { try Date("\(text)T00:00:00Z", strategy: .iso8601) }

    func launch() -> Newsstand {
        let store = self.store
        return Newsstand(editions: editions, now: { store.clock.now })
    }

    @Test func `A pass ends a year after it was bought, and what came out meanwhile stays`() async throws {
        try await context.run {
            let newsstand = launch()
            #expect(try await newsstand.buy("pass.year") == .bought)
            let end = try Self.day("2026-01-31")
            #expect(await newsstand.passEnd() == end)
            #expect(await newsstand.isPassRunning())
            #expect(await newsstand.shelf().isEmpty)

            try store.advance(to: Self.day("2026-02-01"))
            #expect(await newsstand.isPassRunning() == false)
            #expect(await newsstand.shelf().map(\.id) == ["issue.2025-06"])
        }
    }

    @Test func `A second pass begins where the first one ends, and follows its refund`() async throws {
        try await context.run {
            let newsstand = launch()
            _ = try await newsstand.buy("pass.year")
            try store.advance(to: Self.day("2025-12-24"))
            _ = try await newsstand.buy("pass.year")
            let end = try Self.day("2027-01-31")
            #expect(await newsstand.passEnd() == end)

            let first = try #require(store.account.transactions.first)
            try store.refund(first.id)
            let earlier = try Self.day("2026-12-24")
            #expect(await newsstand.passEnd() == earlier)
            #expect(try store.account.totalRefunded == Decimal(string: "29.99"))
        }
    }

    @Test func `Another device finds the pass without paying`() async throws {
        let tablet = try store.addDevice("tablet", signedInTo: store.account)
        try await context.run { _ = try await launch().buy("pass.year") }
        await StoreContext(backend: tablet, delivery: .inline).run {
            #expect(await launch().isPassRunning())
        }
        #expect(try store.account.charges.count == 1)
    }

    @Test func `An edition that a parent has to allow is read once it is allowed`() async throws {
        try store.account.setAsksToBuy(true)
        try await context.run {
            let newsstand = launch()
            await newsstand.open()
            var arrivals = newsstand.arrivals.makeAsyncIterator()
            let asked = try await newsstand.buy("issue.2024-12")
            #expect(asked == .waiting)
            #expect(await newsstand.shelf().isEmpty)

            try store.approve(#require(store.undecidedRequests.first))
            #expect(await arrivals.next() == "issue.2024-12")
            #expect(await newsstand.shelf().map(\.id) == ["issue.2024-12"])
            #expect(try store.device.unfinished.isEmpty)
            await newsstand.close()
        }
    }

    @Test func `Who cancels has no pass`() async throws {
        store.authorizer = .always(.cancel)
        try await context.run {
            let newsstand = launch()
            let outcome = try await newsstand.buy("pass.year")
            #expect(outcome == .canceled)
            #expect(await newsstand.passEnd() == nil)
            #expect(try store.account.totalCharged == 0)
        }
    }
}
