import Foundation
import StoreCore
import StoreScenario

/// A store with its App Store servers, which respond to requests without a network of their own.
final class ServedStore: Sendable {
    let store: SandboxStore
    let credentials: StoreServer.Credentials
    let settings: ServerSettings
    /// The notifications since the servers' creation.
    let notifications: ServerNotifications
    /// The control interface; nil without access rules.
    let control: StoreControl?
    private let devices: DeviceService
    private let router: ServerRouter
    let outbox: NotificationOutbox
    /// The client of the app's server that chooses retention messages.
    let realtime: RealtimeClient

    /// Creates the servers of a store.
    ///
    /// If the store's ledger does not record notifications yet, it begins to do so.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - configuration: the settings; those of the network have no effect.
    ///   - gate: the access rules of the control interface; nil for no such interface.
    ///   - stores: the stores that tests open by the control interface.
    /// - Throws: a `CryptoError` if a key cannot be created; the ledger's errors.
    init(
        _ store: SandboxStore,
        _ configuration: StoreServer.Configuration,
        gate: ControlGuard?,
        stores: TestStores? = nil
    ) throws {
        self.store = store
        credentials = try configuration.credentials ?? StoreServer.Credentials()
        settings = ServerSettings(sharedSecret: configuration.sharedSecret)
        // All parts share one view, so each record is read only once.
        let view = ServerView(store)
        let observer = configuration.observer
        let requests = RequestLog(view.clock) { observer?(.request($0)) }
        let outbox = NotificationOutbox(
            view,
            url: configuration.notificationURL,
            delays: configuration.retries,
            transport: configuration.transport,
            log: configuration.log,
            observer: Self.deliveries(for: observer)
        )
        let realtime = RealtimeClient(
            view,
            transport: configuration.transport,
            timeout: configuration.retentionTimeout
        )
        store.connect(realtime)
        self.realtime = realtime
        outbox.retriesAfterBadRequest = configuration.retriesAfterBadRequest
        self.outbox = outbox
        let devices = DeviceService(store, limits: configuration.deviceLimits, log: configuration.log)
        self.devices = devices
        control = gate.map { [settings] gate in
            StoreControl(
                store,
                view: view,
                gate: gate,
                settings: settings,
                stores: stores,
                performer: configuration.controlPerformer,
                outbox: outbox,
                requests: requests,
                realtime: realtime
            )
        }
        control?.commands.performer.connect(to: devices)
        router = ServerRouter(
            store,
            view: view,
            key: credentials.key,
            settings: settings,
            hasNotificationURL: outbox.url != nil,
            control: control,
            console: configuration.hasConsole ? control.map { StoreConsole($0) } : nil,
            devices: devices,
            requests: requests,
            realtime: realtime,
            log: configuration.log
        )
        notifications = try ServerNotifications(view)
    }

    private static func deliveries(
        for observer: (@Sendable (ServerLogLine) -> Void)?
    ) -> (@Sendable (DeliveryLine) -> Void)? {
        guard let observer else { return nil }
        return { observer(.delivery($0)) }
    }

    /// Begins to send notifications.
    func start() { outbox.start() }

    /// Returns the response to a request, which may have any content.
    func respond(to request: HTTPRequest) -> HTTPResponse { router.respond(to: request) }

    /// Stops sending notifications, asking for retention messages, and causing faults on the connections of devices.
    ///
    /// - Parameter waits: whether to wait until the delivery in progress has been recorded.
    func stop(waits: Bool) {
        store.disconnect(realtime)
        realtime.stop()
        devices.stop()
        outbox.stop(waits: waits)
    }
}

/// A line of a log of a server.
package enum ServerLogLine: Sendable {
    /// A request that the App Store's servers answered.
    case request(RequestLine)
    /// A post of a notification.
    case delivery(DeliveryLine)

    /// Returns the line with the path of a test's store below that of its server.
    func below(_ path: String) -> ServerLogLine {
        switch self {
        case .request(let line): .request(line.below(path))
        case .delivery(let line): .delivery(line.below(path))
        }
    }
}
