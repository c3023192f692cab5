import StoreCore

/// The identifiers by which an app and its server know the users of a device, from the life's seed.
struct AppCustomers: Sendable {
    /// The identifiers by the names of the accounts; the store's own account is first.
    let all: [(account: String, identifier: String)]
    private let device: SandboxDevice

    init(of accounts: [String], on device: SandboxDevice, seed: UInt64) {
        var random = SplitMix64(seed: seed, stream: 3)
        all = accounts.map { ($0, Self.identifier(&random)) }
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

    /// Returns a random UUID of version 4.
    private static func identifier(_ random: inout SplitMix64) -> String {
        var digits = (0..<2).flatMap { _ in
            let text = String(random.next(), radix: 16)
            return Array(String(repeating: "0", count: 16 - text.count) + text)
        }
        (digits[12], digits[16]) = ("4", "8")
        for place in [20, 16, 12, 8] { digits.insert("-", at: place) }
        return String(digits)
    }
}
