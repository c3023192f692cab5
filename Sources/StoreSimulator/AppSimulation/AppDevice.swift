import Foundation
import StoreContract
import StoreCore

/// One of the user's devices in a life, with what the app keeps on it.
final class AppDevice {
    /// The time after which a lost message shows, in seconds.
    static let timeout: TimeInterval = 60

    let device: SandboxDevice
    /// The wire to the store, once a launch or a step needs one.
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
        // Journals on one store share no names.
        journal = MemoryJournal(firstID: JournalID(rawValue: 1 + UInt64(place) << 32))
        self.seed = seed &+ UInt64(place)
    }

    /// Returns the wire, made now if nothing has needed it before.
    func connectedWire() -> FaultInjector {
        if let wire { return wire }
        let new = FaultInjector(device, seed: seed, timeout: Self.timeout)
        wire = new
        return new
    }
}
