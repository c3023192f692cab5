import Foundation
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// Commands that a store elsewhere will never take, which keep no others waiting.
@Suite(.fewAtATime, .server, .timeLimit(.minutes(20))) struct RefusedCommandTests {
    private func queue(_ shop: RemoteShop, _ shopper: Shopper, _ journal: MemoryJournal) -> SKPaymentQueue {
        let queue = SKPaymentQueue(
            backend: shop.remote().asStoreBackend(),
            journal: journal,
            delivery: .queue(DispatchQueue(label: "callbacks")),
            log: .silent
        )
        queue.add(shopper)
        return queue
    }

    private func long(_ product: String = "sword", bytes: Int = 2 << 20) -> SKPayment {
        let payment = SKMutablePayment(productIdentifier: product)
        payment.requestData = Data(count: bytes)
        return payment
    }

    @Test(arguments: [2 << 20, 12 << 20])
    func `A payment that is too long fails with a sentence, and holds up no other`(bytes: Int) async throws {
        let shop = try RemoteShop()
        let shopper = Shopper(finishes: false)
        let queue = queue(shop, shopper, MemoryJournal())
        queue.add(long(bytes: bytes))
        queue.add(SKPayment(productIdentifier: "castle"))
        await shopper.wait(for: "castle purchased")
        await shopper.wait(for: "sword failed")
        let failed = try #require(queue.transactions.first { $0.transactionState == .failed })
        let error = try #require(failed.error as? SKError)
        #expect(error.code == .paymentInvalid)
        let reason = try #require(error.userInfo[StoreFailure.reasonKey] as? String)
        #expect(reason.contains("the payment for sword") && reason.contains("of at most 1048576"), "\(reason)")
        for transaction in queue.transactions { queue.finishTransaction(transaction) }
        await shopper.wait(for: "sword removed")
        #expect(try shop.store.transactions.map(\.productIdentifier) == ["castle"])
    }

    @Test func `A payment of an earlier launch that is too long fails, and comes once`() async throws {
        let shop = try RemoteShop { $0.maximumBodySize = 8 << 10 }
        let journal = MemoryJournal()
        let opening = journal.open {}
        let payments = [
            StorePayment(productIdentifier: "sword", requestData: Data(count: 9 << 10)),
            StorePayment(productIdentifier: "castle"),
        ]
        journal.record(zip(1..., payments).map { StoreCommand(.purchase($1), in: opening.id, number: $0) })
        let shopper = Shopper()
        let first = queue(shop, shopper, journal)
        await shopper.wait(for: "castle removed")
        await shopper.wait(for: "sword removed")
        #expect(shopper.heard.contains("sword failed"))
        // The removal may be told before the journal has forgotten the payment.
        await first.settle()
        first.remove(shopper)
        let next = Shopper()
        let second = queue(shop, next, journal)
        second.add(SKPayment(productIdentifier: "gift"))
        await next.wait(for: "gift deferred")
        #expect(!next.heard.contains { $0.hasPrefix("sword") })
    }

    /// Submits finishes to a server that answers each request by a body.
    private func submit(
        _ identifiers: [String],
        to answer: @escaping @Sendable ([String]) -> HTTPResponse
    ) async throws -> Result<Void, any Error> {
        let json = try JSONEncoder().encode(Welcome())
        let server = try HTTPServer { request in
            guard request.path.last != DeviceCall.hello.rawValue else { return HTTPResponse(json: json) }
            let commands = try? JSONDecoder().decode([StoreCommand].self, from: request.body)
            let finished = (commands ?? []).map { command in
                if case .finish(let identifier) = command.action { identifier } else { "" }
            }
            return answer(finished)
        }
        defer { server.stop() }
        let token = try SandboxStore(products: RemoteShop.products).device.makeToken()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let remote = RemoteStore(url: url, token: token)
        let commands = zip(1..., identifiers).map { number, identifier in
            StoreCommand(.finish(transaction: identifier), in: JournalID(rawValue: 7), number: number)
        }
        do {
            try await remote.submit(commands)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    @Test func `Of a request that is refused, each command that the store can take is taken, in order`() async throws {
        let taken = Locked<[String]>([])
        let failure = try JSONEncoder().encode(StoreFailure.network(.badServerResponse, "no such thing"))
        let identifiers = (1...20).map { "\($0)" }
        let result = try await submit(identifiers) { commands in
            if commands.contains("7") || commands.contains("13") { return HTTPResponse(400, json: failure) }
            taken.withLock { $0 += commands }
            return HTTPResponse(json: Data("{}".utf8))
        }
        #expect(taken.withLock { $0 } == identifiers.filter { $0 != "7" && $0 != "13" })
        let error = #expect(throws: RefusedCommandsError.self) { try result.get() }
        #expect(error?.commands.map(\.id.number) == [7, 13])
        #expect(error?.commands.first?.failure.reason.contains("no such thing") == true)
    }

    @Test func `A status 413 of whatever stands before the store refuses what is too long alone`() async throws {
        let result = try await submit(["1", String(repeating: "2", count: 5_000), "3"]) { commands in
            let isLong = commands.contains { $0.count > 1_000 }
            return isLong ? HTTPResponse(413, body: Data("<html>".utf8)) : HTTPResponse(json: Data("{}".utf8))
        }
        let error = #expect(throws: RefusedCommandsError.self) { try result.get() }
        #expect(error?.commands.map(\.id.number) == [2])
    }

    @Test(arguments: [400, 401, 403, 404, 408, 422, 426, 429, 500, 502, 503])
    func `What does not come from the store, or may pass, is tried later`(status: Int) async throws {
        let result = try await submit(["1", "2"]) { _ in HTTPResponse(status, body: Data("<html>".utf8)) }
        #expect(throws: StoreFailure.self) { try result.get() }
    }
}
