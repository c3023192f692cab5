import Foundation
import StoreCore

/// A router that calls the service for a request's path, without a network.
package struct ServerRouter: Sendable {
    /// The servers of one of the App Store's environments, each at its own path.
    private enum Base: String, CaseIterable {
        /// The servers of the production environment.
        case production
        /// The servers of the sandbox environment.
        case sandbox

        /// Returns whether a store in an environment belongs to the servers of the other environment.
        func isForeign(to environment: String) -> Bool { (self == .production) != (environment == "Production") }
    }

    private let receipts: ReceiptService
    private let api: ServerAPI
    private let environment: String
    private let control: StoreControl?
    private let console: StoreConsole?
    private let devices: DeviceService?
    private let status: StatusResponder?
    private let requests: RequestLog?

    /// Creates a router for a store.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - view: an existing view of the store, to share its data; nil for a new one.
    ///   - key: the key that signs the tokens of the API's clients.
    ///   - settings: the settings that may change.
    ///   - hasNotificationURL: whether there is a URL to which notifications are sent; evaluated when it is needed.
    ///   - control: the control interface; nil for none.
    ///   - console: the service of the browser console; nil for none.
    ///   - devices: the service for remote devices; nil for none.
    ///   - requests: the log of the requests that the App Store's servers answer; nil for that of the control interface.
    ///   - realtime: the client of the app's server that chooses retention messages, for performance tests; nil for a
    ///     new one.
    ///   - log: receives the reason for each internal error.
    ///   - now: returns the current date, for the expiry of tokens.
    package init(
        _ store: SandboxStore,
        view: ServerView? = nil,
        key: APIKey,
        settings: ServerSettings = ServerSettings(),
        hasNotificationURL: @escaping @autoclosure @Sendable () -> Bool = false,
        control: StoreControl? = nil,
        console: StoreConsole? = nil,
        devices: DeviceService? = nil,
        requests: RequestLog? = nil,
        realtime: RealtimeClient? = nil,
        log: StoreLog = .silent,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let view = view ?? ServerView(store)
        environment = view.environment
        store.acceptRequests(signedBy: key.requestSigner)
        self.control = control
        self.console = console
        self.devices = devices
        self.requests = requests ?? control?.requests
        status = StatusResponder(store, settings: settings)
        receipts = ReceiptService(store, view, settings: settings, log: log)
        api = ServerAPI(
            view,
            key: key,
            settings: settings,
            tester: PerformanceTester(realtime ?? RealtimeClient(view), view, log: log),
            hasNotificationURL: hasNotificationURL,
            log: log,
            now: now
        )
    }

    /// Returns the response to a request, which may have any content.
    ///
    /// The servers of the store's own environment are at the root. The servers of the App Store's two environments are
    /// at `production` and `sandbox`. The control interface is at `control`, its guide at `llms.txt`, the browser console at
    /// `console`, the service for devices at `device`, and the OCSP responder at `ocsp`.
    package func respond(to request: HTTPRequest) -> HTTPResponse {
        let base = request.path.first.flatMap { Base(rawValue: $0) }
        let path = request.path.dropFirst(base == nil ? 0 : 1)
        let isForeign = base?.isForeign(to: environment) ?? false
        switch path.first {
        case "verifyReceipt" where path.count == 1:
            return noted(request, receipts.respond(to: request, isForeign: isForeign))
        case "inApps", "externalPurchase", "advancedCommerce":
            return noted(request, api.respond(to: request, path, isForeign: isForeign))
        case "control" where base == nil: return control?.respond(to: request, path.dropFirst()) ?? HTTPResponse(404)
        case "llms.txt" where request.path.count == 1 && control != nil: return ControlGuide.response(to: request)
        case "console" where base == nil: return console?.respond(to: request) ?? HTTPResponse(404)
        case "device" where base == nil: return devices?.respond(to: request, path.dropFirst()) ?? HTTPResponse(404)
        case "ocsp" where base == nil:
            return noted(request, status?.respond(to: request, path.dropFirst()) ?? HTTPResponse(404))
        default: return HTTPResponse(404)
        }
    }

    /// Returns a response of the App Store's servers, after a line about it.
    private func noted(_ request: HTTPRequest, _ response: HTTPResponse) -> HTTPResponse {
        requests?.add(request, status: response.status)
        return response
    }
}
