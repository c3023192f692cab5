import Foundation
import StoreContract
import StoreCore

// The user's two devices: the app runs on the one in use, and has separate data on each.
extension AppLife {
    /// Ends the app on one device and launches it on the other; returns whether the device has changed.
    func use(second isSecond: Bool) throws -> Bool {
        guard isSecond != (hand !== first) else { return false }
        // The sales so far belong to the device that is put aside.
        try readTransactions()
        if second == nil {
            let device = try store.addDevice(AppStep.secondDeviceName, signedInTo: store.account)
            second = AppDevice(device, place: 1, seed: seed, claims: setup.claims.count)
            homes = [:]
        }
        let next = isSecond ? second ?? first : first
        noteHomes(next: next)
        relaunch(on: next)
        return true
    }

    /// Notes the devices on which each purchase can be delivered.
    ///
    /// These are the device on which it was ordered, and each device on which the app runs while it is new or
    /// unfinished.
    ///
    /// - Parameter next: a device on which the app is about to run.
    func noteHomes(next: AppDevice? = nil) {
        guard let second, var homes else { return }
        self.homes = nil
        for index in transactions.indices where transactions[index].isSale {
            let id = transactions[index].id
            let orderedOn = transactions[index].device
            let isElsewhere = orderedOn != nil && orderedOn != hand.device.name
            var bits = homes[id] ?? (isElsewhere ? first.bit | second.bit : hand.bit)
            if !transactions[index].isFinished { bits |= hand.bit | (next?.bit ?? 0) }
            homes[id] = bits
        }
        self.homes = homes
    }

    /// Checks that purchases that may be delivered on either device were delivered on one of them.
    func checkBothDevices(_ step: Int) throws {
        guard let second else { return }
        for (index, claim) in setup.claims.enumerated() {
            let sentence: String?
            switch (claim, first.deliveries[index], second.deliveries[index]) {
            case (.holds(let product, _), .count(let here)?, .count(let there)?):
                let owed = sales(of: product, index).reduce(0) { $1.isRefunded ? $0 : $0 + $1.quantity }
                sentence =
                    here + there < owed
                    ? "\(product): \(owed) paid for, and only \(here + there) delivered on both devices" : nil
            case (.delivers(let product, _), .byTransaction(let here)?, .byTransaction(let there)?):
                let lost = sales(of: product, index).first {
                    !$0.isRefunded && max(here[$0.id, default: 0], there[$0.id, default: 0]) < $0.quantity
                }
                sentence = lost.map {
                    "\(product): \($0.quantity) paid for in transaction \($0.id), and not delivered on either device"
                }
            default: sentence = nil
            }
            if let sentence { throw Violation("claim \(index)", sentence: sentence, step: step) }
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
    private let seed: UInt64
    /// The bit of the device in a set of devices.
    let bit: UInt8
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
