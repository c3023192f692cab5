import Foundation
import StoreCore

// Test notifications, and the history of all.
extension ServerAPI {
    func requestTest() throws -> HTTPResponse {
        guard hasNotificationURL else { throw APIError.serverNotificationURLNotFound }
        return object(["testNotificationToken": .text(try view.requestTestNotification())])
    }

    func testStatus(_ token: String) throws -> HTTPResponse {
        let isWellFormed = token.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || scalar == "-" || scalar == "_"
        }
        guard (1...128).contains(token.utf8.count), isWellFormed else { throw APIError.invalidTestNotificationToken }
        guard let found = try view.testNotification(token) else { throw APIError.testNotificationNotFound }
        return object(try members(of: found))
    }

    private func members(of notification: ServerNotification) throws -> [String: AnswerValue] {
        [
            "signedPayload": .text(try NotificationSigner(view: view).signedPayload(notification)),
            "sendAttempts": .list(
                notification.attempts.map {
                    .object(["attemptDate": .date($0.date), "sendAttemptResult": .text($0.result)])
                }
            ),
        ]
    }

    func notificationHistory(_ query: [HTTPRequest.QueryItem], _ data: Data) throws -> HTTPResponse {
        let body = try body(NotificationFilter.Body.self, data)
        let filter = try NotificationFilter(body, now: view.clock.now, environment: view.environment) { identifier in
            guard let transaction = try view.transaction(try checked(identifier)) else {
                throw APIError.transactionIdentifierNotFound
            }
            return transaction.payload.appTransactionId
        }
        let token = query.last { $0.name == "paginationToken" }?.value
        var position = try token.map { text in
            guard let token = PaginationToken(text), token.request == body.fingerprint else {
                throw APIError.invalidPaginationToken
            }
            guard !token.hasExpired(at: view.clock.now) else { throw APIError.paginationTokenExpired }
            return token.position
        }
        var page: [ServerNotification] = []
        var hasMore = false
        try view.forEachNotification(after: position, since: filter.start) { notification in
            guard filter.contains(notification) else { return true }
            hasMore = page.count == Self.pageSize
            if !hasMore { page.append(notification) }
            return !hasMore
        }
        position = page.last?.position
        var members: [String: AnswerValue] = [
            "hasMore": .bool(hasMore),
            "notificationHistory": .list(try page.map { .object(try self.members(of: $0)) }),
        ]
        if hasMore, let position {
            let token = PaginationToken(position: position, request: body.fingerprint, date: view.clock.now)
            members["paginationToken"] = .text(token.text)
        }
        return object(members)
    }
}
