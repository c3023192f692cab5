import Foundation
import StoreCore
import StoreCrypto
import StoreRemote

/// The App Store's servers for a sandbox store, which verify receipts, implement the App Store Server API, and send
/// notifications.
///
/// ```swift
/// let server = try StoreServer(store)
/// let answer = try await post(receipt, to: server.url.appending(path: "verifyReceipt"))
/// ```
///
/// The servers of the store's own environment are at ``url``. The servers of the App Store's two environments are at
/// ``sandboxURL`` and ``productionURL``. One of these is not the store's environment: its servers know nothing of the
/// store, and respond to the store's receipts with status 21007 or 21008.
///
/// If the store signs with an `AppStoreSigner`, its certificates name an OCSP responder at `ocsp` below ``url``, so that
/// verifiers accept them with online checks. Over TLS they name none: verifiers ask responders by plain HTTP.
///
/// By default, only this machine can reach the server. The server stops when it is released. Any thread may use it.
public final class StoreServer: Sendable {
    /// The API key with which clients of the server's API sign their tokens.
    public var credentials: Credentials { served.credentials }
    /// The notifications since the server's creation, which can be read without a network.
    public var notifications: ServerNotifications { served.notifications }
    private let http: HTTPServer
    private let served: ServedStore
    private let stores: TestStores?
    private let responderName: ResponderName?
    private let host: String
    private let isSecure: Bool
    private let hasConsole: Bool

    /// Opens a server for a store.
    ///
    /// If the store's ledger does not record notifications yet, it begins to do so.
    ///
    /// - Parameters:
    ///   - store: the store, which the server retains.
    ///   - configuration: the settings.
    /// - Throws: ``StoreServerError`` if the server cannot listen on its address, if libmicrohttpd is missing
    ///   (``StoreServerError/unavailable``), or if other machines could control its store; a `CryptoError` if a key
    ///   cannot be created; the ledger's errors.
    public init(_ store: SandboxStore, configuration: Configuration = Configuration()) throws {
        guard MicroHTTPD.isAvailable else { throw StoreServerError.unavailable }
        isSecure = configuration.identity != nil
        let gate =
            configuration.hasControl || configuration.hasConsole
            ? try ControlGuard(host: configuration.host, isSecure: isSecure) : nil
        let stores = gate.map { TestStores(besides: store, configuration, gate: $0) }
        let served = try ServedStore(store, configuration, gate: gate, stores: stores)
        http = try HTTPServer(
            host: configuration.host,
            port: configuration.port,
            identity: configuration.identity,
            limits: configuration.limits
        ) { request in
            if request.path.first == TestStores.path, let stores { return stores.respond(to: request) }
            return served.respond(to: request)
        }
        let url = Self.url(isSecure: isSecure, host: configuration.host, port: http.port)
        responderName = isSecure ? nil : ResponderName(url.appending(path: ResponderName.path), in: store)
        hasConsole = configuration.hasConsole
        (self.served, self.stores, host) = (served, stores, configuration.host)
        served.start()
    }

    deinit {
        stopAsking()
        http.stop()
        stores?.closeAll()
        served.stop(waits: false)
    }

    /// The sender of notifications.
    var outbox: NotificationOutbox { served.outbox }

    /// The client of the app's server that chooses retention messages.
    var realtime: RealtimeClient { served.realtime }

    /// The port on which the server listens.
    public var port: Int { Int(http.port) }

    /// The URL of the servers of the store's own environment.
    ///
    /// Verification is at `verifyReceipt` below this URL, and the API at `inApps`.
    public var url: URL { Self.url(isSecure: isSecure, host: host, port: http.port) }

    private static func url(isSecure: Bool, host: String, port: UInt16) -> URL {
        var components = URLComponents()
        components.scheme = isSecure ? "https" : "http"
        components.host = host.contains(":") ? "[\(host)]" : host
        components.port = Int(port)
        components.path = "/"
        // The fallback is never used, since a scheme, an address and a port always form a URL.
        return components.url ?? URL(filePath: "/")
    }

    /// The URL of the page that shows the store in a browser; nil without ``Configuration/hasConsole``.
    ///
    /// The URL's fragment is the token that the page's requests require: anyone who has the URL can read and change the
    /// store.
    public var consoleURL: URL? {
        guard hasConsole, let control = served.control else { return nil }
        return URL(string: "console#token=\(control.token)", relativeTo: url)?.absoluteURL
    }

