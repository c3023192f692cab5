import Foundation
import StoreCore
import StoreRemote
import StoreServer
import Testing

/// Servers that answer otherwise than a store for devices does.
@Suite(.server) struct ForeignServerTests {
    private let token: DeviceToken

    init() throws { token = try SandboxStore(products: RemoteShop.products).device.makeToken() }

    /// Serves greetings with a heartbeat, and everything else by a body.
    private func server(
        heartbeat: Double = 5,
        greetings: Locked<Int> = Locked(0),
        _ body: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws -> HTTPServer {
        let welcome = Welcome(version: 1, heartbeat: heartbeat, status: DeviceStatus(), receipt: nil)
        let json = try JSONEncoder().encode(welcome)
        return try HTTPServer { request in
            guard request.path.last == DeviceCall.hello.rawValue else { return body(request) }
            greetings.withLock { $0 += 1 }
            return HTTPResponse(json: json)
        }
    }

    private func remote(_ server: HTTPServer) throws -> RemoteStore {
        RemoteStore(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/")), token: token)
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
        let backend = remote.asStoreBackend()
        let receiver = Receiver()
        backend.connect(receiver, after: nil)
        await receiver.waitForLoss()
        #expect(receiver.losses[0].reason.contains("302"))
        #expect(asked.withLock { $0 } == 0)
    }

    @Test func `A stream that is refused for its version has the versions compared again`() async throws {
        let greetings = Locked(0)
        let other = VersionRange(oldest: 2, newest: 2)
        let refusal = try JSONEncoder().encode(StoreFailure.otherVersion(of: other, here: DeviceProtocol.versions))
        let server = try server(greetings: greetings) { _ in HTTPResponse(426, json: refusal) }
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
        let greetings = Locked(0)
        let server = try server(greetings: greetings) { _ in HTTPResponse(404) }
        defer { server.stop() }
        let proxy = try FaultyProxy(to: Int(server.port))
        defer { proxy.stop() }
        let remote = RemoteStore(url: proxy.url, token: token)
        try await remote.prepare()
        #expect(proxy.connections == 1)
        let backend = remote.asStoreBackend()
        let receiver = Receiver()
        backend.connect(receiver, after: nil)
        await receiver.waitForLoss()
        #expect(receiver.losses[0].reason.contains("404"))
        #expect(proxy.connections == 2)
        #expect(greetings.withLock { $0 } == 2)
    }

    /// Returns a body that is longer than anything that is read, and no end of a line.
    ///
    /// It stops at 512 MiB: a device that reads on waits there, and keeps no more.
    private func longBody() -> HTTPStream {
        let pieces = Locked(0)
        return HTTPStream {
            let count = pieces.withLock { count in
                count += 1
                return count
            }
            return count <= 512 ? Data(count: 1 << 20) : nil
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
        #expect(failure?.reason.hasSuffix("gave an answer that is too long") == true)
        #expect(try await remote.products([]).products.isEmpty)
    }

    @Test func `A line of a stream that does not end is given up`() async throws {
        let server = try server { _ in HTTPResponse(stream: longBody()) }
        defer { server.stop() }
        let backend = try remote(server).asStoreBackend()
        let receiver = Receiver()
        backend.connect(receiver, after: nil)
        await receiver.waitForLoss()
        #expect(receiver.losses[0].reason.hasSuffix("cannot be read"))
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
        #expect(
            requests.withLock { $0.map { String(decoding: $0.body, as: UTF8.self) } } == [
                "[\"sword\"]", "[\"castle\"]",
            ]
        )
        #expect(requests.withLock { $0.allSatisfy { $0.headers["cookie"] == nil } })
    }

    @Test(arguments: [0, -1, 1e-9, 1e300]) func `A heartbeat that makes no sense is not taken`(
        heartbeat: Double
    ) async throws {
        let server = try server(heartbeat: heartbeat) { _ in HTTPResponse(404) }
        defer { server.stop() }
        let remote = try remote(server)
        let failure = await #expect(throws: StoreFailure.self) { try await remote.prepare() }
        #expect(failure?.code == URLError.Code.cannotParseResponse.rawValue)
    }
}
