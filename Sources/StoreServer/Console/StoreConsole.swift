import Foundation
import StoreCore
import StoreScenario

/// The service for a page, at the paths below `/console`, that shows and operates a store in a browser.
package final class StoreConsole: Sendable {
    private let gate: ConsoleGuard
    private let reader: ConsoleReader
    private let transactions: ConsoleTransactions
    private let acts: ConsoleActs
    private let events: ConsoleEvents

    /// Creates the console of a store.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - view: a view of the store.
    ///   - host: the address that the server listens on.
    ///   - performer: the performer of operator actions; nil for a new one that saves no settings.
    ///   - minimumLines: the minimum number of timeline lines that are retained.
    ///   - isSecure: whether the console is served over TLS.
    ///   - maximumListeners: the maximum number of pages that receive events at the same time.
    ///   - heartbeat: the interval between two `beat` events, in seconds.
    /// - Throws: ``StoreServerError`` for an address that other machines can reach.
    package init(
        _ store: SandboxStore,
        view: ServerView,
        host: String = "127.0.0.1",
        performer: ConsolePerformer? = nil,
        minimumLines: Int = 1000,
        isSecure: Bool = false,
        maximumListeners: Int = 32,
        heartbeat: TimeInterval = 5
    ) throws(StoreServerError) {
        guard ConsoleGuard.isLoopback(host) else {
            throw StoreServerError(
                "the page for browsers is served to this machine only, and \(host) is reached by others"
            )
        }
        gate = ConsoleGuard(host: host, isSecure: isSecure)
        let chronicle = StoreChronicle(store, minimumLines: minimumLines)
        events = ConsoleEvents(chronicle, store.clock, maximumListeners: maximumListeners, heartbeat: heartbeat)
        reader = ConsoleReader(store, view, chronicle)
        transactions = ConsoleTransactions(store, view, chronicle)
        acts = ConsoleActs(performer ?? ConsolePerformer(ScenarioPerformer(store: store)))
        view.follow(events)
    }

    /// The token that actions require.
    package var token: String { gate.token }

    /// Returns the response to a request below `/console`, which may have any content.
    package func respond(to request: HTTPRequest) -> HTTPResponse {
        var response = gate.objection(to: request).map { Self.failure(403, $0) } ?? answer(request)
        response.headers.merge(Self.headers) { $1 }
        return response
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let path = Array(request.path.dropFirst())
        let isAct = path == ["act"]
        guard request.method == (isAct ? "POST" : "GET") else {
            var response = Self.failure(405, "the method here is \(isAct ? "POST" : "GET")")
            response.headers["Allow"] = isAct ? "POST" : "GET"
            return response
        }
        do {
            switch (path.first, path.count) {
            case (nil, _): return Self.file(PackageResources.console_html, "text/html")
            case ("page.css", 1): return Self.file(PackageResources.console_css, "text/css")
            case ("page.js", 1): return Self.file(PackageResources.console_js, "text/javascript")
            case ("commands", 1): return HTTPResponse(json: .array(ScenarioCommand.all.map(\.json)))
            case ("state", 1): return HTTPResponse(json: try reader.state(for: request, mayAct: gate.hasToken(request)))
            case ("events", 1): return listen(request)
            case ("transaction", 2):
                return try transactions.details(of: path[1]).map { HTTPResponse(json: $0) } ?? Self.absent
            case ("act", 1):
                guard gate.hasToken(request) else { return Self.failure(403, Self.tokenAdvice) }
                return acts.perform(request.body)
            default: return Self.absent
            }
        } catch {
            return Self.failure(500, "\(error)")
        }
    }

    private func listen(_ request: HTTPRequest) -> HTTPResponse {
        let last = request.query.first { $0.name == "after" }?.value ?? request.headers["last-event-id"]
        do {
            guard let stream = try events.listen(after: last) else {
                return Self.failure(503, "too many pages listen already; close one")
            }
            return HTTPResponse(headers: ["Content-Type": "text/event-stream"], stream: stream)
        } catch {
            return Self.failure(500, "\(error)")
        }
    }

    private static let tokenAdvice =
        "acts need the token that the server printed when it started; open the page by that address"
    private static let absent = failure(404, "there is nothing here")

    private static let headers = [
        "Content-Security-Policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
        "Cross-Origin-Resource-Policy": "same-origin",
    ]

    private static func file(_ bytes: [UInt8], _ type: String) -> HTTPResponse {
        HTTPResponse(200, headers: ["Content-Type": "\(type); charset=utf-8"], body: Data(bytes))
    }

    /// Returns an error response with a sentence.
    static func failure(_ status: Int, _ sentence: String) -> HTTPResponse {
        HTTPResponse(status, json: ["error": .string(sentence)])
    }
}

/// A performer of operator actions, with a closure that saves the settings and the time, which no ledger stores.
package struct ConsolePerformer: Sendable {
    let performer: ScenarioPerformer
    let keep: @Sendable () throws -> Void

    /// Creates a performer.
    ///
    /// - Parameters:
    ///   - performer: the performer, whose ``ScenarioPerformer/settings`` are saved.
    ///   - keep: the closure, which is called after each action, one call at a time. If it throws an error, the action
    ///     is not undone; the error's description has to say so in a sentence, and name what will be lost.
    package init(_ performer: ScenarioPerformer, keep: @escaping @Sendable () throws -> Void = {}) {
        (self.performer, self.keep) = (performer, keep)
    }
}

extension HTTPResponse {
    /// Creates a response with JSON.
    init(_ status: Int = 200, json: JSONValue) { self.init(status, json: json.data) }
}

extension JSONValue {
    /// The UTF-8 encoding of the value, in one line.
    var data: Data { Data(encoded.utf8) }

    /// Truncates a text, or each text in an object, that is too long for a page.
    func shortened(to limit: Int) -> JSONValue {
        switch self {
        case .string(let text): .string(text.shortened(to: limit))
        case .object(let members): .object(members.map { Member(key: $0.key, value: $0.value.shortened(to: limit)) })
        default: self
        }
    }
}

extension String {
    /// Truncates a text that is too long for a page.
    ///
    /// - Parameter limit: the maximum UTF-8 length of a text that stays unchanged, and the number of characters that
    ///   remain of a longer text.
    /// - Returns: the text, or its beginning followed by the number of omitted characters.
    func shortened(to limit: Int = 1 << 17) -> String {
        guard utf8.count > limit else { return self }
        return "\(prefix(limit))… (\(dropFirst(limit).count) more characters)"
    }
}
