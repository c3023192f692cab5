import Foundation
import StoreCore
import StoreScenario

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A store in another process, which serves it.
struct ServedStore: KeptStore {
    private let client: ControlClient
    /// Whether results are requested as JSON, and otherwise as text.
    private let isJSON: Bool

    /// The time that even shell completion waits for a server, in seconds.
    private static let leastPatience: TimeInterval = 2

    /// Connects to the server of a store in a file; nil if no server serves it.
    ///
    /// - Parameters:
    ///   - path: the path of the store's file.
    ///   - isJSON: whether results are requested as JSON.
    ///   - patience: the number of seconds to wait for the server's first response; a command may take any time.
    /// - Throws: an error if other users may have written the file that names the server, and ``StoreFile/Failure`` for a
    ///   server with TLS that is not trusted.
    init?(beside path: String, isJSON: Bool, patience: TimeInterval) throws {
        // A server that was killed leaves the file behind, and another server may have its port.
        guard let file = try ServerFile(beside: path), let url = ControlClient.url(file.control),
            let text = try? String(contentsOfFile: file.token, encoding: .utf8), let token = ControlClient.token(text)
        else { return nil }
        client = ControlClient(url, token: token)
        self.isJSON = isJSON
        do {
            guard try client.send("commands", limit: max(patience, Self.leastPatience)).status == 200 else {
                return nil
            }
        } catch {
            let isAbsent = [.cannotConnectToHost, .timedOut].contains(error.code)
            guard url.scheme == "https", !isAbsent else { return nil }
            throw Self.unreachable(client, error)
        }
    }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - url: the URL of the control interface.
    ///   - tokenFile: the file with the token; nil for the token in `SANDBOX_STORE_TOKEN`, or else of this user's server
    ///     at the URL's port.
    ///   - isJSON: whether results are requested as JSON.
    ///   - patience: the number of seconds to wait for the server's first response; a command may take any time.
    /// - Throws: ``StoreFile/Failure`` if there is no token, or if the server cannot be reached or refuses the token, and
    ///   ``Command/Mistake`` if the token's file does not exist.
    init(_ url: URL, tokenFile: String?, isJSON: Bool, patience: TimeInterval) throws {
        client = ControlClient(url, token: try Self.token(for: url, tokenFile))
        self.isJSON = isJSON
        let status: Int
        do {
            status = try client.send("commands", limit: max(patience, Self.leastPatience)).status
        } catch {
            throw Self.unreachable(client, error)
        }
        switch status {
        case 200: break
        case 401: throw StoreFile.Failure(description: "the server at \(client.server) has another token")
        default: throw StoreFile.Failure(description: "there is no store to operate at \(client.server)")
        }
    }

    private static func token(for url: URL, _ file: String?) throws -> String {
        let variable = "SANDBOX_STORE_TOKEN"
        let environment = ProcessInfo.processInfo.environment
        if file == nil, let value = environment[variable], !value.isEmpty {
            guard let token = ControlClient.token(value) else { throw noToken(variable) }
            return token
        }
        let port = url.port ?? (url.scheme == "https" ? 443 : 80)
        guard let file = try file ?? TokenFolder(environment).path(port: port) else {
            let advice = "name its file by --token FILE, or set \(variable)"
            throw StoreFile.Failure(description: "the token of the server at port \(port) is not known: \(advice)")
        }
        let data = try InputFile.contents(file) { reason in
            StoreFile.Failure(description: "the server's token cannot be read from \(file): \(reason)")
        }
        guard let token = ControlClient.token(String(decoding: data, as: UTF8.self)) else { throw noToken(file) }
        return token
    }

    private static func unreachable(_ client: ControlClient, _ error: URLError) -> StoreFile.Failure {
        let isSecure = client.url.scheme == "https" && error.code != .cannotConnectToHost
        let advice = isSecure ? "; this machine has to trust the root.pem of a server with TLS" : ""
        let reason = error.code == .timedOut ? "it takes too long" : error.localizedDescription
        return StoreFile.Failure(description: "no server answers at \(client.server): \(reason)\(advice)")
    }

    private static func noToken(_ place: String) -> StoreFile.Failure {
        StoreFile.Failure(description: "what is in \(place) is not a server's token")
    }

    /// The URL of the server, or of one of its stores.
    var server: String { client.server }

    var clock: (any StoreClock)? { nil }

    func close() {}

    // MARK: Requests

    /// Performs a step, for a result that is either text or JSON.
    func perform(_ step: ScenarioStep, written line: String) throws -> ScenarioAnswer {
        // The server has no `try`, since it responds to a refusal otherwise.
        let line = step.isTry ? String(step.description.dropFirst("try ".count)) : line
        let body = Data((["line": .string(line)] as JSONValue).encoded.utf8)
        do {
            let answer = try respond("commands", body, accept: isJSON ? "application/json" : "text/plain")
            var text = String(decoding: answer.body, as: UTF8.self)
            // Printing adds the newline again, with which a text ends.
            if !isJSON, text.hasSuffix("\n") { text.removeLast() }
            return ScenarioAnswer(text: text, json: .raw(text), headerLine: answer.headerLine)
        } catch let refusal as ScenarioError where step.isTry {
            return step.answer(to: refusal)
        } catch let refusal as ScenarioError {
            throw refusal.at(file: nil, line: step.line)
        }
    }

    /// Sends a notification once more.
    ///
    /// - Throws: a `ScenarioError` if there is no URL to notify, and ``StoreFile/Failure`` for an unknown notification.
    func resend(_ notification: String) throws { _ = try respond("notifications/\(notification)/resend", Data()) }

    func names(of kind: ScenarioValueKind) throws -> [String] {
        struct Page: Decodable {
            struct Row: Decodable { let name: String }
            let rows: [Row]
        }
        guard let noun = kind.noun else { return [] }
        return try JSONDecoder().decode(Page.self, from: respond("names/\(noun)").body).rows.map(\.name)
    }

    /// The body of a response to a request that the server does not fulfill.
    private struct Refusal: Decodable {
        struct Reason: Decodable {
            let code: String
            let message: String
            let word: String?
            let suggestion: String?
            let column: Int?
        }
        let error: Reason
    }

    /// Sends a request, and returns the response to it if it is fulfilled.
    ///
    /// - Throws: a `ScenarioError` for a command that is invalid or refused, and ``StoreFile/Failure`` for any other
    ///   response.
    private func respond(
        _ path: String,
        _ body: Data? = nil,
        accept: String = "application/json"
    ) throws -> ControlClient.Answer {
        let answer: ControlClient.Answer
        do {
            answer = try client.send(path, body, accept: accept)
        } catch {
            let reason = "the server at \(server) was lost before it answered; what it has done is not known"
            throw StoreFile.Failure(description: "\(reason): \(error.localizedDescription)")
        }
        if (200...299).contains(answer.status) { return answer }
        guard let reason = try? JSONDecoder().decode(Refusal.self, from: answer.body).error else {
            throw StoreFile.Failure(description: "the server at \(server) answers with status \(answer.status)")
        }
        guard body != nil, ["invalid", "refused"].contains(reason.code) else {
            throw StoreFile.Failure(description: reason.message)
        }
        throw ScenarioError(
            reported: reason.message,
            kind: reason.code == "refused" ? .refused : .syntax,
            word: reason.word,
            suggestion: reason.suggestion,
            column: reason.column
        )
    }
}
