// The code of the article "What happened?", compiled and run.
import Foundation
import StoreCore
import Testing

@Test func `A store says what happened in it`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "sword"))
    queue.add(SKPayment(productIdentifier: "dragon"))
    queue.settle()
    print(try store.timeline)
    let article = try Document.text("Sources/StoreCore/StoreCore.docc/Articles/WhatHappened.md")
    for line in try store.timeline.description.split(separator: "\n") {
        // The store's time begins with the first second of 2025.
        #expect(article.contains(line), "\(line)")
    }

    store.tracesDeliveries = true
    queue.add(SKPayment(productIdentifier: "sword"))
    queue.settle()
    #expect(try store.timeline.entries(about: "3").map(\.what).contains("told: purchased"))

    Attachment.record(try store.timeline.description, named: "timeline.txt")

    #expect(store.account.entitlements.isEmpty)
    #expect(try store.account.totalCharged == 1.98)
    #expect(try store.account.charges.map(\.productIdentifier) == ["sword", "sword"])
    #expect(try store.device.unfinished.isEmpty)
    #expect(try store.transactions.count == 3)
    #expect(try store.chain(of: "1").map(\.id) == ["1"])
}
