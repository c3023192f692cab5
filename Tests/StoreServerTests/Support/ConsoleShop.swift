import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// A shop and its page for browsers, asked without any network.
struct ConsoleShop {
    /// A bundle of two of the shop's subscriptions, which it does not sell unless a test registers it.
    static let bundle = SandboxProduct.subscriptionBundle(
        "both",
        price: "12.99",
        period: .monthly,
        group: "bundles",
        members: ["gold", "weekly"]
    )

    let shop: Shop
    let control: StoreControl
    let console: StoreConsole
    let outbox: NotificationOutbox

    /// Creates one; with a transport, its notifications are sent to a server.
    init(
        _ shop: Shop? = nil,
        performer: ControlPerformer? = nil,
        transport: (any NotificationTransport)? = nil,
        minimumLines: Int = 1000,
        maximumListeners: Int = 32,
        heartbeat: TimeInterval = 3600
    ) throws {
        self.shop = try shop ?? Shop()
        let view = ServerView(self.shop.store)
        if transport != nil { try view.beginNotifications() }
        outbox = NotificationOutbox(
            view,
            url: transport.flatMap { _ in URL(string: "http://user:password@receiver/path?key=secret") },
            transport: transport ?? URLSessionTransport(),
            log: .silent
        )
        outbox.start()
        let gate = try ControlGuard()
        control = StoreControl(
            self.shop.store,
            view: view,
            gate: gate,
            stores: TestStores(besides: self.shop.store, StoreServer.Configuration(), gate: gate),
            performer: performer,
            outbox: outbox,
            minimumLines: minimumLines,
            maximumListeners: maximumListeners,
            heartbeat: heartbeat
        )
        console = StoreConsole(control)
    }

    /// The headers of the page's own script.
    var headers: [String: String] {
        ["Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080", "Authorization": "Bearer \(control.token)"]
    }

    func respond(
        _ method: String = "GET",
        _ path: String,
        headers: [String: String]? = nil,
        body: Data = Data()
    ) -> HTTPResponse {
        console.respond(to: HTTPRequest(method, "/console\(path)", headers: headers ?? self.headers, body: body))
    }

    func ask(_ path: String, headers: [String: String]? = nil) throws -> JSON {
        try JSON(data: respond("GET", path, headers: headers).body)
    }

    /// Asks the control interface; the path begins after `/control/v1`.
    func ask(
        _ method: String,
        _ path: String,
        headers: [String: String] = [:],
        _ body: String = ""
    ) throws -> (status: Int, json: JSON) {
        let headers = self.headers.merging(headers) { $1 }
        let request = HTTPRequest(method, "/control/v1\(path)", headers: headers, body: Data(body.utf8))
        let response = control.respond(to: request, request.path.dropFirst())
        return (response.status, try JSON(data: response.body))
    }

    /// Performs a line, and returns the status and the JSON.
    func act(_ line: String, headers: [String: String]? = nil) throws -> (status: Int, json: JSON) {
        let body = try JSONEncoder().encode(["line": line])
        let request = HTTPRequest("POST", "/control/v1/commands", headers: headers ?? self.headers, body: body)
        let response = control.respond(to: request, request.path.dropFirst())
        return (response.status, try JSON(data: response.body))
    }

    func buy(_ product: String) throws { try perform("buy \(product)") }

    /// Performs lines, none of which is refused, each with all that it causes.
    func perform(_ lines: String...) throws { try perform(lines) }

    func perform(_ lines: [String]) throws {
        for line in lines {
            let (status, json) = try act(line)
            try #require(status == 200, "\(line): \(json)")
            // Until notifications have been sent.
            shop.store.settle()
        }
    }

    /// Listens to the timeline; nil if too many do.
    func listen(after place: String? = nil) -> Listener? {
        respond("GET", "/events" + (place.map { "?after=\($0)" } ?? "")).stream.map(Listener.init)
    }

    /// A page that listens.
    final class Listener {
        let stream: HTTPStream

        init(_ stream: HTTPStream) { self.stream = stream }

        /// Waits for an event whose text has some words, for a minute, and returns everything up to it.
        func hear(_ words: String) -> String {
            var heard = ""
            // What may be the beginning of the words: beats go on, and hearing them must not take longer and longer.
            var end = ""
            let patience = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < patience {
                let bell = DispatchSemaphore(value: 0)
                switch stream.read(atMost: 1 << 20, sleep: { { bell.signal() } }) {
                case .bytes(let bytes):
                    let text = String(decoding: bytes, as: UTF8.self)
                    heard += text
                    if (end + text).contains(words) { return heard }
                    end = String((end + text).suffix(words.count))
                case .nothing: guard bell.wait(timeout: .now() + 60) == .success else { return heard }
                case .end: return heard
                }
            }
            return heard
        }

        /// The places of the lines in some events.
        static func places(in events: String) -> [String] {
            events.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
        }
    }
}
