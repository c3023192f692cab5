import Foundation
import StoreCore
import StoreServer
import TestSupport
import Testing

/// The streams of updates that devices elsewhere have open.
@Suite(.fewAtATime, .microHTTPD, .libcrypto, .timeLimit(.minutes(20))) struct DeviceStreamTests {
    @Test func `A signer that takes its time keeps no other stream from its signs of life`() throws {
        let signer = GatedSigner()
        let store = try SandboxStore(products: Shop.products, clock: SystemClock(), signer: signer)
        try store.account.buy("sword")
        var configuration = StoreServer.Configuration()
        configuration.heartbeat = 0.05
        let server = try StoreServer(store, configuration: configuration)
        let token = try store.device.makeToken()
        func listen(_ query: String) throws -> Client {
            let client = try Client(port: try #require(server.url.port))
            let target = "/device/2/updates?journal=0123456789abcdef\(query)"
            client.send("GET \(target) HTTP/1.0\r\nHost: h\r\nAuthorization: Bearer \(token.text)\r\n\r\n")
            return client
        }
        signer.close()
        defer { signer.open() }
        // Behind it, as the server's threads take new connections while they have nothing to do.
        let waiting = try listen("&receipts=true")
        signer.waitForArrival()
        let living = try listen("")
        for _ in 1...3 { #expect(living.read(until: "{}\n")) }
        withExtendedLifetime(waiting) {}
    }

    @Test func `Of streams that begin together, a token has no more than it may`() throws {
        let store = try SandboxStore(products: Shop.products)
        let token = try store.device.makeToken()
        var limits = DeviceService.Limits()
        limits.streams = 1
        for _ in 0..<1000 {
            let service = DeviceService(store, limits: limits)
            let streams = Locked<[HTTPStream]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                let headers = ["Authorization": "Bearer \(token.text)"]
                let request = HTTPRequest("GET", "/2/updates?journal=000000000000000\(number)", headers: headers)
                let response = service.respond(to: request, request.path[...])
                if let stream = response.stream { streams.withLock { $0.append(stream) } }
            }
            #expect(streams.withLock { $0.count } == 1)
        }
    }
}

/// A signer that keeps whoever signs waiting while its gate is closed, as one on another machine may.
private final class GatedSigner: ReceiptSigner {
    private let signer = HMACReceiptSigner()
    private let condition = NSCondition()
    private let state = Locked((isClosed: false, hasArrived: false))

    var environment: String { signer.environment }
    var signatureVersion: UInt8 { signer.signatureVersion }
    var signatureLength: Int { signer.signatureLength }

    func close() { change { $0.isClosed = true } }
    func open() { change { $0.isClosed = false } }

    /// Waits until somebody is at the closed gate.
    func waitForArrival() { wait { $0.hasArrived } }

    func sign(_ message: Data) -> Data {
        change { $0.hasArrived = $0.isClosed }
        wait { !$0.isClosed }
        return signer.sign(message)
    }

    func isValid(signature: Data, for message: Data) -> Bool { signer.isValid(signature: signature, for: message) }

    private func change(_ body: (inout (isClosed: Bool, hasArrived: Bool)) -> Void) {
        condition.withLock {
            state.withLock { body(&$0) }
            condition.broadcast()
        }
    }

    private func wait(until isSo: ((isClosed: Bool, hasArrived: Bool)) -> Bool) {
        condition.withLock { while !state.withLock({ isSo($0) }) { condition.wait() } }
    }
}
