import Foundation
import StoreCore
import StoreCrypto

/// The App Store Server API at an address that stays the same, in front of the stores of one life after another.
final class SimulatedAppStore: Sendable {
    /// A request of the server to the API.
    struct Request: Sendable {
        let line: String
        let status: Int
    }

    private struct State {
        var router: ServerRouter?
        var settings: ServerSettings?
        /// The responses that are still to be held back.
        var slow = 0
        var requests: [Request] = []
    }

    /// The seconds by which a slow response is held back.
    static let delay = 0.1

    let key: APIKey
    let authority: CertificateAuthority
    private let http: HTTPServer
    private let state: Locked<State>

    init() throws {
        key = try APIKey()
        authority = try CertificateAuthority(now: .startOfRoots)
        let state = Locked(State())
        self.state = state
        http = try HTTPServer { request in
            let (router, isSlow) = state.withLock { state in
                let isSlow = state.slow > 0
                if isSlow { state.slow -= 1 }
                return (state.router, isSlow)
            }
            if isSlow { Thread.sleep(forTimeInterval: Self.delay) }
            let response = router?.respond(to: request) ?? HTTPResponse(404)
            let line = "\(request.method) /\(request.path.joined(separator: "/"))"
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

    /// Makes the next requests fail with an error of the API; nil makes them slow.
    func fail(_ code: Int?, times: Int) {
        let settings = state.withLock { state in
            if code == nil { state.slow += times }
            return state.settings
        }
        if let code { settings?.failRequests(code, times: times) }
    }

    /// Ends the faults of the API.
    func endFaults() {
        state.withLock { state in
            state.slow = 0
            return state.settings
        }?.clearFailures()
    }

    /// Removes and returns the requests since the last call.
    func takeRequests() -> [Request] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }
}
