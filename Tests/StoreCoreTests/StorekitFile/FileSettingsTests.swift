import Foundation
import StoreCore
import Testing

/// What a store does about the settings of the file that it is opened on.
@Suite struct FileSettingsTests {
    /// A file that Xcode wrote, with some of its settings changed.
    private static func edited(_ name: String, _ settings: [String: Any]) throws -> StoreConfiguration {
        let data = try Data(contentsOf: RealFile.url(name))
        var file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var all = file["settings"] as? [String: Any] ?? [:]
        all.merge(settings) { _, new in new }
        file["settings"] = all
        return try StoreConfiguration(data: JSONSerialization.data(withJSONObject: file), name: name)
    }

    private static let flutter = "flutter__packages__Configuration_2"

    /// A file whose subscriptions renew every minute.
    private static let minutely = "nicolaischneider__StoreKitTheKit__test_store"

    /// A product of Flutter's file that can be bought again and again.
    private static func consumable(_ configuration: StoreConfiguration) throws -> String {
        try #require(configuration.products.first { $0.kind == .consumable }).identifier
    }

    @Test(arguments: RealFile.all)
    func `B204: On the files as they are nobody is asked, nothing is interrupted and nothing fails`(
        file: RealFile
    ) throws {
        let configuration = try RealFile.load(file.name)
        let store = try SandboxStore(configuration)
        #expect(!store.account.asksToBuy && !store.account.interruptsPurchases)
        #expect(!store.account.billingFails && !store.grantsGracePeriod && store.renewalLimit == nil)
        #expect(store.purchaseFailure == nil)
        #expect(store.storefront?.countryCode == (file.name == "format-6" ? "SGP" : "USA"))
        #expect(store.locale == "en_US")
        guard let product = configuration.products.first(where: { $0.isSold(in: "USA") }) else { return }
        let app = App(on: store)
        app.buy(product.identifier)
        #expect(app.received == [.updated(product.identifier, .purchased)])
    }

    @Test func `B208: Ask to Buy defers what is bought`() throws {
        let configuration = try Self.edited(Self.flutter, ["_askToBuyEnabled": true])
        let product = try Self.consumable(configuration)
        let store = try SandboxStore(configuration)
        #expect(store.account.asksToBuy)
        let app = App(on: store)
        app.buy(product)
        #expect(app.recorder.callbacks == [[.updated(product, .purchasing)], [.updated(product, .deferred)]])
        try store.account.setAsksToBuy(false)
        app.buy(product)
        #expect(app.received == [.updated(product, .purchased)])
        #expect(try !SandboxStore(configuration, authorizer: .approving).account.asksToBuy)
    }

    @Test func `B206: Without dialogs purchases go through with nobody asked`() throws {
        let configuration = try Self.edited(Self.flutter, ["_disableDialogs": true])
        let product = try Self.consumable(configuration)
        let store = try SandboxStore(configuration)
        let app = App(on: store)
        app.buy(product)
        #expect(app.received == [.updated(product, .purchased)])
        #expect(store.undecidedRequests.isEmpty)
    }

