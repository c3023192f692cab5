import Foundation
import StoreCore
import StoreServer
import Testing

/// Notifications without a network: nothing here needs libmicrohttpd, or libcrypto.
@Suite struct SequenceTests {
    private func store() throws -> SandboxStore { try SandboxStore(products: Shop.products) }

    @Test func `What happens from the creation on is received, oldest first`() throws {
        let store = try store()
        let all = try ServerNotifications(store)
        try store.account.buy("gold")
        let later = try ServerNotifications(store)
        #expect(try later.received().isEmpty)
        try store.account.buy("coins")
        try store.account.setAutoRenew(false, inGroup: "metals")
        let told = ["SUBSCRIBED INITIAL_BUY", "ONE_TIME_CHARGE", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED"]
        #expect(try all.received().map(\.description) == told)
        #expect(try later.received().map(\.type) == ["ONE_TIME_CHARGE", "DID_CHANGE_RENEWAL_STATUS"])
        let first = try all.received()[0]
        #expect(first.transaction?.productId == "gold" && first.renewal?.autoRenewStatus == .on)
        #expect(first.state == .subscribed && first.date == store.clock.now && first.summary == nil)
        #expect(JSON(first.signedPayload).payload.notificationUUID.text == first.identifier.uuidString.lowercased())
    }

    @Test func `An iteration waits for what happens, and ends with its task`() async throws {
        let store = try store()
        let notifications = try ServerNotifications(store)
        try store.account.buy("coins")
        let (heard, sink) = AsyncStream.makeStream(of: String.self)
        let task = Task {
            for try await notification in notifications { sink.yield(notification.type) }
            sink.finish()
        }
        var iterator = heard.makeAsyncIterator()
        #expect(await iterator.next() == "ONE_TIME_CHARGE")
        try store.account.buy("gold")
        #expect(await iterator.next() == "SUBSCRIBED")
        try store.account.setAutoRenew(false, inGroup: "metals")
        #expect(await iterator.next() == "DID_CHANGE_RENEWAL_STATUS")
        task.cancel()
        #expect(await iterator.next() == nil)
        try await task.value
    }

    @Test func `A summary is decoded`() throws {
        let store = try store()
        let notifications = try ServerNotifications(store)
        try store.account.buy("gold")
        try ServerView(store).extendRenewals(of: "gold", days: 3, reason: 1, request: "request", storefronts: [])
        let summary = try #require(try notifications.received().last?.summary)
        #expect(summary.requestIdentifier == "request" && summary.productIdentifier == "gold")
        #expect(summary.storefrontCountryCodes.isEmpty && summary.succeededCount == 1 && summary.failedCount == 0)
    }
}
