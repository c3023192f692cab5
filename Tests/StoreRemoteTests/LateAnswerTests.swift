import Foundation
import StoreCore
import StoreRemote
import TestSupport
import Testing

/// Answers and lines that come after newer ones.
@Suite(.fewAtATime, .server, .timeLimit(.minutes(20))) struct LateAnswerTests {
    private let server: ScriptedServer
    private var remote: RemoteStore { server.remote }
    private let old = Data("old".utf8)
    private let new = Data("new".utf8)

    init() throws { server = try ScriptedServer() }

    @Test func `A look-up that a change has overtaken says nothing of what sells`() async throws {
        server.answer(.products) { server in
            server.sendChangeFirst { _ in }
            return ProductsAnswer(products: [], invalidIdentifiers: ["sword"])
        }
        _ = try await remote.products(["sword"])
        #expect(remote.sells("sword") == nil)
        server.answer(.products) { _ in ProductsAnswer(products: [], invalidIdentifiers: ["sword"]) }
        _ = try await remote.products(["sword"])
        #expect(remote.sells("sword") == false)
    }

    @Test func `A refreshed receipt that a stream has overtaken does not replace the newer one`() async throws {
        server.answer(.refreshReceipt) { [old, new] server in
            server.sendChangeFirst { $0.receipt = ReceiptUpdate(new, position: 2) }
            return ReceiptUpdate(old, position: 1)
        }
        try await remote.refreshReceipt(ReceiptProperties())
        #expect(remote.appReceipt == new)
    }

    @Test func `A refreshed receipt is not replaced by an older one of the stream`() async throws {
        await server.sendChange { $0.receipt = ReceiptUpdate(old, position: 1) }
        server.answer(.refreshReceipt) { [new] _ in ReceiptUpdate(new, position: 3) }
        try await remote.refreshReceipt(ReceiptProperties())
        await server.sendChange { $0.receipt = ReceiptUpdate(old, position: 2) }
        #expect(remote.appReceipt == new)
        await server.sendChange { $0.receipt = ReceiptUpdate(old, position: 3) }
        #expect(remote.appReceipt == old)
    }

    @Test func `After a store has lost records, the receipt is that of the next stream`() async throws {
        await server.sendChange { $0.receipt = ReceiptUpdate(old, position: 9) }
        await server.endStream()
        server.connect(after: nil)
        await server.sendChange { $0.receipt = ReceiptUpdate(new, position: 1) }
        #expect(remote.appReceipt == new)
    }

    @Test func `A change of promotions is not undone by an older status of the stream`() async throws {
        let (mine, others) = (PromotionOverrides(order: ["sword"]), PromotionOverrides(order: ["gold"]))
        // The stream has begun by then.
        await server.sendChange { _ in }
        server.answer(.changePromotion) { _ in PromotionUpdate(mine, position: 3) }
        try await remote.changePromotion(.order(["sword"]))
        await server.sendChange { $0.status = DeviceStatus(canMakePayments: false) }
        #expect(remote.promotionOverrides == mine && !remote.canMakePayments)
        await server.sendChange { $0.status = DeviceStatus(promotionOverrides: others, promotionPosition: 2) }
        #expect(remote.promotionOverrides == mine)
        await server.sendChange { $0.status = DeviceStatus(promotionOverrides: others, promotionPosition: 4) }
        #expect(remote.promotionOverrides == others)
    }

    @Test func `A change of promotions that a stream has overtaken does not undo the newer one`() async throws {
        let newer = PromotionOverrides(order: ["gold"])
        server.answer(.changePromotion) { server in
            server.sendChangeFirst { $0.status = DeviceStatus(promotionOverrides: newer, promotionPosition: 4) }
            return PromotionUpdate(PromotionOverrides(order: ["sword"]), position: 3)
        }
        try await remote.changePromotion(.order(["sword"]))
        #expect(remote.promotionOverrides == newer)
    }

    @Test func `After a store has lost records, promotions are those of the next stream`() async throws {
        // The stream has begun by then.
        await server.sendChange { _ in }
        server.answer(.changePromotion) { _ in PromotionUpdate(PromotionOverrides(order: ["sword"]), position: 9) }
        try await remote.changePromotion(.order(["sword"]))
        await server.endStream()
        server.connect(after: nil)
        await server.sendChange { $0.status = DeviceStatus() }
        #expect(remote.promotionOverrides == PromotionOverrides())
    }

    @Test func `A change of promotions is known where the store does not tell positions`() async throws {
        // The stream has begun by then.
        await server.sendChange { _ in }
        server.answer(.changePromotion) { _ in Nothing() }
        try await remote.changePromotion(.order(["sword"]))
        #expect(remote.promotionOverrides == PromotionOverrides(order: ["sword"]))
        await server.sendChange { $0.status = DeviceStatus() }
        #expect(remote.promotionOverrides == PromotionOverrides())
    }

    @Test func `A late greeting does not replace the status that a stream has told`() async throws {
        var status = DeviceStatus(canMakePayments: true)
        server.greet(with: status)
        status.canMakePayments = false
        await server.sendChange { $0.status = status }
        // Has the next request greet again.
        server.refuse(.synchronize, with: .network(.unsupportedURL, "another version"))
        await #expect(throws: StoreFailure.self) { try await remote.synchronize() }
        try await remote.prepare()
        #expect(!remote.canMakePayments)
    }

    @Test func `A late snapshot brings no receipt of a transaction that is finished`() async throws {
        let finish = StoreCommand(.finish(transaction: "1"), in: server.receiver.journal)
        // The stream has begun by then.
        await server.sendChange { _ in }
        try await remote.submit([finish])
        server.send { line in
            line.batch = UpdateBatch(after: nil, through: UpdateCursor(position: 1), updates: [])
            line.receipts = ["1": old, "2": new]
        }
        await server.receiver.waitForBatches(1)
        #expect(remote.receipt(forTransaction: "1") == nil && remote.receipt(forTransaction: "2") == new)
    }
}
