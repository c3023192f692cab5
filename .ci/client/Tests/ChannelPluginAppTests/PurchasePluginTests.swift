import ChannelPluginApp
import Foundation
import StoreCore
import StoreKit
import Testing

private struct Device {
    let store: SandboxStore
    let context: StoreContext

    init() throws {
        store = try SandboxStore(products: [
            .consumable("gems", price: "1.99", title: "A bag of gems"),
            .nonConsumable("skins", price: "5.99"),
            .autoRenewable("vip", price: "2.99", period: .monthly, group: "vip"),
        ])
        context = StoreContext(backend: store, delivery: .inline)
    }
}

/// What is left of an answer or an event on the other side of the channel.
private struct Sent: Equatable, Sendable {
    var fields: [String: String] = [:]

    var summary: String { "\(fields["status"] ?? "no status") \(fields["productId"] ?? "nothing")" }
    var transaction: String { fields["transactionId"] ?? "" }

    init(_ dictionary: [String: Any]) {
        for (key, value) in dictionary { fields[key] = "\(value)" }
    }
}

private struct Answer: Sendable {
    var text = "null"
    var rows: [Sent] = []
    var error: String?

    init(_ value: Any?) {
        if let value { text = "\(value)" }
        rows = (value as? [[String: Any]] ?? []).map { Sent($0) }
        error = (value as? PluginError)?.code
    }
}

/// The other half of the plugin.
@MainActor private final class Dart {
    private let plugin = PurchasePlugin()
    private let continuation: AsyncStream<Sent>.Continuation

    init(_ continuation: AsyncStream<Sent>.Continuation, listens: Bool = true) {
        self.continuation = continuation
        plugin.attach()
        if listens { listen() }
    }

    func listen() {
        let continuation = continuation
        plugin.onListen { event in _ = continuation.yield(Sent(event)) }
    }

    func end() { plugin.detach() }

