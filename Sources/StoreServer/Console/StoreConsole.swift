import Foundation
import StoreCore
import StoreScenario

/// The service for a page, at the paths below `/console`, that shows and operates a store in a browser.
package final class StoreConsole: Sendable {
    private let control: StoreControl
    private let reader: ConsoleReader
    private let transactions: ConsoleTransactions

    /// Creates the console of a store.
    ///
    /// - Parameter control: the store's control interface, with which the page performs commands.
    package init(_ control: StoreControl) {
        let controlled = control.reader
        self.control = control
        reader = ConsoleReader(control: control)
        transactions = ConsoleTransactions(controlled.store, controlled.view, controlled.chronicle)
        // The story of a transaction includes what devices were told: at least the last 10,000 updates of the store.
        controlled.store.tracesDeliveries = true
    }

    /// Returns the response to a request below `/console`, which may have any content.
    package func respond(to request: HTTPRequest) -> HTTPResponse {
        var response = control.gate.objection(to: request).map { Self.failure(403, $0) } ?? answer(request)
        response.headers.merge(Self.headers) { $1 }
        return response
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let path = Array(request.path.dropFirst())
        guard request.method == "GET" else {
            var response = Self.failure(405, "the method here is GET")
            response.headers["Allow"] = "GET"
            return response
        }
        // The page is the same for every store. What is read from a store needs the token, as does what changes it.
        if path.count < 2, let file = ConsolePage.file(named: path.first) { return file }
        guard control.gate.hasToken(request) else { return Self.failure(401, StoreControl.tokenAdvice) }
        do {
            switch (path.first, path.count) {
            case ("commands", 1): return HTTPResponse(json: .array(ScenarioCommand.all.map(\.json)))
            case ("events", 1): return try control.listen(request)
            case ("transaction", 2):
                return try transactions.details(of: path[1]).map { HTTPResponse(json: $0) } ?? Self.absent
            case ("notification", 2):
                return try reader.notification(path[1]).map { HTTPResponse(json: $0) } ?? Self.absent
            default: return try read(request, path) ?? Self.absent
            }
        } catch let failure as ControlFailure {
            return Self.failure(failure.code.status, failure.message)
        } catch {
            return Self.failure(500, "\(error)")
        }
    }

    /// Returns a list or a summary; nil at any other address.
    private func read(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse? {
        guard path.count == 1, let route = ConsoleRoute.all.first(where: { $0.name == path[0] }) else { return nil }
        var request = request
        // An empty field of a form filters nothing.
        request.query.removeAll { $0.value.isEmpty }
        return HTTPResponse(json: try route.answer(reader, try ControlQuery(request, route.query)))
    }

    private static let absent = failure(404, "there is nothing here")

    private static let headers = [
        "Content-Security-Policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
        "Cross-Origin-Resource-Policy": "same-origin",
    ]

    /// Returns an error response with a sentence.
    static func failure(_ status: Int, _ sentence: String) -> HTTPResponse {
        HTTPResponse(status, json: ["error": .string(sentence)])
    }
}
