import Foundation
import StoreCore
import StoreScenario

/// The service at `/control/v1`, with which tests in any language operate a store and read what happened.
///
/// Its responses are JSON. ``ControlRoute`` and the commands of scenarios are all that it does, and what
/// ``ControlDescription`` describes.
package final class StoreControl: Sendable {
    let gate: ControlGuard
    let reader: ControlReader
    let commands: ControlCommands
    let events: ControlEvents
    let settings: ServerSettings
    let stores: (any ControlledStores)?
    let outbox: NotificationOutbox
    let realtime: RealtimeClient

    /// Creates the control interface of a store.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - view: a view of the store.
    ///   - gate: the access rules.
    ///   - settings: the settings of the store's servers.
    ///   - stores: the stores that tests open; nil if they cannot be opened here.
    ///   - performer: the performer of commands; nil for a new one that saves no settings.
    ///   - outbox: the sender of notifications; nil for one that sends nothing.
    ///   - requests: the log of requests; nil for a new one.
    ///   - realtime: the client of the app's server that chooses retention messages; nil for a new one.
    ///   - minimumLines: the minimum number of timeline lines that are retained.
    ///   - maximumListeners: the maximum number of clients that receive events at the same time.
    ///   - heartbeat: the interval between two `beat` events, in seconds.
    package init(
        _ store: SandboxStore,
        view: ServerView,
        gate: ControlGuard,
        settings: ServerSettings = ServerSettings(),
        stores: (any ControlledStores)? = nil,
        performer: ControlPerformer? = nil,
        outbox: NotificationOutbox? = nil,
        requests: RequestLog? = nil,
        realtime: RealtimeClient? = nil,
        minimumLines: Int = 1000,
        maximumListeners: Int = 32,
        heartbeat: TimeInterval = 5
    ) {
        (self.gate, self.settings, self.stores) = (gate, settings, stores)
        let chronicle = StoreChronicle(store, minimumLines: minimumLines)
        events = ControlEvents(chronicle, view, maximumListeners: maximumListeners, heartbeat: heartbeat)
        self.realtime = realtime ?? RealtimeClient(view)
        self.outbox =
            outbox ?? NotificationOutbox(view, url: nil, transport: URLSessionTransport(), log: .silent)
        reader = ControlReader(
            store: store,
            view: view,
            chronicle: chronicle,
            requests: requests ?? RequestLog(store.clock),
            deliveries: self.outbox.deliveries
        )
        commands = ControlCommands(performer ?? ControlPerformer(ScenarioPerformer(store: store)))
        view.follow(events)
    }

    /// The token that requests require.
    package var token: String { gate.token }

    /// The log of the requests that the App Store's servers answer.
    package var requests: RequestLog { reader.requests }

    /// The stores that tests open.
    var testStores: any ControlledStores {
        get throws(ControlFailure) {
            guard let stores else {
                throw ControlFailure(.absent, "stores are opened by the control interface of the server's own store")
            }
            return stores
        }
    }

    /// Returns the response to a request, which may have any content.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - path: the parts of the request's path after `/control`.
    /// - Returns: the response.
    package func respond(to request: HTTPRequest, _ path: some Collection<String>) -> HTTPResponse {
        var response: HTTPResponse
        do {
            response = try answer(request, Array(path))
        } catch let failure as ControlFailure {
            response = failure.response
        } catch {
            response = ControlFailure(.failed, "\(error)").response
        }
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
    }

    private func answer(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        if let objection = gate.objection(to: request) { throw ControlFailure(.foreign, objection) }
        guard gate.hasToken(request) else { throw ControlFailure(.unauthorized, Self.tokenAdvice) }
        guard path.first == "v1" else { throw Self.absent }
        let path = Array(path.dropFirst())
        let routes = ControlRoute.all.filter { $0.values(in: path) != nil }
        guard !routes.isEmpty else { throw Self.absent }
        guard let route = routes.first(where: { $0.method == request.method }) else {
            throw Self.wrongMethod(routes.map(\.method))
        }
        let query = try ControlQuery(request, route.query)
        return try route.answer(self, .init(http: request, values: route.values(in: path) ?? [], query: query))
    }

    /// Performs a command; the response is text for a client that accepts only text.
    func perform(_ request: ControlRoute.Request, name: String?) throws(ControlFailure) -> HTTPResponse {
        let answer = try commands.perform(request.http, name: name)
        guard request.http.headers["accept"] == "text/plain" else { return HTTPResponse(json: Data(answer.json.utf8)) }
        var headers = ["Content-Type": "text/plain; charset=utf-8"]
        // The line of the text that names a table's columns, for a client that folds or emphasizes it.
        headers["Table-Header-Line"] = answer.headerLine.map { "\($0)" }
        // Ends with a newline, as the command line's output does.
        return HTTPResponse(200, headers: headers, body: Data("\(answer.text)\n".utf8))
    }

    /// Opens a stream of events, as ``ControlEvents`` describes them.
    func listen(_ request: HTTPRequest) throws -> HTTPResponse {
        let last = request.query.first { $0.name == "after" }?.value ?? request.headers["last-event-id"]
        guard let stream = try events.listen(after: last) else {
            throw ControlFailure(.busy, "too many clients listen already; close one")
        }
        return HTTPResponse(headers: ["Content-Type": "text/event-stream"], stream: stream)
    }

    static let tokenAdvice =
        "a request needs the header \"Authorization: Bearer TOKEN\", with the token of the running server"
    private static let absent =
        ControlFailure(.absent, "there is nothing here; GET /control/v1/openapi.json describes what there is")

    private static func wrongMethod(_ methods: [String]) -> ControlFailure {
        let allowed = methods.joined(separator: ", ")
        return ControlFailure(.method, "the method here is \(methods.joined(separator: " or "))", allowed: allowed)
    }
}

extension HTTPResponse {
    /// Creates a response with JSON.
    init(_ status: Int = 200, json: JSONValue) { self.init(status, json: json.data) }
}

/// The stores that tests open and close by a control interface.
package protocol ControlledStores: Sendable {
    /// Opens the store that a request describes.
    ///
    /// - Returns: the store's addresses and keys.
    /// - Throws: ``ControlFailure`` for an invalid description, and for a store that cannot be opened.
    func open(_ request: HTTPRequest) throws(ControlFailure) -> JSONValue

    /// Closes a store, whose addresses then have nothing.
    ///
    /// - Returns: whether there was one.
    func close(_ name: String) -> Bool

    /// The stores that are open, with their times.
    var rows: [JSONValue] { get }
}
