import Foundation
import StoreCore
import StoreCrypto

/// A store over one signer that has sold a product of each type.
///
/// A family shares two of them, one was refunded, and a subscription has been renewed after its free trial. Stores of the
/// same date differ by their signatures and environments only.
struct SampleStore {
    private let date: Date
    private let signer: AppStoreSigner
    private let device: SandboxDevice
    /// The device of a member of the family.
    private let memberDevice: SandboxDevice

    static let bundleIdentifier = "com.example.app"
    static let appAppleIdentifier: Int64 = 1_234_567_890
    private static let group = "passes"
    private static let products: [SandboxProduct] = [
        .consumable("com.example.coins", price: "0.99"),
        .nonConsumable("com.example.castle", price: "4.99", isFamilyShareable: true),
        .nonRenewing("com.example.season", price: "19.99"),
        .autoRenewable(
            "com.example.monthly",
            price: "9.99",
            period: .init(1, .month),
            group: group,
            introductoryOffer: .freeTrial(.init(1, .week)),
            isFamilyShareable: true
        ),
    ]

    /// Creates a store, whose clock stands still at a date; `makeSigner` gets the clock.
    init(at date: Date, makeSigner: (any StoreClock) throws -> AppStoreSigner) throws {
        self.date = date
        let clock = ManualClock(startingAt: date - 10 * 86_400)
        signer = try makeSigner(clock)
        let store = try SandboxStore(
            products: Self.products,
            clock: clock,
            locale: "en_US",
            signer: signer,
            bundleIdentifier: Self.bundleIdentifier,
            appAppleIdentifier: Self.appAppleIdentifier
        )
        device = store.device
        let member = try store.addAccount("member")
        memberDevice = try store.addDevice("tablet", signedInTo: member)
        try store.addFamily("family", organizer: store.account).add(member)
        for product in Self.products { try store.account.buy(product.identifier) }
        clock.advance(to: date)
        for sold in try store.account.signedTransactions where sold.payload.type == .nonRenewing {
            try store.refund(sold.payload.transactionId)
        }
    }

    private var accounts: [SandboxAccount] { [device, memberDevice].compactMap(\.account) }

    /// The transactions of both accounts, as servers are given them.
    func transactions() throws -> [SignedValue<TransactionPayload>] {
        try accounts.flatMap { try $0.signedTransactions }
    }

    /// The subscriptions of both accounts, as servers are given them.
    func subscriptions() throws -> [SignedSubscription] {
        try accounts.flatMap { try $0.signedSubscriptions(inGroup: Self.group) }
    }

    /// The app's purchase, for a server and for a device.
    func appTransactions() throws -> [SignedValue<AppTransactionPayload>] {
        try accounts.prefix(1).map { try $0.signedAppTransaction } + [device.signedAppTransaction]
    }

    /// The receipts of both devices' transactions, with the transactions' identifiers.
    func transactionReceipts() throws -> [(transaction: String, receipt: Data)] {
        try [device, memberDevice].flatMap { device in
            try device.signedTransactions.map(\.payload.transactionId).map { transaction in
                (transaction, try Self.signed(device.receipt(forTransaction: transaction)))
            }
        }
    }

    /// The device's app receipt.
    func appReceipt() throws -> Data { try Self.signed(device.appReceipt) }

    /// The attributes of the app receipt, of a signer without a defect, and the first transaction in it.
    func appReceiptContent() throws -> (attributes: Data, transaction: String) {
        let receipt = try appReceipt()
        let purchases = try AppReceipt(verifying: receipt, signer: signer).purchases
        return (try signer.open(receipt) { _ in date }, purchases[0].transactionIdentifier)
    }

    /// A store leaves out what its signer fails to sign.
    private static func signed(_ receipt: Data?) throws -> Data {
        guard let receipt else { throw NotSigned() }
        return receipt
    }

    private struct NotSigned: Error {}
}