    /// The URL of the control interface, with which tests in any language operate and read the store; nil without
    /// ``Configuration/hasControl`` and ``Configuration/hasConsole``.
    ///
    /// `openapi.json` below this URL describes the interface.
    public var controlURL: URL? { served.control == nil ? nil : url.appending(path: "control/v1") }

    /// The token that requests to ``controlURL`` require, after `Bearer` in the header `Authorization`; nil without
    /// ``Configuration/hasControl`` and ``Configuration/hasConsole``.
    ///
    /// Anyone who has the token can read and change the store.
    public var controlToken: String? { served.control?.token }

    /// The URL of the sandbox servers, which replaces `sandbox.itunes.apple.com` and `api.storekit-sandbox.apple.com`.
    public var sandboxURL: URL { url.appending(path: "sandbox") }

    /// The URL of the production servers, which replaces `buy.itunes.apple.com` and `api.storekit.apple.com`.
    public var productionURL: URL { url.appending(path: "production") }

    /// Stops the server, after the requests and the delivery in progress.
    ///
    /// The method waits at most 5 seconds for the delivery in progress. It waits without limit for the responses to
    /// requests, which take as long as the store's ledger and signer. Whoever is about to cancel while the app's server
    /// chooses a message sees the default one. A transport that blocks in
    /// ``NotificationTransport/post(_:to:reply:)`` occupies its thread until it returns.
    ///
    /// A second call does nothing. Notifications that were not sent are sent by the next server on the same ledger.
    public func stop() {
        stopAsking()
        http.stop()
        responderName?.end()
        stores?.closeAll()
        served.stop(waits: true)
    }

    /// Lets no request wait for the app's server any longer, which chooses retention messages.
    private func stopAsking() {
        stores?.stopAsking()
        served.realtime.stop()
    }
}

// MARK: - Failures on demand

extension StoreServer {
    /// Whether the servers are available; true by default.
    ///
    /// While this is false, verification responds with status 21005, and the API with error 5000001.
    public var isAvailable: Bool {
        get { served.settings.isAvailable }
        set { served.settings.isAvailable = newValue }
    }

    /// Whether the OCSP responder is available; true by default.
    ///
    /// While this is false, the responder responds with HTTP status 503 and the status `tryLater`, whatever the
    /// certificate is.
    package var isResponderAvailable: Bool {
        get { served.settings.isResponderAvailable }
        set { served.settings.isResponderAvailable = newValue }
    }

    /// Whether the app has been released in the App Store; true by default.
    ///
    /// While this is false, the API of the production environment responds to every request with HTTP status 401 and no
    /// body, even with a valid token. Verification and the sandbox are not affected: an app in review is bought in the
    /// sandbox.
    public var isReleased: Bool {
        get { served.settings.isReleased }
        set { served.settings.isReleased = newValue }
    }

    /// Makes the next verifications respond with a status, whatever the receipt is.
    ///
    /// - Parameters:
    ///   - status: the status, such as 21009, or any from 21100 to 21199. It is not checked.
    ///   - isRetryable: the value of `is-retryable`, which only responses with a status from 21100 to 21199 contain.
    ///   - times: the number of verifications that fail; none if it is below 1. They follow those for which a status
    ///     was set earlier.
    public func failVerification(with status: Int, isRetryable: Bool = true, times: Int = 1) {
        served.settings.failVerifications(.init(status: status, isRetryable: isRetryable), times: times)
    }

    /// Makes the next API requests with a valid token fail.
    ///
    /// - Parameters:
    ///   - code: the error's number, such as 4290000 for too many requests. An unknown number has no effect.
    ///   - times: the number of requests that fail; none if it is below 1. They follow those for which an error was set
    ///     earlier.
    public func failRequests(with code: Int, times: Int = 1) { served.settings.failRequests(code, times: times) }
}

