import Foundation
import StoreCore
import StoreCrypto
import StoreScenario

/// The stores in memory that tests open on a server while it runs, each with App Store servers of its own.
///
/// The servers of a store are below `stores/` and the store's identifier. A store is closed on request, and after a time
/// without requests.
package final class TestStores: ControlledStores {
    /// A store that is open.
    private final class Opened: Sendable {
        let served: ServedStore
        let idle: TimeInterval
        private let responder: ResponderName?
        private let use: Locked<Use>

        private struct Use {
            /// The time until which a request was in progress.
            var last: Date
            /// The number of requests in progress.
            var requests = 0
            var isClosed = false
            var streams: [Stream] = []
            var timer: TimerToken?
        }

        /// A response that is still being sent.
        private struct Stream {
            weak var stream: HTTPStream?
        }

        init(_ served: ServedStore, idle: TimeInterval, at now: Date, responder: ResponderName?) {
            (self.served, self.idle, self.responder) = (served, idle, responder)
            use = Locked(Use(last: now))
        }

        /// Returns the response to a request, and notes the use.
        func respond(to request: HTTPRequest, _ clock: any StoreClock) -> HTTPResponse {
            use.withLock { $0.requests += 1 }
            let response = served.respond(to: request)
            let end = clock.now
            let isClosed = use.withLock { use in
                (use.requests, use.last) = (use.requests - 1, end)
                guard let stream = response.stream else { return false }
                use.streams.removeAll { $0.stream?.isFinished ?? true }
                use.streams.append(Stream(stream: stream))
                return use.isClosed
            }
            // The store was closed meanwhile, and nothing else would end the stream.
            if isClosed { response.stream?.finish() }
            return response
        }

        /// Returns the earliest time at which the store may be closed, which is later than `now` while a request is in
        /// progress or a client receives a stream.
        func end(at now: Date) -> Date {
            use.withLock { use in
                if use.requests > 0 || use.streams.contains(where: { $0.stream?.isFinished == false }) {
                    use.last = max(now, use.last)
                }
                return use.last + idle
            }
        }

        func wait(with timer: TimerToken) { use.withLock { $0.timer = timer } }

        func close() {
            let (timer, streams) = use.withLock { use in
                use.isClosed = true
                return (use.timer.take(), use.streams.compactMap(\.stream))
            }
            timer?.cancel()
            for stream in streams { stream.finish() }
            served.stop(waits: false)
        }
    }

    /// The first part of the paths of all stores.
    static let path = "stores"
    /// The maximum number of stores.
    static let limit = 10_000

    /// The server's own store, whose products a store has unless others are given.
    private let template: SandboxStore
    private let configuration: StoreServer.Configuration
    private let gate: ControlGuard
    private let clock: any StoreClock
    private let authority: Locked<CertificateAuthority?>
    private let stores = Locked<[String: Opened]>([:])
    /// Whether no store asks an app's server any longer.
    private let hasStoppedAsking = Locked(false)

    /// Creates an empty set of stores.
    ///
    /// - Parameters:
    ///   - template: the server's own store.
    ///   - configuration: the server's settings.
    ///   - gate: the access rules of all control interfaces of the server.
    ///   - clock: the clock of the time without requests.
    package init(
        besides template: SandboxStore,
        _ configuration: StoreServer.Configuration,
        gate: ControlGuard,
        clock: any StoreClock = SystemClock.shared
    ) {
        var configuration = configuration
        // These belong to the server's own store.
        (configuration.credentials, configuration.controlPerformer) = (nil, nil)
        (self.template, self.configuration, self.gate, self.clock) = (template, configuration, gate, clock)
        authority = Locked(configuration.authority ?? (template.signer as? AppStoreSigner)?.authority)
    }

    /// Returns the response to a request below `stores`, which may have any content.
    package func respond(to request: HTTPRequest) -> HTTPResponse {
        let path = request.path.dropFirst()
        guard let opened = path.first.flatMap({ name in stores.withLock { $0[name] } }) else {
            // Only who has the token is told more than that nothing is there.
            let isControl = path.dropFirst().first == "control" && gate.objection(to: request) == nil
            return isControl && gate.hasToken(request) ? ControlFailure.closedStore.response : HTTPResponse(404)
        }
        var inner = request
        inner.path = Array(path.dropFirst())
        return opened.respond(to: inner, clock)
    }

    // MARK: Opening

    package func open(_ request: HTTPRequest) throws(ControlFailure) -> JSONValue {
        let order = try TestStoreOrder(request)
        let name = UUID().uuidString.lowercased()
        let served: ServedStore
        let authority: CertificateAuthority
        do {
            let clock = ShiftedClock(startingAt: order.time ?? Date(), isRunning: order.isRunning)
            authority = try self.authority(for: order, at: clock.now)
            served = try serve(order, name, clock, authority)
        } catch let failure as ControlFailure {
            throw failure
        } catch {
            throw ControlFailure(.refused, "\(error)")
        }
        let now = clock.now
        let url = gate.url(of: "\(Self.path)/\(name)/", for: request)
        // The certificates of the server's own root name its responder already.
        let responder = order.hasOwnRoot ? URL(string: url + ResponderName.path) : nil
        let opened = Opened(
            served,
            idle: order.idle,
            at: now,
            responder: gate.isSecure ? nil : responder.flatMap { ResponderName($0, in: served.store) }
        )
        let isAdded = stores.withLock { stores in
            guard stores.count < Self.limit else { return false }
            stores[name] = opened
            return true
        }
        guard isAdded else {
            opened.close()
            throw ControlFailure(.busy, "there are \(Self.limit) stores already; close some")
        }
        // The server may have begun to stop after the request had arrived.
        if hasStoppedAsking.withLock({ $0 }) { served.realtime.stop() }
        served.start()
        wait(for: opened, name, until: now + order.idle)
        return description(of: served, name, authority, url)
    }

    private func authority(for order: TestStoreOrder, at now: Date) throws -> CertificateAuthority {
        guard Self.times.contains(now) else {
            throw ControlFailure(
                .invalid,
                "\"time\" is not in the years 1950 to 9999, in which certificates can be valid"
            )
        }
        if order.hasOwnRoot { return try CertificateAuthority(now: .startOfRoots) }
        let shared = try authority.withLock { authority in
            if let authority { return authority }
            let new = try CertificateAuthority(now: .startOfRoots)
            authority = new
            return new
        }
        guard shared.validity.contains(now) else {
            throw ControlFailure(
                .refused,
                "the server's root certificate is not valid at the store's time; ask for another with \"root\": \"own\""
            )
        }
        return shared
    }

    /// The dates on which a root that is new can be valid.
    private static let times = Date.startOfRoots..<Date(timeIntervalSince1970: 253_402_300_800)

    private func serve(
        _ order: TestStoreOrder,
        _ name: String,
        _ clock: ShiftedClock,
        _ authority: CertificateAuthority
    ) throws -> ServedStore {
        let signer = try AppStoreSigner(authority, clock: clock, environment: order.environment)
        let store: SandboxStore
        if let file = order.configuration {
            store = try SandboxStore(
                file,
                clock: clock,
                signer: signer,
                bundleIdentifier: order.bundleIdentifier,
                appAppleIdentifier: order.appAppleIdentifier,
                log: configuration.log
            )
        } else {
            store = try SandboxStore(
                products: order.products ?? template.registeredProducts,
                clock: clock,
                locale: "en_US",
                signer: signer,
                bundleIdentifier: order.bundleIdentifier,
                appAppleIdentifier: order.appAppleIdentifier,
                log: configuration.log
            )
        }
        var configuration = configuration
        configuration.notificationURL = order.notificationURL
        configuration.sharedSecret = order.sharedSecret
        configuration.retries = order.retries
        if let observer = configuration.observer {
            configuration.observer = { observer($0.below("/\(Self.path)/\(name)")) }
        }
        let performer = ScenarioPerformer(store: store)
        if let file = order.configuration { try performer.adopt(file.settings) }
        if let quirks = order.quirks { store.quirks = quirks }
        configuration.controlPerformer = ControlPerformer(performer)
        return try ServedStore(store, configuration, gate: gate)
    }

    private func description(
        of served: ServedStore,
        _ name: String,
        _ authority: CertificateAuthority,
        _ url: String
    ) -> JSONValue {
        let view = ServerView(served.store)
        return [
            "store": .string(name), "url": .string(url), "sandboxURL": .string(url + "sandbox"),
            "productionURL": .string(url + "production"), "control": .string(url + "control/v1"),
            "console": configuration.hasConsole ? .string(url + "console") : .null,
            "bundleIdentifier": .string(view.bundleIdentifier), "environment": .string(view.environment),
            "issuer": .string(served.credentials.issuer), "keyIdentifier": .string(served.credentials.keyIdentifier),
            "privateKey": .string(served.credentials.privateKeyPEM), "root": .string(authority.rootPEM),
            "now": .date(served.store.clock.now),
            "products": .array(served.store.registeredProducts.map { .string($0.identifier) }),
        ]
    }

    // MARK: Closing

    package func close(_ name: String) -> Bool {
        guard let opened = stores.withLock({ $0.removeValue(forKey: name) }) else { return false }
        opened.close()
        return true
    }

    /// Lets no request wait for an app's server any longer, which chooses retention messages.
    func stopAsking() {
        hasStoppedAsking.withLock { $0 = true }
        for opened in stores.withLock({ Array($0.values) }) { opened.served.realtime.stop() }
    }

    /// Closes all stores.
    package func closeAll() {
        let all = stores.withLock { stores in
            defer { stores = [:] }
            return stores.values
        }
        for opened in all { opened.close() }
    }

    package var rows: [JSONValue] {
        stores.withLock { Array($0) }.sorted { $0.key < $1.key }.map { name, opened in
            [
                "store": .string(name), "now": .date(opened.served.store.clock.now),
                "idle": .decimal(Decimal(opened.idle)),
            ]
        }
    }

    private func wait(for opened: Opened, _ name: String, until date: Date) {
        let timer = clock.schedule(at: date) { [weak self, weak opened] in
            guard let self, let opened else { return }
            let now = clock.now
            let end = opened.end(at: now)
            if end <= now { _ = close(name) } else { wait(for: opened, name, until: end) }
        }
        opened.wait(with: timer)
    }
}
