import Foundation
import StoreCore

/// The identifiers by which an app and its server know the users of a device, from the life's seed.
struct AppCustomers: Sendable {
    /// The identifiers by the names of the accounts; the store's own account is first.
    let all: [(account: String, identifier: String)]
    private let device: SandboxDevice

    init(of accounts: [String], on device: SandboxDevice, seed: UInt64) {
        var random = SplitMix64(seed: seed, stream: 3)
        all = accounts.map { ($0, random.uuid().uuidString.lowercased()) }
        self.device = device
    }

    private init(_ all: [(account: String, identifier: String)], on device: SandboxDevice) {
        (self.all, self.device) = (all, device)
    }

    /// Returns the same customers, of whom one uses a device.
    func on(_ device: SandboxDevice) -> Self { Self(all, on: device) }

    /// The identifier of the device's user.
    var current: String {
        let name = device.account?.name
        return all.first { $0.account == name }?.identifier ?? all[0].identifier
    }
}
