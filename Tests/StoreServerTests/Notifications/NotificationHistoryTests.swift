import Foundation
import StoreCore
import StoreServer
import Testing

/// Test notifications, and the history of notifications, in the API.
@Suite(.libcrypto) struct NotificationHistoryTests {
    private let start = 1_735_689_600_000

    private func history(
        _ shop: Shop,
        _ more: [String: AnswerValue] = [:],
        token: String? = nil
    ) throws -> (status: Int, json: JSON) {
        var body = more
        body["startDate"] = body["startDate"] ?? .number(start)
        body["endDate"] = body["endDate"] ?? .number(start + 100 * 86_400_000)
        let query = token.map { "?paginationToken=\($0)" } ?? ""
        return try shop.ask("POST", "v1/notifications/history\(query)", .object(body))
    }

    private func types(_ shop: Shop, _ more: [String: AnswerValue] = [:]) throws -> [String?] {
        try history(shop, more).json.notificationHistory.list.map(\.signedPayload.payload.notificationType.text)
    }

    @Test func `A test notification has a token, by which it and its deliveries are found`() throws {
        let shop = try Shop(hasNotificationURL: true)
        let (status, json) = try shop.ask("POST", "v1/notifications/test")
        #expect(status == 200 && json.keys == ["testNotificationToken"])
        let token = try #require(json.testNotificationToken.text)
        let found = try shop.ask("GET", "v1/notifications/test/\(token)").json
        #expect(found.keys == ["signedPayload", "sendAttempts"] && found.sendAttempts.list.isEmpty)
        #expect(found.signedPayload.payload.notificationType.text == "TEST")
        let view = ServerView(shop.store)
        let position = try #require(try view.notifications(after: nil, limit: 1).first?.position)
        try view.recordAttempt("TIMED_OUT", at: position)
        let attempts = try shop.ask("GET", "v1/notifications/test/\(token)").json.sendAttempts
        #expect(attempts.list.count == 1 && attempts[0].keys == ["attemptDate", "sendAttemptResult"])
        #expect(attempts[0].attemptDate.number == start && attempts[0].sendAttemptResult.text == "TIMED_OUT")
    }

    @Test func `The history has pages of 20, each behind its token`() throws {
        let shop = try Shop()
        try ServerView(shop.store).beginNotifications()
        for _ in 0..<45 { try shop.buy("coins") }
        var identifiers: [String?] = []
        var counts: [Int] = []
        var token: String?
        repeat {
            let (status, json) = try history(shop, token: token)
            #expect(status == 200)
            counts.append(json.notificationHistory.list.count)
            identifiers += json.notificationHistory.list.map(\.signedPayload.payload.notificationUUID.text)
            token = json.paginationToken.text
            #expect(json.hasMore.bool == (token != nil))
        } while token != nil
        #expect(counts == [20, 20, 5] && Set(identifiers).count == 45)
    }

    @Test func `What happens after the clock was set back is in the history of its dates`() throws {
        let before = try Shop()
        try ServerView(before.store).beginNotifications()
        before.clock.advance(by: 86_400)
        try before.buy("coins")
        let shop = try Shop(ledger: before.ledger)
        try shop.buy("sword")
        shop.clock.advance(by: 2 * 86_400)
        try shop.buy("season")
        let bought = { (first: Int, last: Int) in
            let dates: [String: AnswerValue] = [
                "startDate": .number(start + first * 86_400_000), "endDate": .number(start + last * 86_400_000),
            ]
            return try history(shop, dates).json.notificationHistory.list.map {
                $0.signedPayload.payload.data.signedTransactionInfo.payload.productId.text
            }
        }
        #expect(try bought(0, 9) == ["coins", "sword", "season"])
        #expect(try bought(0, 1) == ["sword"] && bought(1, 2) == ["coins"] && bought(2, 9) == ["season"])
    }

    @Test func `A signer of another environment that is installed later is named throughout`() throws {
        let store = try SandboxStore(products: Shop.products)
        let view = ServerView(store)
        try view.beginNotifications()
        try store.account.buy("gold")
        let environments = {
            let notification = try #require(try view.notifications(after: nil, limit: 1).first)
            return [notification.transaction?.environment, notification.renewal?.environment, view.environment]
        }
        #expect(try environments() == ["LocalTesting", "LocalTesting", "LocalTesting"])
        store.device.preferForPayloads { FailingSigner() }
        #expect(try environments() == ["Sandbox", "Sandbox", "Sandbox"])
    }

    @Test func `A token is for its own request, for a day`() throws {
        let shop = try Shop()
        try ServerView(shop.store).beginNotifications()
        for _ in 0..<25 { try shop.buy("coins") }
        let token = try #require(try history(shop).json.paginationToken.text)
        #expect(try history(shop, ["onlyFailures": .bool(false)], token: token).json.errorCode.number == 4_000_014)
        #expect(try history(shop, token: String(token.dropLast(3))).json.errorCode.number == 4_000_014)
        shop.clock.advance(by: 86_400 - 1)
        #expect(try history(shop, token: token).status == 200)
        shop.clock.advance(by: 1)
        #expect(try history(shop, token: token).json.errorCode.number == 4_000_017)
    }

    @Test func `It is filtered by date, kind, account and failure`() throws {
        let shop = try Shop()
        let view = ServerView(shop.store)
        try view.beginNotifications()
        let other = try shop.store.addAccount("other")
        try shop.buy("gold")
        let coins = try shop.buy("coins", other)
        try shop.account.setAutoRenew(false, inGroup: "metals")
        #expect(try types(shop) == ["SUBSCRIBED", "ONE_TIME_CHARGE", "DID_CHANGE_RENEWAL_STATUS"])
        #expect(try types(shop, ["endDate": .number(start + 60_000)]) == ["SUBSCRIBED"])
        #expect(try types(shop, ["startDate": .number(start + 60_000)]).count == 2)
        #expect(try types(shop, ["notificationType": .text("SUBSCRIBED")]) == ["SUBSCRIBED"])
        let subtype: [String: AnswerValue] = [
            "notificationType": .text("DID_CHANGE_RENEWAL_STATUS"),
            "notificationSubtype": .text("AUTO_RENEW_ENABLED"),
        ]
        #expect(try types(shop, subtype) == [] && types(shop, ["transactionId": .text(coins)]) == ["ONE_TIME_CHARGE"])
        #expect(try types(shop, ["onlyFailures": .bool(true)]) == [])
        let positions = try view.notifications(after: nil, limit: 10).map(\.position)
        try view.recordAttempt("TIMED_OUT", at: positions[0])
        try view.recordAttempt("TIMED_OUT", at: positions[1])
        try view.recordAttempt("SUCCESS", at: positions[1])
        #expect(try types(shop, ["onlyFailures": .bool(true)]) == ["SUBSCRIBED"])
        let attempts = try history(shop).json.notificationHistory[1].sendAttempts.list
        #expect(attempts.map(\.sendAttemptResult.text) == ["TIMED_OUT", "SUCCESS"])
    }
}
