import Foundation
import StoreContract
import StoreCore

/// A simulation: a store, its devices with their apps, and the model beside them.
final class Simulation: @unchecked Sendable {  // unchecked: a run uses one thread
    let clock = ManualClock()
    /// The clock of the queues' pauses: a queue that cannot reach its store retries every few minutes, a hundred
    /// thousand times in the year that a subscription may take.
    let pauses = ManualClock()
    let crashInjector: CrashInjector
    let eventLog = EventLog(devices: 3)
    let disk: LedgerDisk
    let journals: [JournalDisk]
    let standIn: StandIn
    let modelDriver: ModelDriver
    var store: SandboxStore
    /// Whether what is sent to devices is in the store's timeline.
    var tracesDeliveries = false { didSet { store.tracesDeliveries = tracesDeliveries } }
    var endpoints: [StoreEndpoint] = []
    var wires: [FaultInjector] = []
    /// The direct wires of the devices, which commands and updates pass; empty in runs on the socket.
    var directWires: [DirectWire] = []
    var apps: [AppRun] = []
    let taskLane = TaskLane()
    /// The states in which each device's history was last read: it is read again only after a change.
    var readHistories: [Int: HistoryState] = [:]
    /// The last number of failed readings of histories, and the time of the queues' pauses by which they are repeated.
    var historyFailures = (count: 0, repetition: Date.distantPast)
    /// Whether any app has used Store Kit 2.
    var usesTasks = false
    var isObserved = [true, true, true]
    /// The users who have signed in, by device, until the listeners there know what was revoked before.
    var newUsers: [Int: Int?] = [:]
    /// The payments that apps have added in this operation, and their devices.
    var addedInOperation: [(tag: Int, device: Int)] = []
    /// Whether the queues work on their own lanes, as they do by default on a store in a file.
    let hasOwnLanes: Bool
    var checkedRecords = -1
    /// The number of signed requests and of requests of the developer's server.
    var requests = 0
    /// The nonce and the reference of the last signed request.
    var lastRequest: (nonce: UUID, reference: UUID)?
    /// The prices that apps last read.
    var checkedPrices: Prices?

    init(seed: UInt64, coverage: Coverage, storage: Storage, standIn: @escaping StandIn) throws {
        self.standIn = standIn
        hasOwnLanes = seed & 4 == 4
        disk = LedgerDisk(try storage.machine(0, seed: seed))
        journals = try (0..<3).map { JournalDisk(device: $0, try storage.machine(UInt64($0) + 1, seed: seed)) }
        let isDirect = Transport(seed: seed) == .direct
        crashInjector = CrashInjector(apps: 3, passesDisk: seed & 2 == 2, directCoverage: isDirect ? coverage : nil)
        modelDriver = ModelDriver(asks: seed & 1 == 1, clock: clock, crashInjector, eventLog, disk, coverage)
        eventLog.user = { [unowned modelDriver] in modelDriver.model.devices[$0].account }
        store = try Self.open(disk, clock, crashInjector, modelDriver)
        eventLog.hearsWithoutObserver = { [unowned self] in !isObserved[$0] && apps[$0].tasks.isInUse }
        modelDriver.terms = { [unowned self] identifier in
            let transaction = modelDriver.transaction(identifier)
            let cost = transaction?.chargedAmount
            return (cost.map { NSDecimalNumber(decimal: $0 * 100).intValue }, transaction?.expirationDate)
        }
        modelDriver.transaction = { [unowned self] identifier in
            try? store.chain(of: identifier).first { $0.id == identifier }
        }
        let bob = try store.addAccount(Model.accountNames[1])
        _ = try store.addDevice(Model.deviceNames[1], signedInTo: store.account)
        _ = try store.addDevice(Model.deviceNames[2], signedInTo: bob)
        for (index, device) in store.devices.enumerated() {
            endpoints.append(makeEndpoint(index, standIn(device), isDirect: isDirect, isSelfContained: seed & 16 == 16))
            wires.append(FaultInjector(endpoints[index], seed: seed))
            apps.append(makeApp(index))
            apps[index].observe()
        }
    }

    /// Puts an endpoint in front of a device's backend, and a direct wire if it is asked directly.
    private func makeEndpoint(
        _ device: Int,
        _ backend: any StoreBackend,
        isDirect: Bool,
        isSelfContained: Bool
    ) -> StoreEndpoint {
        let requests = eventLog.requests[device]
        guard isDirect, let backend = backend as? any ImmediateStore else {
            return StoreEndpoint(device, backend, clock, modelDriver, crashInjector, requests)
        }
        let endpoint = DirectStoreEndpoint(device, backend, clock, modelDriver, crashInjector, requests)
        directWires.append(DirectWire(endpoint, modelDriver.coverage, isSelfContained: isSelfContained))
        return endpoint
    }

