// The code of the article "Accounts and devices", compiled and run.
import Foundation
import StoreCore
import StoreKit
import Testing

@Test func `An account buys on one device and restores on another`() throws {
    let store = try SandboxStore(products: [
        .consumable("sword", price: "0.99"), .nonConsumable("full.game", price: "4.99"),
    ])
    let alice = try store.addAccount("alice")
    let phone = try store.addDevice("phone", signedInTo: alice)
    let tablet = try store.addDevice("tablet", signedInTo: alice)

    let phoneQueue = SKPaymentQueue(backend: phone, delivery: .inline)
    let tabletQueue = SKPaymentQueue(backend: tablet, delivery: .inline)
    let onPhone = Till()
    let onTablet = Till()
    phoneQueue.add(onPhone)
    tabletQueue.add(onTablet)

    phoneQueue.add(SKPayment(productIdentifier: "full.game"))
    #expect(onPhone.delivered == ["full.game"])
    #expect(onTablet.delivered == [])

    tabletQueue.restoreCompletedTransactions()
    #expect(onTablet.delivered == ["full.game"])
    #expect(try alice.totalCharged == Decimal(string: "4.99"))

    try phone.signOut()
    phoneQueue.add(SKPayment(productIdentifier: "sword"))
    #expect((onPhone.errors.last as? SKError)?.code == .clientInvalid)
}

@Test func `A device is the backend of a context`() async throws {
    let store = try SandboxStore(products: [.nonConsumable("full.game", price: "4.99")])
    let alice = try store.addAccount("alice")

    let phone = StoreContext(backend: try store.addDevice("phone", signedInTo: alice), delivery: .inline)
    let tablet = StoreContext(backend: try store.addDevice("tablet", signedInTo: alice), delivery: .inline)

    try await phone.run {
        let game = try #require(try await Product.products(for: ["full.game"]).first)
        guard case .success(let result) = try await game.purchase() else {
            Issue.record("it was not bought")
            return
        }
        await result.unsafePayloadValue.finish()
    }
    #expect(await tablet.run { await productsInUse() } == ["full.game"])
}