    @Test func `B209: Interrupted purchases fail and wait to be resolved`() throws {
        let configuration = try Self.edited(Self.flutter, ["_billingIssuesEnabled": true])
        let product = try Self.consumable(configuration)
        let store = try SandboxStore(configuration)
        let app = App(on: store)
        app.buy(product)
        #expect(app.recorder.transactions.map(\.transactionState) == [.failed])
        try store.resolveInterruption(of: try #require(store.interruptedPurchases.first).transaction)
        #expect(app.received == [.updated(product, .purchased)])
    }

    @Test(arguments: [(false, SandboxSubscription.State.inBillingRetryPeriod), (true, .inGracePeriod)])
    func `B204, B210: Renewals go into billing retry, and into a grace period where the file grants one`(
        grace: Bool,
        state: SandboxSubscription.State
    ) throws {
        let settings = ["_renewalBillingIssuesEnabled": true, "_billingGracePeriodEnabled": grace]
        let configuration = try Self.edited(Self.minutely, settings)
        let product = try #require(configuration.products.first { $0.kind == .autoRenewable })
        let store = try SandboxStore(configuration)
        #expect(store.account.billingFails && store.grantsGracePeriod == grace)
        let app = App(on: store)
        app.buy(product.identifier)
        store.advance(by: 60)
        #expect(store.account.subscriptions.map(\.state) == [state])
        #expect(app.received == [.updated(product.identifier, .purchased)])
        let harmless = try SandboxStore(Self.edited(Self.minutely, ["_billingGracePeriodEnabled": true]))
        let other = App(on: harmless)
        other.buy(product.identifier)
        harmless.advance(by: 60)
        #expect(other.received.count == 2)
    }

    @Test(arguments: [0, 11, 12, 13, 14])
    func `B207: Transactions fail with the file's error`(code: Int) throws {
        let settings: [String: Any] = ["_failTransactionsEnabled": true, "_storeKitError": code]
        let configuration = try Self.edited(Self.flutter, settings)
        let store = try SandboxStore(configuration)
        let app = App(on: store)
        app.buy(try Self.consumable(configuration))
        let expected = try #require(SKError.Code(rawValue: code))
        #expect(app.recorder.transactions.map(\.trouble) == [.storeKit(expected)])
        store.purchaseFailure = nil
        app.buy(try Self.consumable(configuration))
        #expect(app.received.count == 1)
    }

    @Test func `B207: Without a code transactions fail as unknown, and a code alone makes none fail`() throws {
        let failing = try Self.edited(Self.flutter, ["_failTransactionsEnabled": true])
        #expect(failing.settings.purchaseFailure?.code == StoreFailure.Code.unknown.rawValue)
        let harmless = try Self.edited(Self.flutter, ["_failTransactionsEnabled": false, "_storeKitError": 11])
        #expect(try SandboxStore(harmless).purchaseFailure == nil)
    }

    @Test(arguments: [true, false])
    func `A failure that is set up for purchases alone makes them fail while it is on`(isEnabled: Bool) throws {
        let error: [String: Any] = [
            "name": "Purchase", "enabled": isEnabled, "current": ["type": "purchase", "index": 2],
        ]
        let configuration = try Self.edited(Self.flutter, ["_storeKitErrors": [error]])
        let app = App(on: try SandboxStore(configuration))
        app.buy(try Self.consumable(configuration))
        #expect(app.recorder.transactions.map(\.trouble) == [isEnabled ? .storeKit(.unknown) : nil])
        #expect(app.recorder.transactions.first?.reason?.contains("purchase error 2") == (isEnabled ? true : nil))
    }

    @Test func `B205: Storefront and language are the file's`() throws {
        let name = "jaywcjlove__StoreKitHelper__Configuration"
        let configuration = try Self.edited(name, ["_storefront": "DEU", "_locale": "zh_Hans"])
        let store = try SandboxStore(configuration)
        let product = try #require(try store.products(["test.monthly"])?.get().products.first)
        #expect(product.localizedTitle == "全功能包月")
        #expect(product.priceLocaleIdentifier == "de_DE@currency=EUR")
        #expect(store.storefront == StoreStorefront(countryCode: "DEU", identifier: "143443"))
        #expect(try SandboxStore(configuration, locale: "en_US").locale == "en_US")
    }

    @Test func `B224: The real file that renews every minute does`() throws {
        let configuration = try RealFile.load(Self.minutely)
        let product = try #require(configuration.products.first { $0.kind == .autoRenewable })
        let store = try SandboxStore(configuration)
        let app = App(on: store)
        app.buy(product.identifier)
        store.advance(by: 180)
        #expect(app.received.count == 4)
        let calm = try SandboxStore(configuration, renewalRate: .realTime)
        let other = App(on: calm)
        other.buy(product.identifier)
        calm.advance(by: 180)
        #expect(other.received.count == 1)
    }

    static let rates: [(Int, RenewalRate)] = [
        (0, .realTime), (1, .day(.hour)), (2, .day(.thirtyMinutes)), (3, .day(.fiveMinutes)), (4, .day(.minute)),
        (5, .day(.thirtySeconds)), (6, .day(.second)), (10, .month(.hour)), (11, .month(.thirtyMinutes)),
        (12, .month(.fifteenMinutes)), (13, .month(.fiveMinutes)), (15, .month(.thirtySeconds)),
        (1000, .everyPeriod(.fifteenMinutes)), (1001, .everyPeriod(.fiveMinutes)), (1002, .everyPeriod(.minute)),
        (1003, .everyPeriod(.thirtySeconds)), (1004, .everyPeriod(.tenSeconds)), (1005, .everyPeriod(.twoSeconds)),
    ]

    @Test(arguments: rates)
    func `B222, B223, B224: Each of Xcode's rates is the one it stands for`(number: Int, rate: RenewalRate) throws {
        #expect(try Self.edited(Self.flutter, ["_timeRate": number]).settings.renewalRate == rate)
    }

    @Test func `A rate that nobody knows is the newest known one that the file gives instead, or real time`() {
        var settings = StoreConfiguration.Settings()
        settings.timeRate = 77
        #expect(settings.renewalRate == .realTime)
        settings.compatibilityTimeRates = [3: 6, 5: 1004, 7: 99]
        #expect(settings.renewalRate == .everyPeriod(.tenSeconds))
    }
}
