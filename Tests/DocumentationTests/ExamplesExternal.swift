// The code of the article "Selling outside of the store", compiled and run.
import Foundation
import StoreCore
import StoreKit
import StoreServer
import Testing

@Test func `An app sells outside of the store, and its server hears of it`() async throws {
    let clock = ManualClock()
    let store = try SandboxStore(clock: clock)
    try await StoreContext(backend: store).run {
        try await offer(in: store)
        try await useTokens(of: store)
        try hearOfTokens(of: store, clock)
        try seeReports(in: store)
        try await bind(in: store)
    }
}

private func offer(in store: SandboxStore) async throws {
    store.externalPurchases = ExternalPurchaseSettings(
        presentsNotice: true,
        usesCustomLinks: true,
        links: [URL(string: "https://example.com/buy")!]
    )
    #expect(await ExternalPurchase.canPresent)

    store.continuesToExternalPurchases = false
    #expect(try await ExternalPurchase.presentNoticeSheet() == .cancelled)
    store.continuesToExternalPurchases = true

    try await ExternalPurchaseLink.open()
    #expect(try store.openedLinks.map(\.path) == ["/buy"])
}

private func useTokens(of store: SandboxStore) async throws {
    let text = try #require(try await ExternalPurchaseCustomLink.token(for: "SERVICES")).value
    let token = try #require(ExternalPurchaseToken(value: text))
    #expect(token.tokenType == "SERVICES" && token.externalPurchaseId.hasPrefix("SANDBOX_"))
}

private func hearOfTokens(of store: SandboxStore, _ clock: ManualClock) throws {
    let notifications = try ServerNotifications(store)
    clock.advance(by: 3600)
    #expect(try notifications.received().map(\.description) == ["EXTERNAL_PURCHASE_TOKEN UNREPORTED"])
}

private func seeReports(in store: SandboxStore) throws {
    #expect(store.externalPurchaseTokens.map(\.status) == [nil, nil])
    #expect(store.externalPurchaseReports.isEmpty)
}

private func bind(in store: SandboxStore) async throws {
    store.externalPurchases.paymentBinding = .bound
    try await PaymentMethodBinding(id: "carrier").bind()
    #expect(try store.account.boundPaymentMethods == ["carrier"])
}