    /// Launches the app of a device.
    func makeApp(_ device: Int) -> AppRun {
        AppRun(
            device,
            wires[device],
            directWires.isEmpty ? nil : directWires[device],
            journals[device],
            clock,
            pauses,
            crashInjector,
            eventLog,
            taskLane: taskLane,
            hasOwnLane: hasOwnLanes
        )
    }

    static let products: [SandboxProduct] =
        [
            .consumable("sword", price: "0.99").priced("1.09", in: "DEU"),
            .consumable("gift", price: "1.99"),
            .consumable("shield", price: "2.99").notSold(in: "FRA"),
            .nonConsumable("game", price: "4.99", isFamilyShareable: true).notSold(in: "FRA")
                .hosting(DownloadMonitor.content, version: "1"),
            .nonRenewing("season", price: "7.99").notSold(in: "DEU"),
            .autoRenewable(
                "basic",
                price: "4.99",
                period: .init(1, .month),
                group: "club",
                level: 2,
                introductoryOffer: .freeTrial(.init(1, .week)),
                offerCodes: [
                    .init(.freeTrial(.init(1, .month), identifier: "friends"), eligibility: .new, isStackable: true)
                ],
                isFamilyShareable: true
            ),
            .autoRenewable(
                "gold",
                price: "9.99",
                period: .init(1, .month),
                group: "club",
                level: 1,
                promotionalOffers: [
                    .payAsYouGo(price: "4.99", every: .init(1, .month), times: 2, identifier: "winter"),
                    .payUpFront(price: "10.49", for: .init(1, .month), identifier: "dear"),
                ],
                offerCodes: [
                    .init(
                        .payUpFront(price: "14.99", for: .init(3, .month), identifier: "encore"),
                        eligibility: [.existing, .expired]
                    )
                ],
                winBackOffers: [.init(.freeTrial(.init(1, .month), identifier: "comeback"))],
                isFamilyShareable: true
            )
            .priced("10.99", in: "DEU"),
            .subscriptionSuite("silver", price: "8.99", period: .init(1, .month), group: "club", level: 1)
                .notSold(in: "DEU"),
            .autoRenewable("journal", price: "49.99", period: .init(1, .year), group: "press")
                .billedMonthly(price: "4.49"),
            .autoRenewable("films", price: "3.99", period: .init(1, .month), group: "films"),
            .autoRenewable("songs", price: "2.99", period: .init(1, .month), group: "songs"),
            .subscriptionBundle(
                "bundle",
                price: "5.99",
                period: .init(1, .month),
                group: "bundles",
                members: ["films", "songs"]
            ),
        ] + generic

    private static let generic: [SandboxProduct] = {
        var products: [SandboxProduct] = [
            .consumable("generic", price: "0.29"),
            .autoRenewable("pass", price: "0.29", period: .init(1, .month), group: "requests"),
        ]
        for index in products.indices { products[index].isAdvancedCommerce = true }
        return products
    }()

    static let signer = HMACReceiptSigner(key: Data(repeating: 7, count: 32))

    static func open(
        _ disk: LedgerDisk,
        _ clock: ManualClock,
        _ crashInjector: CrashInjector,
        _ modelDriver: ModelDriver
    ) throws -> SandboxStore {
        let authorizer = Authorizer { [unowned modelDriver] in modelDriver.asked($0) }
        let ledger = try disk.open(crashInjector)
        // Later price changes by the operator are in the ledger.
        let store = try SandboxStore(
            products: disk.head == 0 ? products : [],
            clock: ProcessClock(clock, crashInjector.store),
            ledger: ledger,
            locale: "en_US",
            authorizer: modelDriver.asks ? authorizer : .approving,
            signer: signer,
            bundleIdentifier: bundleIdentifier
        )
        store.offerSigners = [offerSigner]
        store.downloadPace = .bytesPerSecond(DownloadMonitor.rate, inChunksOf: DownloadMonitor.pieceSize)
        return store
    }

    var waitingForOperator: Int { modelDriver.model.undecided.count }
}

/// A function that returns a backend in place of a device's: the backend itself, or one that violates a promise.
package typealias StandIn = @Sendable (any StoreBackend) -> any StoreBackend
