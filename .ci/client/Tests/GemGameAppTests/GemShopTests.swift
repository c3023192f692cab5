import Foundation
import StoreCore
import StoreKit
import StoreSimulator
import Testing

@testable import GemGameApp

@MainActor final class MemorySave: GemSave {
    var deliveries: [String: [UInt64: Int]] = [:]
    var spent = 0

    init() {}
}

/// The save file of a simulated life.
@MainActor final class SimulatedSave: GemSave {
    let storage: AppStorage

    init(_ storage: AppStorage) { self.storage = storage }

    var deliveries: [String: [UInt64: Int]] {
        get { storage["deliveries", default: [:]] }
        set { storage["deliveries"] = newValue }
    }

    var spent: Int {
        get { storage["spent", default: 0] }
        set { storage["spent"] = newValue }
    }
}

let gemPacks: [SandboxProduct] = [
    .consumable("gems.80", price: "0.99", title: "80 gems"),
    .consumable("gems.500", price: "4.99", title: "500 gems"),
]

@Suite(.timeLimit(.minutes(1))) struct GemShopTests {
    let store: SandboxStore
    let context: StoreContext

    init() throws {
        store = try SandboxStore(products: gemPacks)
        context = StoreContext(backend: store, delivery: .inline)
    }

    @Test func `A child's gems come when the parent allows them, and not before`() async throws {
        try store.account.setAsksToBuy(true)
        try await context.run {
            let shop = await GemShop(save: MemorySave())
            var events = shop.events.makeAsyncIterator()
            try await shop.buy("gems.80")
            #expect(await events.next() == .waitsForParent)
            #expect(await shop.gems == 0)

            try store.approve(#require(store.undecidedRequests.first))
            #expect(await events.next() == .credited("gems.80"))
            #expect(await shop.gems == 80)
            #expect(try store.device.unfinished.isEmpty)
            await shop.stop()
        }
    }

    @Test func `Killed before delivery, the gems come with the next launch`() async throws {
        try await context.run {
            let product = try #require(try await Product.products(for: ["gems.500"]).first)
            _ = try await product.purchase()  // and the game is killed
            _ = SKPaymentQueue.default().relaunch()

            let shop = await GemShop(save: MemorySave())
            var events = shop.events.makeAsyncIterator()
            #expect(await events.next() == .credited("gems.500"))
            #expect(await shop.gems == 500)
            #expect(try store.device.unfinished.isEmpty)
            await shop.stop()
        }
    }

    @Test func `Killed between delivery and finish, the gems come once`() async throws {
        try await context.run {
            let product = try #require(try await Product.products(for: ["gems.80"]).first)
            guard case .success(let result) = try await product.purchase() else {
                Issue.record("it was not bought")
                return
            }
            let identifier = result.unsafePayloadValue.id
            let save = await MemorySave()
            await MainActor.run { save.deliveries["gems.80"] = [identifier: 1] }
            _ = SKPaymentQueue.default().relaunch()

            let shop = await GemShop(save: save)
            var events = shop.events.makeAsyncIterator()
            #expect(await events.next() == .alreadyKnown("gems.80"))
            #expect(await shop.gems == 80)
            #expect(try store.device.unfinished.isEmpty)
            await shop.stop()
        }
    }

    @Test func `Refunded gems that were spent are owed`() async throws {
        try await context.run {
            let shop = await GemShop(save: MemorySave())
            var events = shop.events.makeAsyncIterator()
            try await shop.buy("gems.80")
            #expect(await events.next() == .credited("gems.80"))
            try await shop.spend(50)

            let purchase = try #require(store.account.transactions.last)
            try store.refund(purchase.id)
            #expect(await events.next() == .takenBack("gems.80"))
            #expect(await shop.gems == -50)
            await #expect(throws: GemShop.Failure.tooFewGems) { try await shop.spend(1) }
            await shop.stop()
        }
    }

    @Test func `A promoted purchase waits for the end of the level`() async throws {
        try await context.run {
            let shop = await GemShop(save: MemorySave())
            var events = shop.events.makeAsyncIterator()
            await shop.beginLevel()
            try store.device.promote("gems.500")
            #expect(await events.next() == .held("gems.500"))
            #expect(try store.account.totalCharged == 0)

            try await shop.endLevel()
            #expect(await events.next() == .credited("gems.500"))
            #expect(await shop.gems == 500)
            await shop.stop()
        }
    }

    @Test func `Each pack is delivered once in a hundred lives`() async throws {
        try await AppSimulation(products: gemPacks) { launch in
            await GemShop(save: SimulatedSave(launch.storage))
        }
        .action("buy 80") { try await $0.buy("gems.80") }
        .action("buy 500") { try await $0.buy("gems.500") }
        .holds("gems.80") { await $0.packs("gems.80") }
        .holds("gems.500") { await $0.packs("gems.500") }
        .run(runs: 100)
    }
}
