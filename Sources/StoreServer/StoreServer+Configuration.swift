import Foundation
import StoreCore
import StoreCrypto
import StoreRemote

extension StoreServer {
    /// The settings of a server.
    public struct Configuration: Sendable {
        /// The address to listen on: `127.0.0.1` unless set, so that only this machine reaches the server.
        ///
        /// An IPv4 or IPv6 address, or `localhost`. Whoever reaches the server can verify receipts, and, with the key, change
        /// the store.
        public var host = "127.0.0.1"
        /// The port to listen on; 0, unless set, for one that is free.
        public var port: UInt16 = 0
        /// The key and the certificates by which clients know the server over TLS; nil, unless set, for plain HTTP.
        ///
        /// `CertificateAuthority.serverIdentity(for:at:)` issues one.
        public var identity: ServerIdentity?
        /// The shared secret that verification asks for where a receipt has subscriptions that renew; nil for none.
        public var sharedSecret: String?
        /// The key of the API's clients; a fresh one unless set.
        public var credentials: Credentials?
        /// The URL to send notifications to; nil for none.
        public var notificationURL: URL?
        /// The seconds, by the store's clock, from each failed delivery of a notification to the next attempt.
        ///
        /// Nil, unless set, for what the App Store does: in production it tries again after 1, 12, 24, 48 and 72 hours, in
        /// the sandbox never.
        public var retries: [TimeInterval]?
        /// The transport of notifications.
        public var transport: any NotificationTransport = URLSessionTransport()
        /// The most bytes of a request's body; a longer one is answered with HTTP status 413.
        public var maximumBodySize = 1 << 20
        /// The most bytes of the body of a request to verify a receipt, where they are more than ``maximumBodySize``: 16 MiB
        /// unless set, which is a receipt of some 39,000 purchases.
        public var maximumReceiptBodySize = 16 << 20
        /// The most connections at a time.
        ///
        /// Where more are wanted, those are closed that have owed a request for the longest; a further one waits only while all
        /// are being answered. Where ``host`` is reached by others, one address has half of them at the most.
        public var maximumConnections = 256
        /// The seconds after which a connection is closed on which nothing moves; whatever moves, a request has twice as many to
        /// arrive.
        public var timeout = 30
        /// The most queues that a device's token may have connected at a time; a further one is refused with HTTP status 429.
        public var maximumStreamsPerToken = 16
        /// The seconds between two signs of life to a queue elsewhere, which counts its connection as lost after three times
        /// as many without one: 5 unless set, and 0.01 to 86,400 whatever is set.
        public var heartbeat: TimeInterval = 5
        /// Whether a page at ``StoreServer/consoleURL`` shows the store in a browser, and acts on it; false unless set.
        ///
        /// It is served to this machine only: with it, ``host`` has to be a loopback address.
        public var hasConsole = false
        /// The performer of the page's acts; one of the server's own that keeps no settings, if nil.
        package var consolePerformer: ConsolePerformer?
        /// The log, which receives a line for what could not be done.
        ///
        /// It is never given a key, a receipt or an account.
        public var log = StoreLog.standardError

        /// Creates settings, to be changed.
        public init() {}

        /// Whether only this machine reaches ``host``.
        package var isPrivate: Bool { ConsoleGuard.isLoopback(host) }

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
            return limits
        }
    }
}
