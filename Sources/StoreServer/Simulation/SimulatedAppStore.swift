import Foundation
import StoreCore
import StoreCrypto

/// The App Store Server API at an address that stays the same, in front of the stores of one life after another.
final class SimulatedAppStore: Sendable {
    /// A request of the server to the API.
    struct Request: Sendable {
        let line: String
        /// The HTTP status; nil if the server was killed before it had an answer.
        let status: Int?
    }

    private struct State {
        var router: ServerRouter?
        var settings: ServerSettings?
        var requests: [Request] = []
        /// The process group that the next request ends.
        var victim: pid_t?
    }

    let key: APIKey
    let authority: CertificateAuthority
    private let http: HTTPServer
    private let state: Locked<State>

    /// Opens the API at a free port with new keys, or where the simulation's file says.
    init(_ place: ServerSetup.API?) throws {
        if let place {
            let start = Date.startOfRoots
            // The authority first: it takes a folder with any file for its own.
            authority = try CertificateAuthority(folder: place.keys, now: start, since: start, readsAll: true)
            key = try APIKeyFolder(place.keys).read()
        } else {
            key = try APIKey()
            authority = try CertificateAuthority(now: .startOfRoots)
        }
        let state = Locked(State())
        self.state = state
        http = try HTTPServer(port: place?.port ?? 0) { request in
            let line = "\(request.method) /\(request.path.joined(separator: "/"))"
            let isKilled = state.withLock { state in
                guard let victim = state.victim.take() else { return false }
                state.requests.append(Request(line: line, status: nil))
                Foundation.kill(-victim, SIGKILL)
                return true
            }
            if isKilled { return HTTPResponse(503) }
            let response = state.withLock(\.router)?.respond(to: request) ?? HTTPResponse(404)
            state.withLock { $0.requests.append(Request(line: line, status: response.status)) }
            return response
        }
    }

    /// The base URL of the API, without a final slash.
    var url: String { "http://127.0.0.1:\(http.port)" }

    /// Puts another life's store behind the address.
    func serve(_ store: SandboxStore, _ view: ServerView) {
        let settings = ServerSettings()
        let router = ServerRouter(store, view: view, key: key, settings: settings, hasNotificationURL: true)
        state.withLock { $0 = State(router: router, settings: settings) }
    }

    /// Makes the next requests fail with an error of the API.
    func fail(_ code: Int, times: Int) { state.withLock(\.settings)?.failRequests(code, times: times) }

    /// Ends the faults of the API.
    func endFaults() { state.withLock(\.settings)?.clearFailures() }

    /// Makes the next request kill a process group; nil takes this back.
    ///
    /// - Returns: whether an earlier group is still alive, since there was no request.
    @discardableResult
    func killAtRequest(_ group: pid_t?) -> Bool {
        state.withLock { state in
            defer { state.victim = group }
            return state.victim != nil
        }
    }

    /// Removes and returns the requests since the last call.
    func takeRequests() -> [Request] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }
}
