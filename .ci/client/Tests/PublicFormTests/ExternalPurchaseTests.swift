import CrossStore
import Foundation
import StoreCore
import Testing

@Suite struct ExternalPurchaseTests {
    private let till: Till

    init() throws { till = try Till() }

    @Test func `Outside of the store, nothing is sold unless the store allows it`() async throws {
        try await till.run {
            await #expect(throws: PurchaseError(.unavailable)) { try await ExternalPurchases.notice() }
            await #expect(throws: PurchaseError(.unavailable)) { try await ExternalPurchases.openAccount() }
            let token = try await ExternalPurchases.token("SERVICES")
            #expect(token == nil)
        }
    }

    @Test func `Whoever goes on after a notice has a token, and a link is opened`() async throws {
        let page = try #require(URL(string: "https://example.com/buy"))
        till.store.externalPurchases = ExternalPurchaseSettings(
            presentsNotice: true,
            usesCustomLinks: true,
            links: [page],
            accountLink: page
        )
        try await till.run {
            #expect(try await ExternalPurchases.notice()?.isEmpty == false)
            #expect(try await ExternalPurchases.token("SERVICES")?.isEmpty == false)
            #expect(try await ExternalPurchases.goesOn(inApp: true))
            try await ExternalPurchases.open(page)
            try await ExternalPurchases.openAccount()
            till.store.continuesToExternalPurchases = false
            #expect(try await ExternalPurchases.notice() == nil)
            #expect(try await ExternalPurchases.goesOn(inApp: false) == false)
        }
        #expect(try till.store.openedLinks.count == 2)
    }
}
