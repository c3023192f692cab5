// The code of the article "Notifications", compiled and run: each line of its tables is told as the table says.
import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A store with a product of each type, and what its servers are told.
private struct NotifiedStore {
    let clock = ManualClock()
    let store: SandboxStore
    let notifications: ServerNotifications
    var account: SandboxAccount { store.account }

    init() throws {
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99").redeemable(with: "SWORDS", price: "0.49"),
                .nonConsumable("castle", price: "4.99", isFamilyShareable: true),
                .nonRenewing("season", price: "9.99"),
                .autoRenewable(
                    "gold",
                    price: "9.99",
                    period: .init(1, .month),
                    group: "pro",
                    level: 1,
                    offerCodes: [.freeTrial(.months(1), identifier: "LOYAL", eligibility: .existing)],
                    winBackOffers: [.freeTrial(.months(1), identifier: "come.back")]
                ),
                .autoRenewable(
                    "silver",
                    price: "4.99",
                    period: .init(1, .month),
                    group: "pro",
                    level: 2,
                    offerCodes: [.freeTrial(.months(1), identifier: "LOYAL", eligibility: .existing)]
                ),
            ],
            clock: clock
        )
        notifications = try ServerNotifications(store)
    }

    /// Expects that an act is told in these words, and only in these.
    func told(_ words: String..., act: () throws -> Void) throws {
        let before = try notifications.received().count
        try act()
        let heard = try notifications.received().dropFirst(before).map(\.description)
        #expect(heard == words)
    }
}

@Test func `A test reads what a server is told`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let notifications = try ServerNotifications(store)
    try store.account.buy("sword")
    let told = try #require(try notifications.received().first)
    #expect(told.description == "ONE_TIME_CHARGE")
    #expect(told.transaction?.productId == "sword")
}

@Test func `The comment on the notifications of a store is right`() throws {
    let store = try SandboxStore(products: [
        .autoRenewable("premium.monthly", price: "4.99", period: .init(1, .month), group: "premium")
    ])
    let notifications = try ServerNotifications(store)
    try store.account.buy("premium.monthly")
    #expect(try notifications.received().map(\.description) == ["SUBSCRIBED INITIAL_BUY"])
}

@Test func `An iteration waits for what happens`() async throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let notifications = try ServerNotifications(store)
    let first = Task {
        for try await notification in notifications { return notification.type }
        return ""
    }
    try store.account.buy("sword")
    #expect(try await first.value == "ONE_TIME_CHARGE")
}

@Test func `Purchases are told as the table says`() throws {
    let world = try NotifiedStore()
    let (store, account) = (world.store, world.account)
    try world.told("ONE_TIME_CHARGE") {
        try account.buy("sword")
    }
    try account.buy("castle")
    try account.buy("season")
    #expect(try world.notifications.received().map(\.type) == Array(repeating: "ONE_TIME_CHARGE", count: 3))
    store.authorizer = .always(.later)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let observer = IgnoresAll()
    queue.add(observer)
    queue.add(SKPayment(productIdentifier: "sword"))
    try world.told("ONE_TIME_CHARGE") {
        try store.approve(store.undecidedRequests[0])
    }
    try world.told("ONE_TIME_CHARGE") {
        try account.redeem(code: "SWORDS")
    }
    // What is owned is given anew, and told no second time.
    try world.told {
        try account.buy("castle")
    }
    try world.told("RESCIND_CONSENT") {
        try account.rescindConsent()
    }
    withExtendedLifetime(observer) {}
}

private final class IgnoresAll: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}

@Test func `A subscription's course is told as the table says`() throws {
    let world = try NotifiedStore()
    let (account, clock) = (world.account, world.clock)
    try world.told("SUBSCRIBED INITIAL_BUY") {
        try account.buy("silver")
    }
    try world.told("DID_CHANGE_RENEWAL_PREF UPGRADE") {
        try account.buy("gold")
    }
    try world.told("DID_CHANGE_RENEWAL_PREF DOWNGRADE") {
        try account.buy("silver")
    }
    try world.told("DID_CHANGE_RENEWAL_PREF") {
        try account.buy("gold")
    }
    try world.told("DID_RENEW") {
        clock.advance(by: 31 * 86_400)
    }
    try world.told("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED") {
        try account.setAutoRenew(false, inGroup: "pro")
    }
    try world.told("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED") {
        try account.setAutoRenew(true, inGroup: "pro")
    }
    try account.setAutoRenew(false, inGroup: "pro")
    try world.told("EXPIRED VOLUNTARY") {
        clock.advance(by: 31 * 86_400)
    }
    try world.told("SUBSCRIBED RESUBSCRIBE") {
        try account.buy("gold")
    }
}

