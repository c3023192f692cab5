import StoreContract
import StoreCore

/// One of the user's devices in a life, with what the app keeps on it.
final class AppDevice {
    let device: SandboxDevice
    let injector: FaultInjector
    let disk = AppStorage.Disk()
    let journal: MemoryJournal
    /// The bit of the device in a set of devices.
    let bit: UInt8
    /// Whether another user has signed in on it.
    var hasOtherUser = false
    /// What can have been delivered of each product that is counted.
    var trackers: [String: DeliveryTracker] = [:]
    /// What the app has last said that it delivered, by the number of the claim.
    var deliveries: [Int: Deliveries] = [:]

    /// What an app has delivered of a product.
    enum Deliveries {
        case count(Int)
        case byTransaction([String: Int])
    }

    /// - Parameters:
    ///   - device: the device in the store.
    ///   - place: 0 for the user's first device, 1 for the second.
    ///   - seed: the life's seed.
    init(_ device: SandboxDevice, place: Int, seed: UInt64) {
        self.device = device
        bit = 1 << UInt8(place)
        // Journals on one store share no names.
        journal = MemoryJournal(firstID: JournalID(rawValue: 1 + UInt64(place) << 32))
        injector = FaultInjector(device, seed: seed &+ UInt64(place))
    }
}