extension StoreServer {
    /// The settings of a server.
    public struct Configuration: Sendable {
        /// The address to listen on; by default `127.0.0.1`, which only this machine can reach.
        ///
        /// The host is an IPv4 or IPv6 address, or `localhost`. Anyone who can reach the server can verify receipts,
        /// and, with the API key, change the store.
        public var host = "127.0.0.1"
        /// The port to listen on; by default 0, for any free port.
        public var port: UInt16 = 0
        /// The key and the certificates that prove the server's identity over TLS; by default nil, for plain HTTP.
        ///
        /// `CertificateAuthority.serverIdentity(for:at:)` issues an identity.
        public var identity: ServerIdentity?
        /// The shared secret that verification requires for receipts with auto-renewable subscriptions; by default nil,
        /// for none.
        public var sharedSecret: String?
        /// The API key of the clients; by default nil, for a new key.
        public var credentials: Credentials?
        /// The URL to which notifications are sent; by default nil, to send none.
        public var notificationURL: URL?
        /// The seconds, by the store's clock, from each failed delivery of a notification to the next attempt.
        ///
        /// By default nil, for the delays of the App Store: 1, 12, 24, 48 and 72 hours in production, no retries in the
        /// sandbox.
        public var retries: [TimeInterval]?
        /// Whether a notification is sent again after a response with HTTP status 400; true by default.
        ///
        /// Since March 2026, developers report that the App Store does not do so. With the quirk
        /// `StoreQuirk.badRequestIsFinal`, the store does not, either.
        public var retriesAfterBadRequest = true
        /// The seconds in which the app's server has to choose a retention message; by default 0.7, as for the App Store,
        /// and limited to the range from 0.001 to 86,400.
        public var retentionTimeout: TimeInterval = 0.7
        /// The transport with which notifications are sent, and retention messages are asked for.
        ///
        /// By default a `URLSession`, which follows no redirects, and waits at most 10 seconds for the response to a
        /// notification.
        public var transport: any NotificationTransport = URLSessionTransport()
        /// The maximum size of a request's body, in bytes.
        ///
        /// A longer body is refused with HTTP status 413.
        package var maximumBodySize = 1 << 20
        /// The maximum size of a request to verify a receipt or to upload an image, in bytes; ``maximumBodySize`` if that
        /// is greater.
        ///
        /// The default of 16 MiB suffices for a receipt with some 39,000 purchases.
        package var maximumReceiptBodySize = 16 << 20
        /// The maximum number of connections.
        ///
        /// If there are more, the server closes those on which it has waited longest for a request. A further
        /// connection has to wait only while all others have a request in progress. If other machines can reach
        /// ``host``, a single address may use half of the connections.
        package var maximumConnections = 256
        /// The seconds after which an idle connection is closed; by default 30, and at least 1.
        ///
        /// A request has twice this time to arrive, even if its connection is not idle.
        public var timeout = 30
        /// The maximum number of connected queues for the token of a device.
        ///
        /// A further one is refused with HTTP status 429.
        package var maximumStreamsPerToken = 16
        /// The seconds between two heartbeats to a remote queue; by default 5, and limited to the range from 0.01 to
        /// 86,400.
        ///
        /// A queue considers its connection lost after three times this time without a heartbeat.
        package var heartbeat: TimeInterval = 5
        /// Whether tests can operate and read the store over HTTP, at ``StoreServer/controlURL``; false by default.
        ///
        /// The interface is served only to this machine, so ``host`` must be a loopback address.
        public var hasControl = false
        /// Whether a page at ``StoreServer/consoleURL`` shows and operates the store in a browser; false by default.
        ///
        /// The page uses the control interface, which is then served even if ``hasControl`` is false. It is served only
        /// to this machine, so ``host`` must be a loopback address.
        public var hasConsole = false
        /// The authority whose root signs for the stores that tests open; by default nil, for a new one in memory.
        package var authority: CertificateAuthority?
        /// The object that performs commands; by default nil, for a new one that saves no settings.
        package var controlPerformer: ControlPerformer?
        /// The observer of requests and deliveries, which is called on any thread.
        package var observer: (@Sendable (ServerLogLine) -> Void)?
        /// The log, which receives a line for each failure; by default the standard error stream.
        ///
        /// The log never receives a key, a receipt or an account.
        public var log = StoreLog.standardError

        /// Creates the default settings.
        public init() {}

        /// Whether only this machine can reach ``host``.
        package var isPrivate: Bool { ControlGuard.isLoopback(host) }

