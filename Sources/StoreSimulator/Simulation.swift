import Foundation
import StoreContract
import StoreCore

/// A simulation: a store, its devices with their apps, and the model beside them.
final class Simulation: @unchecked Sendable {  // unchecked: a life is lived on one thread
    static let deviceNames = ["device", "tablet", "phone"]
    static let accountNames = ["account", "bob"]

    let clock = ManualClock()
    /// The clock of the queues' pauses: a queue that cannot reach its store retries every few minutes, a hundred
    /// thousand times in the year that a subscription may take.
    let pauses = ManualClock()
    let lifeline: CrashInjector
    let diary = EventLog(devices: 3)
    let disk: LedgerDisk
    let journals: [JournalDisk]
    let standIn: StandIn
    let witness: ModelDriver
    var store: SandboxStore
    var gates: [StoreGate] = []
    var wires: [FaultInjector] = []
    /// The direct roads of the devices, which commands and updates pass; empty in runs on the socket.
    var roads: [DirectWire] = []
    var apps: [AppRun] = []
    var isObserved = [true, true, true]
    /// The payments that apps have added in this operation, and their devices.
    var addedInStep: [(tag: Int, device: Int)] = []
    /// Whether the queues work on their own lanes, as they do by default on a store in a file.
    let hasOwnLanes: Bool
    var checkedRecords = -1
    /// The prices that apps last read.
    var checkedPrices: Prices?

    init(seed: UInt64, coverage: Coverage, storage: Storage, standIn: @escaping StandIn) throws {
        self.standIn = standIn
        hasOwnLanes = seed & 4 == 4
        disk = LedgerDisk(try storage.machine(0, seed: seed))
        journals = try (0..<3).map { JournalDisk(device: $0, try storage.machine(UInt64($0) + 1, seed: seed)) }
        let isDirect = Road(seed: seed) == .direct
        lifeline = CrashInjector(apps: 3, passesDisk: seed & 2 == 2, directCoverage: isDirect ? coverage : nil)
        witness = ModelDriver(asks: seed & 1 == 1, clock: clock, lifeline, diary, disk, coverage)
        diary.user = { [unowned witness] in witness.model.devices[$0].account }
        store = try Self.open(disk, clock, lifeline, witness)
        witness.charge = { [unowned self] identifier in
            let cost = try? store.chain(of: identifier).first { $0.id == identifier }?.charge
            return cost.map { NSDecimalNumber(decimal: $0 * 100).intValue }
        }
        let bob = try store.addAccount(Self.accountNames[1])
        _ = try store.addDevice(Self.deviceNames[1], signedInTo: store.account)
        _ = try store.addDevice(Self.deviceNames[2], signedInTo: bob)
        for (index, device) in store.devices.enumerated() {
            gates.append(makeGate(index, standIn(device), isDirect: isDirect, isSelfContained: seed & 16 == 16))
            wires.append(FaultInjector(gates[index], seed: seed))
            apps.append(makeApp(index))
            apps[index].observe()
        }
    }

    /// Puts a gate in front of a device's backend, and a road if it is asked directly.
    private func makeGate(
        _ device: Int,
        _ backend: any StoreBackend,
        isDirect: Bool,
        isSelfContained: Bool
    ) -> StoreGate {
        let inquiries = diary.inquiries[device]
        guard isDirect, let backend = backend as? any ImmediateStore else {
            return StoreGate(device, backend, clock, witness, lifeline, inquiries)
        }
        let gate = DirectStoreGate(device, backend, clock, witness, lifeline, inquiries)
        roads.append(DirectWire(gate, witness.coverage, isSelfContained: isSelfContained))
        return gate
    }

    /// Launches the app of a device.
    func makeApp(_ device: Int) -> AppRun {
        AppRun(
            device,
            wires[device],
            roads.isEmpty ? nil : roads[device],
            journals[device],
            clock,
            pauses,
            lifeline,
            diary,
            hasOwnLane: hasOwnLanes
        )
    }

    private static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99").priced("1.09", in: "DEU"),
        .consumable("gift", price: "1.99"),
        .consumable("shield", price: "2.99").notSold(in: "FRA"),
        .nonConsumable("game", price: "4.99", isFamilyShareable: true).notSold(in: "FRA")
            .hosting(DownloadWatch.content, version: "1"),
        .nonRenewing("season", price: "7.99").notSold(in: "DEU"),
        .autoRenewable(
            "basic",
            price: "4.99",
            period: .init(1, .month),
            group: "club",
            level: 2,
            introductoryOffer: .freeTrial(.init(1, .week)),
            codeOffers: [
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
            codeOffers: [
                .init(
                    .payUpFront(price: "14.99", for: .init(3, .month), identifier: "encore"),
                    eligibility: [.existing, .expired]
                )
            ],
            winBackOffers: [.init(.freeTrial(.init(1, .month), identifier: "comeback"))],
            isFamilyShareable: true
        )
        .priced("10.99", in: "DEU"),
        .autoRenewable("silver", price: "8.99", period: .init(1, .month), group: "club", level: 1)
            .notSold(in: "DEU"),
    ]

    static let signer = HMACReceiptSigner(key: Data(repeating: 7, count: 32))

    static func open(
        _ disk: LedgerDisk,
        _ clock: ManualClock,
        _ lifeline: CrashInjector,
        _ witness: ModelDriver
    ) throws -> SandboxStore {
        let authorizer = Authorizer { [unowned witness] in witness.asked($0) }
        let ledger = try disk.open(lifeline)
        // Later price changes by the operator are in the ledger.
        let store = try SandboxStore(
            products: disk.head == 0 ? products : [],
            clock: MortalClock(clock, lifeline.store),
            ledger: ledger,
            locale: "en_US",
            authorizer: witness.asks ? authorizer : .approving,
            signer: signer,
            bundleIdentifier: bundleIdentifier
        )
        store.offerSigners = [offerSigner]
        store.downloadPace = .bytesPerSecond(DownloadWatch.rate, inChunksOf: DownloadWatch.pieceSize)
        return store
    }

    var waitingForOwner: Int { witness.model.undecided.count }
}