@Test func `The ends of a subscription are told as the table says`() throws {
    let world = try NotifiedStore()
    let (store, account, clock) = (world.store, world.account, world.clock)
    try account.buy("gold")
    try store.setAvailability(.withdrawn, of: "gold")
    try world.told("EXPIRED PRODUCT_NOT_FOR_SALE") {
        clock.advance(by: 31 * 86_400)
    }
    try account.buy("silver")
    try store.setRenewalLimit(0)
    try world.told("EXPIRED") {
        clock.advance(by: 31 * 86_400)
    }
    try store.setRenewalLimit(nil)
    try account.buy("silver")
    try world.told("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED", "EXPIRED VOLUNTARY") {
        try account.expireSubscription(inGroup: "pro")
    }
}

@Test func `Billing that fails is told as the table says`() throws {
    let world = try NotifiedStore()
    let (store, account, clock) = (world.store, world.account, world.clock)
    try account.buy("gold")
    try account.setBillingFails(true)
    try world.told("DID_FAIL_TO_RENEW") {
        clock.advance(by: 31 * 86_400)
    }
    try world.told("DID_RENEW BILLING_RECOVERY") {
        try account.resolveBillingIssue(inGroup: "pro")
    }
    try account.setBillingFails(true)
    try store.setGrantsGracePeriod(true)
    try world.told("DID_FAIL_TO_RENEW GRACE_PERIOD") {
        clock.advance(by: 31 * 86_400)
    }
    try world.told("GRACE_PERIOD_EXPIRED") {
        clock.advance(by: 16 * 86_400)
    }
    try world.told("EXPIRED BILLING_RETRY") {
        clock.advance(by: 60 * 86_400)
    }
}

@Test func `A higher price is told as the table says`() throws {
    let world = try NotifiedStore()
    let (store, account, clock) = (world.store, world.account, world.clock)
    try account.buy("gold")
    try world.told("PRICE_INCREASE PENDING") {
        try store.raisePrice(of: "gold", to: "12.99")
    }
    try world.told("PRICE_INCREASE ACCEPTED") {
        try account.answerPriceConsent(.agree, inGroup: "pro")
    }
    try store.raisePrice(of: "gold", to: "14.99")
    try world.told("DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED") {
        try account.answerPriceConsent(.decline, inGroup: "pro")
    }
    clock.advance(by: 31 * 86_400)
    try account.buy("gold")
    try account.requestPriceIncreaseConsent(inGroup: "pro")
    try world.told("EXPIRED PRICE_INCREASE") {
        clock.advance(by: 31 * 86_400)
    }
}

@Test func `Offers are told as the table says`() throws {
    let world = try NotifiedStore()
    var account = world.account
    try account.buy("gold")
    try world.told("OFFER_REDEEMED") {
        try account.redeem(code: "LOYAL", of: "gold")
    }
    account = try world.store.addAccount("bob")
    try account.buy("gold")
    try world.told("OFFER_REDEEMED DOWNGRADE") {
        try account.redeem(code: "LOYAL", of: "silver")
    }
    account = try world.store.addAccount("carl")
    try account.buy("silver")
    try world.told("OFFER_REDEEMED UPGRADE") {
        try account.redeem(code: "LOYAL", of: "gold")
    }
    try account.expireSubscription(inGroup: "pro")
    try world.told("SUBSCRIBED RESUBSCRIBE") {
        try account.redeemWinBackOffer("come.back", of: "gold")
    }
}

@Test func `Refunds and families are told as the table says`() throws {
    let world = try NotifiedStore()
    let (store, account) = (world.store, world.account)
    let sword = try account.buy("sword")
    store.refundDecision = .ask
    try world.told("CONSUMPTION_REQUEST") {
        try store.requestRefund(of: sword, reason: .unintendedPurchase)
    }
    #expect(try world.notifications.received().last?.consumptionRequestReason == "UNINTENDED_PURCHASE")
    try world.told("REFUND_DECLINED") {
        try store.declineRefund(of: sword)
    }
    try world.told("REFUND") {
        try store.refund(sword)
    }
    try world.told("REFUND_REVERSED") {
        try store.reverseRefund(of: sword)
    }
    let bob = try store.addAccount("bob")
    let family = try store.addFamily("smiths", organizer: account)
    let castle = try account.buy("castle")
    let order = try #require(try store.orderIdentifier(of: castle))
    #expect(order.hasPrefix("M"))
    #expect(try store.consumptionReports.isEmpty)
    try world.told {
        try family.add(bob)
    }
    try world.told("REVOKE") {
        try family.remove(bob)
    }
    try family.add(bob)
    try world.told("REFUND", "REVOKE") {
        try store.refund(castle)
    }
}

