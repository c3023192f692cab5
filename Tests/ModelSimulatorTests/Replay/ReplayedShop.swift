import Foundation
import ModelSimulator
import StoreCore

/// A store with two devices that sells some of the simulator's products, and a ledger whose records a test can change.
final class ReplayedShop {
    /// The length of every subscription period, in seconds.
    static let period: TimeInterval = 60
    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("game", price: "4.99"),
        .autoRenewable(
            "basic",
            price: "4.99",
            period: .init(1, .month),
            group: "club",
            level: 2,
            introductoryOffer: .freeTrial(.init(1, .week))
        ),
        .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "club", level: 1),
    ]

    let ledger = MemoryLedger()
    let store: SandboxStore
    let phone: SandboxDevice
    let tablet: SandboxDevice
    private var orders = 0

    init() throws {
        store = try SandboxStore(products: Self.products, ledger: ledger, renewalRate: .everyPeriod(.minute))
        phone = store.device
        tablet = try store.addDevice("tablet", signedInTo: store.addAccount("bob"))
    }

    /// The records of the ledger so far.
    var records: [LedgerRecord] { ledger.read(after: 0, limit: ledger.head) }

    /// Replays the ledger.
    func replay() throws -> LedgerReplay { try LedgerReplay(of: ledger, periodLength: Self.period) }

    /// Replays changed records.
    static func replay(_ records: [LedgerRecord]) throws -> LedgerReplay {
        let ledger = MemoryLedger()
        _ = ledger.append(records, ifHeadIs: 0)
        return try LedgerReplay(of: ledger, periodLength: period)
    }

    /// Buys as a queue does, under a number of the payment's own; returns the transaction.
    @discardableResult
    func buy(_ product: String, as number: Int, quantity: Int = 1, on device: SandboxDevice) throws -> String {
        let payment = StorePayment(productIdentifier: product, quantity: quantity, applicationUsername: "\(number)")
        submit(.purchase(payment), on: device)
        return try store.transactions.last?.id ?? ""
    }

    func finish(_ transaction: String, on device: SandboxDevice) {
        submit(.finish(transaction: transaction), on: device)
    }
    func restore(on device: SandboxDevice) { submit(.restore(applicationUsername: nil), on: device) }

    private func submit(_ action: StoreCommand.Action, on device: SandboxDevice) {
        orders += 1
        let journal = JournalID(rawValue: device === phone ? 1 : 2)
        device.submit([StoreCommand(id: OrderID(journal: journal, number: orders), action: action)]) { _ in }
    }

    /// Purchases, finishes, restores, refunds and renewals on both devices.
    func trade() throws {
        finish(try buy("sword", as: 1, quantity: 3, on: phone), on: phone)
        let game = try buy("game", as: 2, on: phone)
        finish(game, on: phone)
        try buy("game", as: 3, on: phone)
        try buy("basic", as: 4, on: tablet)
        store.advance(by: 2 * Self.period)
        try buy("gold", as: 5, on: tablet)
        try buy("basic", as: 6, on: tablet)
        restore(on: phone)
        store.advance(by: 1.5 * Self.period)
        for transaction in try tablet.unfinished { finish(transaction.id, on: tablet) }
        restore(on: tablet)
        try store.refund(game)
        try buy("ghost", as: 7, on: phone)
        try tablet.account?.setAutoRenew(false, inGroup: "club")
        store.advance(by: Self.period)
        try buy("gold", as: 8, on: tablet)
        try tablet.signOut()
        try buy("sword", as: 9, on: tablet)
        try tablet.signIn(to: store.account)
        try buy("sword", as: 10, on: tablet)
        store.advance(by: 3 * Self.period)
    }
}

extension LedgerRecord {
    /// The name of its event, in its encoded form.
    var kind: String {
        get throws { try JSONDecoder().decode(Form.self, from: JSONEncoder().encode(self)).event.keys.first ?? "" }
    }

    private struct Form: Decodable {
        let event: [String: Ignored]
        struct Ignored: Decodable {}
    }

    /// Returns the record with some text of its encoded form replaced.
    func replacing(_ text: String, with other: String) throws -> LedgerRecord {
        let form = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        return try JSONDecoder().decode(Self.self, from: Data(form.replacing(text, with: other).utf8))
    }
}
