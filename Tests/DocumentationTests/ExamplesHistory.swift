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
    let article = try Document("Sources/StoreCore/StoreCore.docc/Articles/WhatHappened.md")
    let shown = try #require(article.fences.first { $0.language == "text" }).lines
    // The store's time begins with the first second of 2025.
    #expect(try store.timeline.description.split(separator: "\n").map(String.init) == shown)

    store.tracesDeliveries = true
    queue.add(SKPayment(productIdentifier: "sword"))
    queue.settle()
    #expect(try store.timeline.entries(about: "3").map(\.what).contains("told: purchased"))

    Attachment.record(try store.timeline.description, named: "timeline.txt")

    Attachment.record(try store.timeline.html, named: "timeline.html")

    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try store.timeline.svg.write(to: folder.appending(path: "timeline.svg"), atomically: true, encoding: .utf8)

    let timeline = try store.timeline
    for link in timeline.links where timeline.entries[link.target].kind == .finish {
        print(timeline.entries[link.source].what, "before", timeline.entries[link.target].what)
    }

    #expect(store.account.entitlements.isEmpty)
    #expect(try store.account.totalCharged == 1.98)
    #expect(try store.account.charges.map(\.productIdentifier) == ["sword", "sword"])
    #expect(try store.device.unfinished.isEmpty)
    #expect(try store.transactions.count == 3)
    #expect(try store.chain(of: "1").map(\.id) == ["1"])
}
