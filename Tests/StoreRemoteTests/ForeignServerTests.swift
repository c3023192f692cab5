import Foundation
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// Servers that answer otherwise than a store for devices does.
@Suite(.fewAtATime, .server, .timeLimit(.minutes(20))) struct ForeignServerTests {
    private let token: DeviceToken
    /// How often the test's server was greeted.
    private let greetings = Locked(0)

    init() throws { token = try SandboxStore(products: RemoteShop.products).device.makeToken() }

    /// Serves greetings with a heartbeat, which no busy machine exceeds, and everything else by a body.
    private func server(
        version: Int = DeviceProtocol.versions.newest,
        heartbeat: Double = 600,
        _ body: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws -> HTTPServer {
        let json = try JSONEncoder().encode(Welcome(version: version, heartbeat: heartbeat))
        return try HTTPServer { [greetings] request in
            guard request.path.last == DeviceCall.hello.rawValue else { return body(request) }
            greetings.withLock { $0 += 1 }
            return HTTPResponse(json: json)
        }
    }

    private func remote(_ server: HTTPServer, timeout: TimeInterval = 600) throws -> RemoteStore {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        return RemoteStore(url: url, token: token, configuration: .init(timeout: timeout))
    }

    @Test func `No redirection is followed, so that the token goes nowhere else`() async throws {
        let asked = Locked(0)
        let elsewhere = try HTTPServer { _ in
            asked.withLock { $0 += 1 }
            return HTTPResponse(200)
        }
        defer { elsewhere.stop() }
        let place = "http://127.0.0.1:\(elsewhere.port)/"
        let server = try server { _ in HTTPResponse(302, headers: ["Location": place]) }
        defer { server.stop() }
        let remote = try remote(server)
        let failure = await #expect(throws: StoreFailure.self) { try await remote.synchronize() }
        #expect(failure?.reason.contains("302") == true)
        #expect(await remote.loss().reason.contains("302"))
        #expect(asked.withLock { $0 } == 0)
    }

    @Test(arguments: [(1, "update the store's server"), (3, "update the device's software")])
    func `A store that greets in a version that was not offered is refused`(version: Int, advice: String) async throws {
        let server = try server(version: version) { _ in HTTPResponse(404) }
        defer { server.stop() }
        let failure = await #expect(throws: StoreFailure.self) { try await remote(server).prepare() }
        let spoken = VersionRange(oldest: version, newest: version)
        let reason = "the store speaks \(spoken) of the protocol and the device \(DeviceProtocol.versions): \(advice)"
        #expect(failure == .network(.unsupportedURL, reason))
    }

    @Test func `A stream that is refused for its version has the versions compared again`() async throws {
        let other = VersionRange(oldest: 3, newest: 3)
        let refusal = try JSONEncoder().encode(StoreFailure.otherVersion(of: other, here: DeviceProtocol.versions))
        let server = try server { _ in HTTPResponse(426, json: refusal) }
        defer { server.stop() }
        let backend = try remote(server).asStoreBackend()
        for count in 1...2 {
            let receiver = Receiver()
            backend.connect(receiver, after: nil)
            await receiver.waitForLoss()
            #expect(receiver.losses[0].reason.hasSuffix("update the device's software"))
            // One to agree on a version, and one that opens the stream's connection.
            #expect(greetings.withLock { $0 } == 2 * count)
        }
    }

    @Test func `A stream has a connection of its own, on which a greeting has been answered`() async throws {
        let server = try server { _ in HTTPResponse(404) }
        defer { server.stop() }
        let proxy = try FaultyProxy(to: Int(server.port))
        defer { proxy.stop() }
        let remote = RemoteStore(url: proxy.url, token: token)
        try await remote.prepare()
        #expect(proxy.connections == 1)
        #expect(await remote.loss().reason.contains("404"))
        #expect(proxy.connections == 2)
        #expect(greetings.withLock { $0 } == 2)
    }

    /// Returns a body of 512 pieces, each a mebibyte without the end of a line unless given, and then nothing, without an
    /// end; it keeps an object as long as it lasts.
    private func longBody(_ piece: Data = Data(count: 1 << 20), keeping object: (any Sendable)? = nil) -> HTTPStream {
        let pieces = Locked(0)
        return HTTPStream {
            let count = pieces.withLock { count in
                count += 1
                return count
            }
            return withExtendedLifetime(object) { count <= 512 ? piece : nil }
        }
    }

    @Test func `An answer that does not end is given up, and the next request is sent`() async throws {
        let answer = try JSONEncoder().encode(ProductsAnswer(products: []))
        let requests = Locked(0)
        let server = try server { _ in
            let isFirst = requests.withLock { requests in
                requests += 1
                return requests == 1
            }
            return isFirst ? HTTPResponse(stream: longBody()) : HTTPResponse(200, body: answer)
        }
        defer { server.stop() }
        let remote = try remote(server)
        let failure = await #expect(throws: StoreFailure.self) { _ = try await remote.products([]) }
        #expect(failure?.code == URLError.Code.dataLengthExceedsMaximum.rawValue)
        #expect(failure?.reason.hasSuffix("sent more than 64 MiB at a time") == true)
        #expect(try await remote.products([]).products.isEmpty)
    }

    @Test func `A line that does not end has its stream given up`() async throws {
        let server = try server { _ in HTTPResponse(stream: longBody()) }
        defer { server.stop() }
        #expect(try await remote(server).loss().code == URLError.Code.dataLengthExceedsMaximum.rawValue)
    }

    @Test func `A refusal that does not end is the refusal that its status says`() async throws {
        let server = try server { _ in HTTPResponse(404, stream: longBody()) }
        defer { server.stop() }
        #expect(try await remote(server).loss().reason.contains("404"))
    }

    @Test func `A greeting that does not end is given up after three heartbeats`() async throws {
        let json = try JSONEncoder().encode(Welcome(heartbeat: 1))
        let server = try HTTPServer { [greetings] _ in
            let isFirst = greetings.withLock { greetings in
                greetings += 1
                return greetings == 1
            }
            return isFirst ? HTTPResponse(json: json) : HTTPResponse(stream: HTTPStream { Data(count: 1 << 20) })
        }
        defer { server.stop() }
        #expect(try await remote(server).loss().code == URLError.Code.timedOut.rawValue)
        #expect(greetings.withLock { $0 } == 2)
    }

    @Test func `What comes faster than it is handled ends its stream, and is not kept`() async throws {
        var line = UpdateLine()
        line.batch = UpdateBatch(after: nil, through: UpdateCursor(position: 1), updates: [])
        let piece = try JSONEncoder().encode(line) + Data(repeating: 0x20, count: 1 << 20) + Data("\n".utf8)
        let receiver = SlowReceiver()
        let server = try server(heartbeat: 5) { _ in
            HTTPResponse(stream: longBody(piece, keeping: SignalOnRelease(receiver.gate)))
        }
        defer { server.stop() }
        let backend = try remote(server).asStoreBackend()
        backend.connect(receiver, after: nil)
        await receiver.receiver.waitForLoss()
        #expect(receiver.receiver.losses[0].code == URLError.Code.dataLengthExceedsMaximum.rawValue)
        #expect(receiver.receiver.batches.count <= 1)
    }

    @Test func `Downloads that the store keeps waiting keep no purchase waiting`() async throws {
        // As many as a session has connections to a host.
        let count = 6
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let server = try server { request in
            guard request.path.last == DeviceCall.content.rawValue else { return HTTPResponse(json: Data("{}".utf8)) }
            beginning.yield()
            return HTTPResponse(stream: HTTPStream())
        }
        defer { server.stop() }
        let remote = try remote(server, timeout: 30)
        let level = StoreContent(identifier: "level", version: "1.0", length: 1)
        let request = ContentRequest(transaction: "1", productIdentifier: "level", content: level, limit: 1)
        await withTaskGroup { group in
            for _ in 0..<2 * count { group.addTask { _ = try? await remote.content(request) } }
            var downloads = begun.makeAsyncIterator()
            for _ in 0..<count { await downloads.next() }
            await #expect(throws: Never.self) { try await remote.submit([.purchase(of: "sword")]) }
            group.cancelAll()
        }
    }

    @Test func `Each request has its own body, and none has cookies`() async throws {
        let requests = Locked<[HTTPRequest]>([])
        let answer = try JSONEncoder().encode(ProductsAnswer(products: []))
        let server = try server { request in
            requests.withLock { $0.append(request) }
            return HTTPResponse(200, headers: ["Set-Cookie": "a=b; Path=/"], body: answer)
        }
        defer { server.stop() }
        let remote = try remote(server)
        for product in ["sword", "castle"] { _ = try await remote.products([product]) }
        let bodies = requests.withLock { $0.map { String(decoding: $0.body, as: UTF8.self) } }
        #expect(bodies == ["[\"sword\"]", "[\"castle\"]"])
        #expect(requests.withLock { $0.allSatisfy { $0.headers["cookie"] == nil } })
    }

    @Test(arguments: [0, -1, 1e-9, 1e300])
    func `A heartbeat that makes no sense is not taken`(heartbeat: Double) async throws {
        let server = try server(heartbeat: heartbeat) { _ in HTTPResponse(404) }
        defer { server.stop() }
        let remote = try remote(server)
        let failure = await #expect(throws: StoreFailure.self) { try await remote.prepare() }
        #expect(failure?.code == URLError.Code.cannotParseResponse.rawValue)
    }
}

/// A receiver that takes as long as its connection to the server lasts; a minute, if that does not end.
private final class SlowReceiver: StoreUpdateReceiver {
    let receiver = Receiver()
    let gate = DispatchSemaphore(value: 0)

    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        _ = gate.wait(timeout: .now() + 60)
        receiver.receive(batch)
    }

    func connectionLost(_ failure: StoreFailure) { receiver.connectionLost(failure) }
}

private final class SignalOnRelease: Sendable {
    private let gate: DispatchSemaphore
    init(_ gate: DispatchSemaphore) { self.gate = gate }
    deinit { gate.signal() }
}
