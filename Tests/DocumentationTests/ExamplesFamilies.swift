// The code of the article about family sharing, compiled and run.
import Foundation
import StoreCore
import Testing

@Test func `A family shares what it buys`() throws {
    let store = try SandboxStore(products: [
        .nonConsumable("album", price: "3.99", isFamilyShareable: true),
        .autoRenewable("tv", price: "9.99", period: .init(1, .month), group: "tv", isFamilyShareable: true),
    ])
    let anna = store.account
    let bob = try store.addAccount("bob")

    let family = try store.addFamily("smiths", organizer: store.account)
    try family.add(bob)

    let queue = SKPaymentQueue(backend: try store.addDevice("tablet", signedInTo: bob), delivery: .inline)
    let till = Till()
    queue.add(till)

    try anna.buy("album")
    #expect(till.delivered == ["album"])
    let entitlement = try #require(bob.entitlements.first)
    #expect(entitlement.sharedBy == anna.name)
    #expect(try bob.totalCharged == 0)

    let tv = try anna.buy("tv")
    #expect(till.delivered == ["album", "tv"])
    try store.refund(tv)
    #expect(bob.entitlements.map(\.productIdentifier) == ["album"])

    try family.remove(bob)
    #expect(bob.entitlements.isEmpty)
    #expect(bob.family == nil)

    let carol = try store.addAccount("carol")
    try family.add(carol)
    let phone = SKPaymentQueue(backend: try store.addDevice("phone", signedInTo: carol), delivery: .inline)
    let other = Till()
    phone.add(other)
    #expect(other.delivered.isEmpty)
    phone.restoreCompletedTransactions()
    #expect(other.delivered == ["album"])

    try anna.setSharesPurchases(false)
    #expect(carol.entitlements.isEmpty)
}