    func call(_ method: String, _ arguments: [String: any Sendable] = [:]) async -> Answer {
        await withCheckedContinuation { (answered: CheckedContinuation<Answer, Never>) in
            plugin.handle(MethodCall(method, arguments: arguments)) { value in
                answered.resume(returning: Answer(value))
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct PurchasePluginTests {
    @Test func `Products are described, and nonsense is refused by a code`() async throws {
        let device = try Device()
        try await device.context.run {
            let (_, continuation) = AsyncStream.makeStream(of: Sent.self)
            let dart = await Dart(continuation)
            let found = await dart.call("queryProducts", ["ids": ["gems", "unicorns"]])
            #expect(found.rows.map { $0.fields["title"] } == ["A bag of gems"])
            #expect(found.rows.map { $0.fields["price"] } == ["$1.99"])
            #expect(found.rows.map { $0.fields["currency"] } == ["USD"])

            #expect(await dart.call("buy", ["id": "unicorns"]).error == "unknown_product")
            #expect(await dart.call("buy").error == "arguments")
            #expect(await dart.call("complete", ["id": "17"]).error == "unknown_transaction")
            #expect(await dart.call("consume").error == "not_implemented")
            device.store.isReachable = false
            #expect(await dart.call("buy", ["id": "gems"]).error != nil)
            let charged = try device.store.account.totalCharged
            #expect(charged == 0)
            await dart.end()
        }
    }

    @Test func `What Dart does not complete is an event of the next launch, also before Dart listens`() async throws {
        let device = try Device()
        try await device.context.run {
            let (events, continuation) = AsyncStream.makeStream(of: Sent.self)
            var next = events.makeAsyncIterator()
            let dart = await Dart(continuation)
            #expect(await dart.call("buy", ["id": "gems", "quantity": 3]).text == "true")
            let bought = try #require(await next.next())
            #expect(bought.summary == "purchased gems")
            #expect(bought.fields["quantity"] == "3")
            await dart.end()

            _ = SKPaymentQueue.default().relaunch()
            let relaunched = await Dart(continuation, listens: false)
            await relaunched.listen()
            let again = try #require(await next.next())
            #expect(again.summary == "purchased gems")
            #expect(again.transaction == bought.transaction)
            #expect(await relaunched.call("complete", ["id": again.transaction]).text == "true")
            let unfinished = try device.store.device.unfinished
            #expect(unfinished.isEmpty)
            await relaunched.end()
        }
    }

    @Test func `Pending is not purchased, and canceled is neither`() async throws {
        let device = try Device()
        try await device.context.run {
            let (events, continuation) = AsyncStream.makeStream(of: Sent.self)
            var next = events.makeAsyncIterator()
            let dart = await Dart(continuation)
            device.store.authorizer = .always(.cancel)
            #expect(await dart.call("buy", ["id": "skins"]).text == "false")
            let canceled = try #require(await next.next())
            #expect(canceled.summary == "canceled skins")

            device.store.authorizer = .always(.askToBuy)
            #expect(await dart.call("buy", ["id": "skins"]).text == "true")
            let pending = try #require(await next.next())
            #expect(pending.summary == "pending skins")
            #expect(await dart.call("owned").text == "[]")

            try device.store.approve(device.store.undecidedRequests[0])
            let approved = try #require(await next.next())
            #expect(approved.summary == "purchased skins")
            #expect(await dart.call("complete", ["id": approved.transaction]).error == nil)
            await dart.end()
        }
    }

    @Test func `A refund is an event, after which nothing is owned`() async throws {
        let device = try Device()
        try await device.context.run {
            let (events, continuation) = AsyncStream.makeStream(of: Sent.self)
            var next = events.makeAsyncIterator()
            let dart = await Dart(continuation)
            _ = await dart.call("buy", ["id": "skins"])
            let bought = try #require(await next.next())
            _ = await dart.call("complete", ["id": bought.transaction])
            #expect(await dart.call("owned").text == "[\"skins\"]")

            try device.store.refund(bought.transaction)
            let refunded = try #require(await next.next())
            #expect(refunded.summary == "revoked skins")
            #expect(refunded.transaction == bought.transaction)
            #expect(await dart.call("owned").text == "[]")
            #expect(await dart.call("restore").text == "0")
            await dart.end()
        }
    }

    @Test func `A renewal has the first purchase as its original, and a later end`() async throws {
        let device = try Device()
        try await device.context.run {
            let (events, continuation) = AsyncStream.makeStream(of: Sent.self)
            var next = events.makeAsyncIterator()
            let dart = await Dart(continuation)
            _ = await dart.call("buy", ["id": "vip"])
            let first = try #require(await next.next())
            _ = await dart.call("complete", ["id": first.transaction])

            device.store.advance(by: .monthly)
            let renewal = try #require(await next.next())
            #expect(renewal.summary == "renewed vip")
            #expect(renewal.fields["originalId"] == first.transaction)
            #expect(renewal.fields["purchasedAt"] == first.fields["expiresAt"])
            _ = await dart.call("complete", ["id": renewal.transaction])

            try device.store.account.setAutoRenew(false, inGroup: "vip")
            device.store.advance(by: .monthly)
            #expect(await dart.call("owned").text == "[]")
            await dart.end()
        }
    }

    @Test func `A new phone restores what lasts`() async throws {
        let device = try Device()
        await device.context.run {
            let (_, continuation) = AsyncStream.makeStream(of: Sent.self)
            let dart = await Dart(continuation)
            for id in ["gems", "skins", "vip"] { _ = await dart.call("buy", ["id": id]) }
            await dart.end()
        }
        let phone = try device.store.addDevice("phone", signedInTo: device.store.account)
        try await StoreContext(backend: phone, delivery: .inline).run {
            let (events, continuation) = AsyncStream.makeStream(of: Sent.self)
            let dart = await Dart(continuation)
            #expect(await dart.call("restore").text == "2")
            await dart.end()
            continuation.finish()
            var restored: [String] = []
            for await event in events { restored.append(event.summary) }
            #expect(restored.sorted() == ["restored skins", "restored vip"])

            try phone.signOut()
            #expect(await dart.call("restore").error == "canceled")
        }
    }
}
