import Foundation
import StoreCore

/// The App Store's servers for a sandbox store: receipts are verified, the App Store Server API is answered, and notifications
/// are sent.
///
/// ```swift
/// let server = try StoreServer(store)
/// let answer = try await post(receipt, to: server.url.appending(path: "verifyReceipt"))
/// ```
///
/// The servers of the store's own environment are at ``url``. Those of the App Store's two environments are at
/// ``sandboxURL`` and ``productionURL``: the one that is not the store's knows nothing of it, and answers about its receipts
/// with status 21007 or 21008.
///
/// A server listens on this machine only, unless told otherwise, and stops when it is released. Any thread may use it.
public final class StoreServer: Sendable {
    /// The key of the API's clients.
    public let credentials: Credentials
    /// What happens in the store from the server's creation on, without any network.
    public let notifications: ServerNotifications
    private let http: HTTPServer
    private let outbox: NotificationOutbox?
    private let failures: FailureSchedule
    private let host: String
    private let isSecure: Bool
    private let console: StoreConsole?

    /// Opens a server for a store.
    ///
    /// Where the store's ledger has none yet, notifications begin.
    ///
    /// - Parameters:
    ///   - store: the store, which the server keeps.
    ///   - configuration: the settings.
    /// - Throws: ``StoreServerError`` if it cannot listen there, or if libmicrohttpd is missing, with
    ///   ``MicroHTTPD/advice``, or if it is to have a console and other machines reach it; a `CryptoError` if no key can be made; and the ledger's errors.
    public init(_ store: SandboxStore, configuration: Configuration = Configuration()) throws {
        guard MicroHTTPD.isAvailable else { throw StoreServerError.unavailable }
        let credentials = try configuration.credentials ?? Credentials()
        let failures = FailureSchedule()
        // The server's parts share what they have read.
        let view = ServerView(store)
        let console =
            configuration.hasConsole
            ? try StoreConsole(
                store,
                view: view,
                host: configuration.host,
                performer: configuration.consolePerformer,
                isSecure: configuration.identity != nil
            ) : nil
        let router = ServerRouter(
            store,
            view: view,
            key: credentials.key,
            sharedSecret: configuration.sharedSecret,
            failures: failures,
            hasNotificationURL: configuration.notificationURL != nil,
            console: console,
            devices: DeviceService(store, limits: configuration.deviceLimits, log: configuration.log),
            log: configuration.log
        )
        notifications = try ServerNotifications(view)
        http = try HTTPServer(
            host: configuration.host,
            port: configuration.port,
            identity: configuration.identity,
            limits: configuration.limits
        ) {
            router.respond(to: $0)
        }
        outbox = configuration.notificationURL.map { url in
            let isProduction = view.environment == "Production"
            return NotificationOutbox(
                view,
                url: url,
                delays: configuration.retries ?? (isProduction ? NotificationOutbox.productionDelays : []),
                transport: configuration.transport,
                log: configuration.log
            )
        }
        isSecure = configuration.identity != nil
        (self.credentials, self.failures, self.console, host) = (credentials, failures, console, configuration.host)
        outbox?.start()
    }

    deinit {
        http.stop()
        outbox?.stop(waits: false)
    }

    /// The port on which the server listens.
    public var port: Int { Int(http.port) }

    /// The URL of the servers of the store's own environment.
    ///
    /// Verification is at `verifyReceipt` below it, and the API at `inApps`.
    public var url: URL {
        var components = URLComponents()
        components.scheme = isSecure ? "https" : "http"
        components.host = host.contains(":") ? "[\(host)]" : host
        components.port = port
        components.path = "/"
        // A scheme, an address and a port make a URL.
        return components.url ?? URL(filePath: "/")
    }

    /// The URL of the page that shows the store in a browser; nil without ``Configuration/hasConsole``.
    ///
    /// Its fragment is the token that acts need: whoever has the URL can change the store.
    public var consoleURL: URL? {
        console.flatMap { URL(string: "console#token=\($0.token)", relativeTo: url)?.absoluteURL }
    }

    /// The URL of the sandbox's servers, which take the place of `sandbox.itunes.apple.com` and
    /// `api.storekit-sandbox.apple.com`.
    public var sandboxURL: URL { url.appending(path: "sandbox") }

    /// The URL of the production servers, which take the place of `buy.itunes.apple.com` and `api.storekit.apple.com`.
    public var productionURL: URL { url.appending(path: "production") }

    /// Stops listening and sending, once what is under way is done.
    ///
    /// Waits 5 seconds at the most for the delivery that is under way, and without bound for the answers to requests, which
    /// take as long as the store's ledger and signer. A transport that blocks in
    /// ``NotificationTransport/post(_:to:reply:)`` keeps its thread until it returns.
    ///
    /// Does nothing the second time. What was not sent is sent by the next server on the same ledger.
    public func stop() {
        http.stop()
        outbox?.stop(waits: true)
    }
}

// MARK: - Failures on demand

extension StoreServer {
    /// Whether the servers are available, as they are at first.
    ///
    /// If not, verification has status 21005, and the API error 5000001.
    public var isAvailable: Bool {
        get { failures.isAvailable }
        set { failures.isAvailable = newValue }
    }

    /// Gives the next verifications a status, whatever their receipt is.
    ///
    /// - Parameters:
    ///   - status: the status, such as 21009, or any from 21100 to 21199.
    ///   - isRetryable: `is-retryable` in the answer, which only 21100 to 21199 have.
    ///   - times: the number of verifications, behind those for which another status was set.
    public func failVerification(with status: Int, isRetryable: Bool = true, times: Int = 1) {
        failures.failVerifications(.init(status: status, isRetryable: isRetryable), times: times)
    }

    /// Makes the next requests of the API fail, if their token is valid.
    ///
    /// - Parameters:
    ///   - code: the error's number, such as 4290000 for too many requests. One that the API does not have fails nothing.
    ///   - times: the number of requests, behind those for which another error was set.
    public func failRequests(with code: Int, times: Int = 1) { failures.failRequests(code, times: times) }
}