        var deviceLimits: DeviceService.Limits {
            var limits = DeviceService.Limits()
            limits.streams = max(1, maximumStreamsPerToken)
            limits.bodySize = self.limits.bodySize
            let range = DeviceProtocol.heartbeats
            limits.heartbeat = min(max(heartbeat, range.lowerBound), range.upperBound)
            return limits
        }

        var limits: HTTPLimits {
            var limits = HTTPLimits()
            limits.bodySize = max(0, maximumBodySize)
            limits.receiptBodySize = max(0, maximumReceiptBodySize)
            limits.connections = UInt32(clamping: max(1, maximumConnections))
            limits.connectionsPerPeer = isPrivate ? .max : max(1, limits.connections / 2)
            limits.timeout = UInt32(clamping: max(1, timeout))
            limits.requestTime = 2 * TimeInterval(limits.timeout)
            // A command occupies a thread until the notifications that it causes are answered, and the server that
            // answers them may ask the store something meanwhile.
            if hasControl || hasConsole { limits.threads = 64 }
            return limits
        }
    }
}

extension StoreServer {
    /// An API key with which clients of the App Store Server API sign their tokens: issuer, identifier and private key.
    ///
    /// Only ``privateKeyPEM`` contains the private key; a description of the credentials does not.
    public struct Credentials: Sendable {
        let key: APIKey

        /// Creates credentials with a new random key, which exists only in memory.
        ///
        /// - Throws: a `CryptoError` if no key can be created.
        public init() throws { key = try APIKey() }

        /// Creates credentials with an existing key.
        ///
        /// - Parameters:
        ///   - issuer: the claim `iss` of tokens.
        ///   - keyIdentifier: the key's identifier, which must not be empty.
        ///   - privateKeyPEM: a text with a `PRIVATE KEY` block for a key on P-256.
        /// - Throws: a `CryptoError` for an empty identifier, and if the text has no such key; a ``StoreServerError``
        ///   if it has only a public key.
        public init(issuer: String, keyIdentifier: String, privateKeyPEM: String) throws {
            key = try APIKey(issuer: issuer, identifier: keyIdentifier, privateKeyPEM: privateKeyPEM)
        }

        /// Reads credentials from a folder, or creates them if the folder has none.
        ///
        /// The key is in the file `AuthKey_IDENTIFIER.p8`, and the issuer is the only line of `issuer.txt`. Only the
        /// user may open the folder (0700) and the files (0600). Files are created atomically, and several processes
        /// may share them.
        ///
        /// - Parameter folder: the folder.
        /// - Throws: ``StoreServerError`` if a file cannot be read or written, if other users have access to one, or if
        ///   there are several keys. A `CryptoError` for an invalid key.
        public init(folder: URL) throws { key = try APIKeyFolder(folder).read() }

        /// The issuer, the claim `iss` of tokens; by default a UUID in lowercase.
        public var issuer: String { key.issuer }
        /// The key's identifier, `kid` in the header of tokens.
        public var keyIdentifier: String { key.identifier }
        /// The private key in PEM, the content of a `.p8` file.
        public var privateKeyPEM: String { key.privateKeyPEM }

        /// Returns a token for an app, like one that a client of the API creates.
        ///
        /// - Parameters:
        ///   - bundleIdentifier: the app's bundle identifier, the claim `bid`.
        ///   - date: the issuing date; by default the current date of the system's clock.
        ///   - lifetime: the seconds until the token expires; by default 5 minutes. The API refuses a lifetime of more
        ///     than an hour.
        /// - Returns: the text that follows `Bearer` in the header `Authorization`.
        /// - Throws: a `CryptoError` if libcrypto fails.
        public func token(
            bundleIdentifier: String,
            at date: Date = Date(),
            lifetime: TimeInterval = 300
        ) throws -> String {
            let issued = Int(date.timeIntervalSince1970)
            return try key.token([
                "iss": .text(issuer), "aud": .text(APIKey.audience), "bid": .text(bundleIdentifier),
                "iat": .number(issued), "exp": .number(issued + Int(lifetime)),
            ])
        }
    }
}

extension StoreServer.Credentials: CustomStringConvertible, CustomReflectable {
    /// The key's identifier, without any secret.
    public var description: String { "Credentials \(keyIdentifier)" }

    /// A mirror that shows only the key's identifier, so a dump does not reveal the key.
    public var customMirror: Mirror { Mirror(self, children: ["keyIdentifier": keyIdentifier]) }
}
