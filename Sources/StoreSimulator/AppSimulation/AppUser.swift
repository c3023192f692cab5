import Foundation
import StoreContract
import StoreCore

/// The user of a life, who has one or two devices: the app runs on the one in use, and has separate data on each.
final class AppUser {
    private let store: SandboxStore
    /// The device that the user begins with.
    let first: AppDevice
    /// The second device, once the user has taken it.
    private(set) var second: AppDevice?
    /// The device in use, on which the app runs.
    var current: AppDevice
    /// The devices on which each purchase can be delivered, as bits; empty while there is only one device.
    private var homes: [String: UInt8] = [:]
    /// The user's reply to payment sheets.
    var answer = AppStep.UserAnswer.pays
    /// Whether purchases have been interrupted.
    var hasInterrupted = false

    init(_ store: SandboxStore, seed: UInt64, claims: Int) {
        self.store = store
        first = AppDevice(store.device, place: 0, seed: seed, claims: claims)
        current = first
    }

    var devices: [AppDevice] { [first, second].compactMap(\.self) }
    var usesSecond: Bool { current !== first }

    /// Returns the first or the second device; adds the second if necessary.
    func device(second isSecond: Bool) throws -> AppDevice {
        if !isSecond { return first }
        if let second { return second }
        let device = try store.addDevice(AppStep.secondDeviceName, signedInTo: store.account)
        let new = AppDevice(device, place: 1, seed: first.seed, claims: first.trackers.count)
        second = new
        return new
    }

    /// Sets the store's authorizer for the current reply.
    ///
    /// An app that calls the store directly has its reply at once, so a user who pays need not be queried.
    func setAuthorizer(isDirect: Bool) {
        store.authorizer =
            switch answer {
            case .pays: isDirect ? .approving : .always(.approve)
            case .cancels: .always(.cancel)
            case .isDeclined: .always(.decline())
            case .hesitates: .always(.later)
            }
    }

    /// Notes the devices on which each purchase can be delivered.
    ///
    /// These are the device on which it was ordered, and each device on which the app runs, or is about to run, while
    /// it is new or unfinished.
    func noteHomes(of transactions: [SandboxTransaction], next: AppDevice? = nil) {
        guard let second else { return }
        for index in transactions.indices where transactions[index].isSale {
            let id = transactions[index].id
            let isElsewhere = transactions[index].device.map { $0 != current.device.name } ?? false
            var bits = homes[id] ?? (isElsewhere ? first.bit | second.bit : current.bit)
            if !transactions[index].isFinished { bits |= current.bit | (next?.bit ?? 0) }
            homes[id] = bits
        }
    }

    /// Whether a transaction is a purchase that can be delivered on one of the two devices.
    func hasHome(_ transaction: String) -> Bool { homes[transaction] != nil }

    /// Returns those of some purchases that can be delivered on the device in use.
    func deliverable(_ purchases: [DeliveryTracker.Purchase]) -> [DeliveryTracker.Purchase] {
        if second == nil { return purchases }
        return purchases.compactMap { purchase in
            let bits = homes[purchase.id]
            if (bits ?? current.bit) & current.bit == 0 { return nil }
            var purchase = purchase
            purchase.isDue = bits == current.bit
            return purchase
        }
    }
}

/// One of the user's devices in a life, with the app's data on it.
final class AppDevice {
    /// The time after which a lost message is noticed, in seconds.
    static let timeout: TimeInterval = 60

    let device: SandboxDevice
    /// The fault injector between app and store, once a launch or a step needs one.
    private(set) var wire: FaultInjector?
    let disk = AppStorage.Disk()
    let journal: MemoryJournal
    /// The seed of the faults of its messages.
    fileprivate let seed: UInt64
    /// The bit of the device in a set of devices.
    fileprivate let bit: UInt8
    /// Whether another user has signed in on it.
    var hasOtherUser = false
    /// The delivery trackers, by the numbers of the claims.
    var trackers: [DeliveryTracker]
    /// The deliveries that the app reported last, by the numbers of the claims.
    var deliveries: [Deliveries?]

    /// What an app has delivered of a product.
    enum Deliveries {
        case count(Int)
        case byTransaction([String: Int])
    }

    /// - Parameters:
    ///   - device: the device in the store.
    ///   - place: 0 for the user's first device, 1 for the second.
    ///   - seed: the life's seed.
    ///   - claims: the number of claims.
    init(_ device: SandboxDevice, place: Int, seed: UInt64, claims: Int) {
        self.device = device
        trackers = Array(repeating: DeliveryTracker(), count: claims)
        deliveries = Array(repeating: nil, count: claims)
        bit = 1 << UInt8(place)
        // Journals on one store have different names.
        journal = MemoryJournal(firstID: JournalID(rawValue: 1 + UInt64(place) << 32))
        self.seed = seed &+ UInt64(place)
    }

    /// Returns the fault injector, and creates it if necessary.
    func connectedWire() -> FaultInjector {
        if let wire { return wire }
        let new = FaultInjector(device, seed: seed, timeout: Self.timeout)
        wire = new
        return new
    }
}
