import Foundation
import Testing

@testable import StoreCore

/// The purchase of the app itself.
@Suite struct AppPurchaseTests {
    private static let date = Market.date("2019-05-01T00:00:00Z")
    private let market: Market
    private let app: App
    private var store: SandboxStore { market.store }

    init() throws { (market, app) = try Market.withApp() }

    @Test func `A store's purchase of the app is stated for every account, and for nobody`() throws {
        let bob = try store.addAccount("bob")
        try store.setAppPurchase(AppPurchase(version: "2.1", date: Self.date, platform: .macOS))
        let nobody = try store.addDevice("nobody's", signedInTo: nil)
        let all = try [store.account.signedAppTransaction, bob.signedAppTransaction, nobody.signedAppTransaction]
        for payload in all.map(\.payload) {
            #expect(payload.originalApplicationVersion == "2.1" && payload.originalPurchaseDate.date == Self.date)
            #expect(payload.originalPlatform == "macOS")
        }
    }

    @Test func `What is not set for an account is the store's`() throws {
        let bob = try store.addAccount("bob")
        try store.setAppPurchase(AppPurchase(version: "3", platform: .iOS))
        try bob.setAppPurchase(AppPurchase(version: "2.1", date: Self.date))
        let (his, other) = try (bob.signedAppTransaction.payload, store.account.signedAppTransaction.payload)
        #expect(his.originalApplicationVersion == "2.1" && his.originalPurchaseDate.date == Self.date)
        #expect(his.originalPlatform == "iOS")
        #expect(other.originalApplicationVersion == "3" && other.originalPlatform == "iOS")
        #expect(other.originalPurchaseDate.date == AppTransactionPayload.testPurchaseDate)
        #expect(bob.appPurchase == AppPurchase(version: "2.1", date: Self.date))
        #expect(store.appPurchase == AppPurchase(version: "3", platform: .iOS))
        #expect(store.account.appPurchase == AppPurchase())
    }

    @Test func `The next app receipt states the purchase of the account that is signed in`() throws {
        app.buy("sword")
        let before = try store.verify(appReceipt: #require(store.appReceipt))
        #expect(before.originalBundleVersion == "1.0" && before.originalPurchaseDate == AppReceipt.testPurchaseDate)
        try store.account.setAppPurchase(AppPurchase(version: "2.1", date: Self.date))
        let after = try store.verify(appReceipt: #require(store.appReceipt))
        #expect(after.originalBundleVersion == "2.1" && after.originalPurchaseDate == Self.date)
        try store.device.signIn(to: try store.addAccount("bob"))
        let others = try store.verify(appReceipt: #require(store.appReceipt))
        #expect(others.originalBundleVersion == "1.0" && others.originalPurchaseDate == AppReceipt.testPurchaseDate)
    }

    @Test func `Without a setting, payloads and receipts are as before it`() throws {
        app.buy("sword")
        let payload = try store.account.signedAppTransaction.payload
        try store.setAppPurchase(AppPurchase(version: "2.1", date: Self.date, platform: .macOS))
        #expect(try store.account.signedAppTransaction.payload != payload)
        try store.setAppPurchase(AppPurchase())
        #expect(try store.account.signedAppTransaction.payload == payload)
        #expect(String(decoding: payload.json, as: UTF8.self).contains("originalPlatform") == false)
    }

    @Test func `A store that continues the ledger has the settings`() throws {
        try store.setAppPurchase(AppPurchase(platform: .visionOS))
        try store.account.setAppPurchase(AppPurchase(version: "2.1", date: Self.date))
        let next = try SandboxStore(clock: market.clock, ledger: market.ledger)
        #expect(next.appPurchase == AppPurchase(platform: .visionOS))
        #expect(next.account.appPurchase == AppPurchase(version: "2.1", date: Self.date))
    }

    @Test func `A record and a snapshot keep the settings`() throws {
        let purchase = AppPurchase(version: "2.1", date: Self.date, platform: .tvOS)
        var state = SandboxState()
        for account in [nil, 0] as [AccountID?] {
            let event = StoreEvent.operator(.appPurchase(account: account, purchase))
            let record = LedgerRecord(date: Self.date, event: event)
            #expect(try LedgerRecord(unpacking: record.packed()) == record)
            state.apply(record)
        }
        var pack = BinaryEncoder()
        try state.pack(into: &pack)
        var unpacking = BinaryDecoder(pack.data)
        let again = try SandboxState(unpacking: &unpacking).operatorState
        #expect(again.appPurchases[nil] == purchase && again.appPurchases[0] == purchase)
    }

    @Test func `A snapshot without a setting has no word of it, and can be read`() throws {
        var state = OperatorState()
        state.askingAccounts = [0]
        state.appPurchases[0] = AppPurchase(version: "2.1")
        state.appPurchases[0] = AppPurchase()
        let json = try JSONEncoder().encode(state)
        #expect(!String(decoding: json, as: UTF8.self).contains("ppPurchases"))
        #expect(try JSONDecoder().decode(OperatorState.self, from: json) == state)
    }

    @Test func `A purchase that no receipt can state is refused, and changes nothing`() throws {
        app.buy("sword")
        try store.setAppPurchase(AppPurchase(version: "3"))
        let head = try market.ledger.head
        for purchase in [
            AppPurchase(version: ""), AppPurchase(date: .distantFuture + 1e12),
            AppPurchase(date: Date(timeIntervalSince1970: .nan)),
        ] {
            #expect { try store.setAppPurchase(purchase) } throws: { error in
                "\(error)".hasPrefix("the app cannot have been bought that way: ")
            }
            #expect(throws: SandboxError.self) { try store.account.setAppPurchase(purchase) }
        }
        #expect(try market.ledger.head == head && store.appPurchase == AppPurchase(version: "3"))
        #expect(store.account.appPurchase == AppPurchase() && store.appReceipt != nil)
    }

    @Test func `The timeline tells what was set, once`() throws {
        let bob = try store.addAccount("bob")
        let count = try store.timeline.entries.count
        for _ in 1...2 { try bob.setAppPurchase(AppPurchase(version: "2.1", date: Self.date, platform: .iOS)) }
        try store.setAppPurchase(AppPurchase(version: "3"))
        let entries = try store.timeline.entries.dropFirst(count)
        #expect(entries.map(\.account) == ["bob", nil])
        let told = [
            "bought the app: version 2.1, 2019-05-01T00:00:00Z, iOS from now on",
            "bought the app: version 3 from now on",
        ]
        #expect(entries.map(\.what) == told)
    }
}
