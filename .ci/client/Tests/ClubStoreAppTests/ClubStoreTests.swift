import ClubStoreApp
import Foundation
import StoreCore
import StoreKit
import Testing

private struct Street {
    let store: SandboxStore
    let context: StoreContext

    init() throws {
        store = try SandboxStore(products: [
            .nonConsumable("lifetime", price: "49.99"),
            .autoRenewable("club", price: "3.99", period: .monthly, group: "club"),
        ])
        context = StoreContext(backend: store, delivery: .inline)
    }
}

private func makeClub() -> ClubStore {
    ClubStore(identifiers: ["lifetime", "club"])
}

private func unfinishedProducts() async -> [String] {
    var products: [String] = []
    for await result in Transaction.unfinished { products.append(result.unsafePayloadValue.productID) }
    return products
}

@Suite(.timeLimit(.minutes(1))) struct ClubStoreTests {
    @Test func `What is bought may be used, and is finished`() async throws {
        let street = try Street()
        try await street.context.run {
            let club = makeClub()
            await club.start()
            try await club.loadProducts()
            #expect(await club.products.map(\.id) == ["club", "lifetime"])

            let outcome = try await club.purchase("lifetime")
            #expect(outcome == .purchased)
            #expect(await club.entitlements == ["lifetime"])
            #expect(await unfinishedProducts() == [])

            street.store.authorizer = .always(.cancel)
            let next = try await club.purchase("club")
            #expect(next == .cancelled)
            #expect(await club.entitlements == ["lifetime"])
            await club.stop()
        }
    }

    @Test func `What a parent declines never comes, and what one allows is heard of`() async throws {
        let street = try Street()
        try street.store.account.setAsksToBuy(true)
        try await street.context.run {
            let club = makeClub()
            await club.start()
            var changes = await club.entitlementChanges().makeAsyncIterator()
            let before = await changes.next()
            #expect(before == [])

            let declined = try await club.purchase("club")
            #expect(declined == .pending)
            try street.store.decline(street.store.undecidedRequests[0])
            let allowed = try await club.purchase("lifetime")
            #expect(allowed == .pending)
            #expect(await club.entitlements == [])
            try street.store.approve(street.store.undecidedRequests[0])

            let after = await changes.next()
            #expect(after == ["lifetime"])
            await club.stop()
        }
    }

    @Test func `What is refunded may be used no longer`() async throws {
        let street = try Street()
        try await street.context.run {
            let club = makeClub()
            await club.start()
            _ = try await club.purchase("club")
            _ = try await club.purchase("lifetime")
            var changes = await club.entitlementChanges().makeAsyncIterator()
            let before = await changes.next()
            #expect(before == ["club", "lifetime"])

            let lifetime = try #require(
                try street.store.account.transactions.first { $0.productIdentifier == "lifetime" }
            )
            try street.store.refund(lifetime.id)
            let after = await changes.next()
            #expect(after == ["club"])
            await club.stop()
        }
    }

    @Test func `What the launch before has not finished is seen to by the next`() async throws {
        let street = try Street()
        try await street.context.run {
            // The app is killed as soon as the purchase has been paid for.
            let lifetime = try #require(try await Product.products(for: ["lifetime"]).first)
            _ = try await lifetime.purchase()
            #expect(await unfinishedProducts() == ["lifetime"])
            _ = SKPaymentQueue.default().relaunch()

            let club = makeClub()
            await club.start()
            #expect(await club.entitlements == ["lifetime"])
            #expect(await unfinishedProducts() == [])
            await club.stop()
        }
    }

    @Test func `A subscription is renewed, and ends with its period once its user has canceled`() async throws {
        let street = try Street()
        try await street.context.run {
            let club = makeClub()
            await club.start()
            _ = try await club.purchase("club")
            #expect(try await club.renewsAutomatically("club"))

            street.store.advance(by: .monthly)
            await club.refresh()
            #expect(await club.entitlements == ["club"])

            try street.store.account.setAutoRenew(false, inGroup: "club")
            #expect(try await club.renewsAutomatically("club") == false)
            await club.refresh()
            #expect(await club.entitlements == ["club"])

            street.store.advance(by: .monthly)
            await club.refresh()
            #expect(await club.entitlements == [])
            await club.stop()
        }
    }

    @Test func `Another device has what was bought, and a user who signs out has nothing to restore`() async throws {
        let street = try Street()
        try await street.context.run {
            let club = makeClub()
            _ = try await club.purchase("lifetime")
        }
        let tablet = try street.store.addDevice("tablet", signedInTo: street.store.account)
        try await StoreContext(backend: tablet, delivery: .inline).run {
            let club = makeClub()
            try await club.restore()
            #expect(await club.entitlements == ["lifetime"])

            try tablet.signOut()
            await #expect(throws: StoreKitError.self) { try await club.restore() }
            await club.refresh()
            #expect(await club.entitlements == [])
        }
    }
}
