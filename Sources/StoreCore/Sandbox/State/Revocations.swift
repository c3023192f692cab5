import Foundation

/// What does not count any more although it was bought, and which devices have yet to hear that access ended.
struct Revocations: Codable, Sendable {
    /// What a device's app is to be told once.
    private struct Revocation: Codable, Sendable {
        let account: Int
        /// How long the ledger was then.
        let position: Int
        let productIdentifiers: [String]
    }

    /// For each transaction that does not count any more, since when.
    private var cancellations: [String: Date] = [:]
    /// For each device, what its app has not heard of, oldest first.
    private var notices: [Int: [Revocation]] = [:]
    /// How long the ledger was when all transactions were deleted for the last time.
    private var cleared = 0

    /// Since when a transaction does not count any more; nil while it does.
    func cancellation(of transaction: String) -> Date? { cancellations.isEmpty ? nil : cancellations[transaction] }

    /// Since when a transaction does not count any more, or what it restores.
    func cancellation(of transaction: StoreTransaction) -> Date? {
        if cancellations.isEmpty { return nil }
        let isRestored = transaction.state == .restored
        return (isRestored ? transaction.original?.identifier : transaction.identifier).flatMap { cancellations[$0] }
    }

    mutating func cancel(_ transaction: String, _ date: Date) { cancellations[transaction] = date }

    /// An account's access to some products has ended, which an app on a device is to hear.
    mutating func notify(_ account: Int, on device: Int, _ productIdentifiers: [String], at position: Int) {
        let notice = Revocation(account: account, position: position, productIdentifiers: productIdentifiers)
        notices[device, default: []].append(notice)
    }

    /// An app has heard all that concerns the account that is signed in on its device.
    mutating func tell(_ account: Int, on device: Int, through position: Int) {
        if notices.isEmpty { return }
        notices[device]?.removeAll { $0.account == account && $0.position <= position }
        if notices[device]?.isEmpty == true { notices[device] = nil }
    }

    /// Whether an app on a device has to hear of something that came up to a position.
    func isAwaited(on device: Int, through position: Int) -> Bool {
        if notices.isEmpty { return false }
        return notices[device]?.contains { $0.position <= position } ?? false
    }

    /// What an app on a device has to hear when an account is signed in there.
    func awaited(by account: Int, on device: Int) -> [[String]] {
        notices[device]?.filter { $0.account == account }.map(\.productIdentifiers) ?? []
    }

    /// Every transaction is gone; what has ended has ended.
    mutating func clear(at position: Int) {
        cancellations = [:]
        notices = [:]
        cleared = position
    }

    /// Whether apps do not hear any more what a record says that has ended.
    func isForgotten(at position: Int) -> Bool { position <= cleared }
}

extension SandboxState {
    /// Access has ended: all devices on which the account was ever signed in have to hear of it, once each.
    mutating func notify(_ account: Int, _ productIdentifiers: [String]) {
        if productIdentifiers.isEmpty { return }
        for device in devices.indices where devices[device].accounts.contains(account) {
            revocations.notify(account, on: device, productIdentifiers, at: position)
        }
    }

    /// What an app on a device has yet to hear of access that ended.
    func revocations(on device: Int) -> [StoreUpdate] {
        revocations.awaited(by: devices[device].account, on: device).map { .revoked(productIdentifiers: $0) }
    }

    /// Adds what the end of an account's access means to a queue on a device.
    func addRevocation(
        of productIdentifiers: [String],
        from account: Int,
        for device: Int,
        to updates: inout [StoreUpdate]
    ) {
        guard devices[device].account == account, !productIdentifiers.isEmpty else { return }
        updates.append(.revoked(productIdentifiers: productIdentifiers))
    }
}