/// What a server asks for, and what it is told of that.
@Suite(
    .enabled(if: MicroHTTPD.isAvailable, Comment(rawValue: MicroHTTPD.advice)),
    .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice))
)
struct NotificationServerExamples {
    /// Asks a server's API, and returns the status.
    private func ask(_ server: StoreServer, _ method: String, _ path: String, _ body: String) async throws -> Int? {
        var request = URLRequest(url: server.url.appending(path: "inApps/v1/\(path)"))
        request.httpMethod = method
        request.httpBody = Data(body.utf8)
        let token = try server.credentials.token(bundleIdentifier: "com.example.app")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode
    }

    @Test func `What a server asks for is told as the table says`() async throws {
        let world = try NotifiedStore()
        let gold = try world.account.buy("gold")
        var configuration = StoreServer.Configuration()
        configuration.notificationURL = URL(string: "http://127.0.0.1:1/")
        configuration.transport = FlakyTransport(failures: 0)
        let server = try StoreServer(world.store, configuration: configuration)
        let terms = #""extendByDays": 1, "extendReasonCode": 1"#
        for number in 1...2 {
            let body = #"{\#(terms), "requestIdentifier": "\#(number)"}"#
            #expect(try await ask(server, "PUT", "subscriptions/extend/\(gold)", body) == 200)
        }
        try world.store.addAccount("bob").buy("gold")
        let body = #"{\#(terms), "requestIdentifier": "all", "productId": "gold"}"#
        #expect(try await ask(server, "POST", "subscriptions/extend/mass", body) == 200)
        #expect(try await ask(server, "POST", "notifications/test", "") == 200)
        #expect(
            try server.notifications.received().map(\.description) == [
                "RENEWAL_EXTENDED", "RENEWAL_EXTENDED", "SUBSCRIBED INITIAL_BUY", "RENEWAL_EXTENSION FAILURE",
                "RENEWAL_EXTENDED", "RENEWAL_EXTENSION SUMMARY", "TEST",
            ]
        )
    }

    /// A server of the app's that fails at first.
    final class FlakyTransport: NotificationTransport, @unchecked Sendable {
        private let lock = NSLock()
        private var failures: Int
        private var posts = 0

        init(failures: Int) { self.failures = failures }

        var count: Int { lock.withLock { posts } }

        func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
            let fails = lock.withLock {
                posts += 1
                failures -= 1
                return failures >= 0
            }
            reply(fails ? .timedOut : .success, fails ? nil : 200)
        }
    }

    @Test func `Notifications are delivered with faults on order`() async throws {
        let clock = ManualClock()
        let store = try SandboxStore(
            products: [.autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "pro")],
            clock: clock
        )
        let transport = FlakyTransport(failures: 0)
        var configuration = StoreServer.Configuration()
        configuration.notificationURL = URL(string: "http://127.0.0.1:8080/notifications")
        configuration.transport = transport
        let server = try StoreServer(store, configuration: configuration)
        try server.deliverNotifications(with: .twice, times: 1)
        try server.deliverNotifications(with: .late(seconds: 3600), ofType: "DID_RENEW")
        try store.account.buy("gold")
        await store.settle()
        #expect(transport.count == 2)
        await clock.advance(by: 31 * 86_400)
        #expect(transport.count == 2)
        await clock.advance(by: 3600)
        #expect(transport.count == 3)
        withExtendedLifetime(server) {}
    }

    @Test func `A notification that fails is sent again by the store's clock`() async throws {
        let clock = ManualClock()
        let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: clock)
        let transport = FlakyTransport(failures: 2)
        var configuration = StoreServer.Configuration()
        configuration.notificationURL = URL(string: "http://127.0.0.1:8080/notifications")
        configuration.transport = transport
        configuration.retries = [3600, 12 * 3600]
        let server = try StoreServer(store, configuration: configuration)
        try store.account.buy("sword")
        await store.settle()
        #expect(transport.count == 1)
        await clock.advance(by: 3600)
        #expect(transport.count == 2)
        await clock.advance(by: 12 * 3600)
        #expect(transport.count == 3)
        await clock.advance(by: 365 * 86_400)
        #expect(transport.count == 3)
        withExtendedLifetime(server) {}
    }
}
