import Foundation
import StoreContract
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Faults between a served store and its devices, which commands over HTTP cause.
@Suite(.fewAtATime, .server, .timeLimit(.minutes(20))) struct SpoiledDeviceTests {
    private let clock = ManualClock()
    private let shop: RemoteShop

    init() throws { shop = try RemoteShop(clock: clock) { $0.hasControl = true } }

    /// Performs a command as a test in any language does; returns the status and the text of the answer.
    @discardableResult
    private func perform(
        _ line: String,
        in otherShop: RemoteShop? = nil
    ) async throws -> (status: Int, text: String) {
        let server = (otherShop ?? shop).server
        var request = URLRequest(url: try #require(server.controlURL).appending(path: "commands"))
        request.httpMethod = "POST"
        request.setValue("Bearer \(server.controlToken ?? "")", forHTTPHeaderField: "Authorization")
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        request.httpBody = try JSONEncoder().encode(["line": line])
        let (body, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: body, as: UTF8.self))
    }

    /// Submits a command, and returns the code of the failure with which the device is answered; nil for success.
    private func failure(of command: StoreCommand, at url: URL? = nil) async -> Int? {
        do {
            try await shop.remote(at: url).submit([command])
            return nil
        } catch {
            return (error as? StoreFailure)?.code ?? 0
        }
    }

    private var sold: Int { get throws { try shop.store.transactions.count } }

    // MARK: Purchases

    @Test(
        arguments: [
            "drop", "loseAnswer", "duplicate", "reorder", "cut", "timedOut", "delay --after 1h", "echo --after 1h",
            "loseAnswer --at reply", "drop --at reply", "duplicate --at update",
        ]
    )
    func `A purchase is charged and told once, whatever fault it meets`(fault: String) async throws {
        let spoiled = try await perform("spoil \(fault) --times 1")
        #expect(spoiled.status == 200, "\(spoiled)")
        let remote = shop.remote { $0.clock = HastyClock() }
        let shopper = Shopper()
        let delivery = StoreDelivery.queue(DispatchQueue(label: "callbacks"))
        let queue = SKPaymentQueue(backend: remote.asStoreBackend(), journal: MemoryJournal(), delivery: delivery)
        queue.add(shopper)
        queue.add(SKPayment(productIdentifier: "sword"))
        await shopper.wait(for: "sword removed")
        // What is late comes now, and is known already.
        try await perform("advance 1d")
        #expect(try sold == 1)
        #expect(shopper.heard.count { $0 == "sword purchased" } == 1)
        #expect(try await perform("faults").text.split(separator: "\n").count == 2)
        withExtendedLifetime(queue) {}
    }

    @Test func `A dropped command does not reach the store, and does when it comes again`() async throws {
        let order = StoreCommand.purchase(of: "sword")
        #expect(try await perform("spoil drop --times 1").text == "drop at submission: device\n")
        #expect(await failure(of: order) == URLError.timedOut.rawValue)
        #expect(try sold == 0)
        #expect(await failure(of: order) == nil)
        #expect(try sold == 1)
    }

    @Test func `A command whose answer is lost has reached the store, which knows it when it comes again`()
        async throws
    {
        let order = StoreCommand.purchase(of: "sword")
        try await perform("spoil loseAnswer --times 1")
        #expect(await failure(of: order) == URLError.networkConnectionLost.rawValue)
        #expect(try sold == 1)
        #expect(await failure(of: order) == nil)
        #expect(try sold == 1)
    }

    @Test func `A delayed command reaches the store when the store's time has come`() async throws {
        try await perform("spoil delay --after 1h --times 1")
        #expect(await failure(of: .purchase(of: "sword")) == URLError.timedOut.rawValue)
        try await perform("advance 59min")
        #expect(try sold == 0)
        try await perform("advance 1min")
        #expect(try sold == 1)
    }

    @Test func `A delay has exactly its length, also none, while the store's clock runs`() async throws {
        let running = try RemoteShop(clock: SystemClock()) { $0.hasControl = true }
        #expect(try await perform("spoil echo --after 0s --times 1", in: running).status == 200)
        #expect(try await perform("spoil echo --after 30s --times 1", in: running).status == 200)
        for _ in 1...2 { try await running.remote().submit([.purchase(of: "sword")]) }
        let faults = try await perform("faults", in: running).text
        #expect(faults.contains("after 0.0 s") && faults.contains("after 30.0 s"), "\(faults)")
    }

    // MARK: Updates and requests

    @Test func `Updates that are delayed arrive on an open stream when the store's time has come`() async throws {
        try await perform("spoil delay --after 1h --at update --times 1")
        let (remote, receiver) = (shop.remote(), Receiver())
        let backend = remote.asStoreBackend()
        remote.follow(receiver)
        backend.connect(receiver, after: nil)
        // The first line, which would have them.
        await receiver.waitForChange(after: 0)
        #expect(receiver.batches.isEmpty)
        try await perform("advance 1h")
        await receiver.waitForBatches(1)
        backend.disconnect(receiver)
    }

    @Test func `A stream that was open before breaks with the failure that its next update meets`() async throws {
        let (backend, receiver) = await shop.remote().connected()
        try await perform("spoil badServerResponse --at update --times 1")
        try await perform("buy sword")
        await receiver.waitForLoss()
        #expect(receiver.losses.map(\.code) == [URLError.badServerResponse.rawValue])
        #expect(receiver.batches.count == 1)
        withExtendedLifetime(backend) {}
        let (again, next) = await shop.remote().connected()
        await next.waitForPurchase()
        withExtendedLifetime(again) {}
    }

    @Test func `A stream that is never opened breaks after the timeout of the store's clock`() async throws {
        try await perform("spoil drop --at connection --times 1")
        let (remote, receiver) = (shop.remote(), Receiver())
        let backend = remote.asStoreBackend()
        remote.follow(receiver)
        backend.connect(receiver, after: nil)
        await receiver.waitForChange(after: 0)
        try await perform("advance 1min")
        await receiver.waitForLoss()
        #expect(receiver.batches.isEmpty && receiver.losses.map(\.code) == [URLError.timedOut.rawValue])
        withExtendedLifetime(backend) {}
    }

    @Test func `Look-ups, receipts and downloads have faults of their own`() async throws {
        let remote = shop.remote()
        try await perform("spoil notConnectedToInternet --at productsRequest --product sword")
        await #expect(throws: StoreFailure.self) { try await remote.products(["castle", "sword"]) }
        #expect(try await remote.products(["castle"]).products.count == 1)
        try await perform("spoil off")
        #expect(try await remote.products(["sword"]).products.count == 1)
        try await perform("spoil drop --at receiptAnswer --times 1")
        await #expect(throws: StoreFailure.self) { try await remote.refreshReceipt(ReceiptProperties()) }
        try await remote.refreshReceipt(ReceiptProperties())
        try await perform("buy scenery")
        let purchase = try #require(try shop.store.transactions.last)
        let request = ContentRequest(
            transaction: purchase.id,
            productIdentifier: "scenery",
            content: StoreContent(identifier: "scenery", version: "1.0", length: 100),
            limit: 10
        )
        try await perform("spoil networkConnectionLost --at downloadChunk --product scenery --times 1")
        await #expect(throws: StoreFailure.self) { try await remote.content(request) }
        #expect(try await remote.content(request) == Data(0..<10))
    }

    // MARK: Whom it concerns

    @Test func `Faults end by off, by reset, and with the server`() async throws {
        for end in ["spoil off", "spoil off --device device", "reset"] {
            try await perform("spoil drop")
            #expect(await failure(of: .purchase(of: "sword")) == URLError.timedOut.rawValue)
            let other = try StoreServer(shop.store)
            #expect(await failure(of: .purchase(of: "sword"), at: other.url) == nil)
            other.stop()
            #expect(try await perform(end).status == 200)
            #expect(await failure(of: .purchase(of: "sword")) == nil)
        }
    }

    @Test func `A command that is delayed when the server stops is lost`() async throws {
        try await perform("spoil delay --after 1h --times 1")
        #expect(await failure(of: .purchase(of: "sword")) == URLError.timedOut.rawValue)
        shop.server.stop()
        await clock.advance(by: 3600)
        #expect(try sold == 0)
    }

    @Test func `A fault concerns the device, the product, the kind of command and the number that it is given for`()
        async throws
    {
        let phone = try shop.store.addDevice("phone", signedInTo: shop.store.account)
        let token = try phone.makeToken()
        try await perform("spoil drop --device phone")
        #expect(await failure(of: .purchase(of: "sword")) == nil)
        await #expect(throws: StoreFailure.self) {
            try await RemoteStore(url: shop.server.url, token: token).submit([.purchase(of: "sword")])
        }
        try await perform("spoil drop --product castle --of purchases --times 2")
        #expect(await failure(of: .purchase(of: "sword")) == nil)
        #expect(await failure(of: StoreCommand(.finish(transaction: "1"))) == nil)
        for _ in 1...2 { #expect(await failure(of: .purchase(of: "castle")) != nil) }
        #expect(await failure(of: .purchase(of: "castle")) == nil)
    }

    @Test(arguments: [
        ("spoil dorp", "did you mean \"drop\"?"),
        ("spoil lose", "is not off, drop, delay, duplicate, echo, reorder, cut, loseAnswer or the name of a failure"),
        ("spoil drop --at wire", "is not submission, reply, connection, update"),
        ("spoil drop --at storefrontRead", "is not submission, reply, connection, update"),
        ("spoil delay", "spoil delay needs --after, a length of time as in 30s"),
        ("spoil drop --after 1h", "--after is for delay and echo, and not for drop"),
        ("spoil drop --at update --of purchases", "--of is for submission and reply, and not for update"),
        ("spoil drop --at connection --product sword", "--product cannot be given at connection"),
        ("spoil drop --chance 0", "is not a whole number from 1 to 100"),
        ("spoil off --times 1", "spoil off ends all faults, and has no --times"),
        ("spoil drop --product dagger", "is not a product of this store"),
    ])
    func `A command that is wrong is refused with what is right, and changes nothing`(
        line: String,
        reason: String
    ) async throws {
        let answer = try await perform(line)
        #expect(answer.status == 400 || answer.status == 422)
        #expect(answer.text.replacing("\\\"", with: "\"").contains(reason), "\(answer)")
        #expect(await failure(of: .purchase(of: "sword")) == nil)
    }
}
