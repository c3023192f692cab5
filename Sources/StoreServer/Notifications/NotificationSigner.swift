import Foundation
import StoreCore

/// A signer of notifications in version 2 of the App Store's format.
struct NotificationSigner: Sendable {
    let view: ServerView

    /// Returns the JWS that is posted for a notification.
    ///
    /// Its payload is the same for each delivery.
    ///
    /// - Throws: the error of the store's signer.
    func signedPayload(_ notification: ServerNotification) throws -> String {
        try view.sign(AnswerValue.object(try members(of: notification)))
    }

    private func members(of notification: ServerNotification) throws -> [String: AnswerValue] {
        var members: [String: AnswerValue] = [
            "notificationType": .text(notification.type),
            "notificationUUID": .text(notification.identifier.uuidString.lowercased()),
            "version": .text("2.0"),
            "signedDate": .date(notification.date),
        ]
        members["subtype"] = notification.subtype.map { .text($0) }
        if let summary = notification.summary {
            members["summary"] = .object(app.merging(self.members(of: summary)) { $1 })
        } else if let appTransaction = notification.appTransaction {
            let signed = AnswerValue.text(try view.sign(appTransaction))
            members["appData"] = .object(app.merging(["signedAppTransactionInfo": signed]) { $1 })
        } else {
            members["data"] = .object(try data(of: notification))
        }
        return members
    }

    private var app: [String: AnswerValue] {
        var members: [String: AnswerValue] = [
            "environment": .text(view.environment), "bundleId": .text(view.bundleIdentifier),
        ]
        members["appAppleId"] = view.appAppleIdentifier.map { .number(Int($0)) }
        return members
    }

    private func data(of notification: ServerNotification) throws -> [String: AnswerValue] {
        var members = app
        members["bundleVersion"] = .text(view.bundleVersion)
        members["signedTransactionInfo"] = try notification.transaction.map { .text(try view.sign($0)) }
        members["signedRenewalInfo"] = try notification.renewal.map { .text(try view.sign($0)) }
        members["status"] = notification.status.map { .number($0) }
        members["consumptionRequestReason"] = notification.consumptionRequestReason.map { .text($0) }
        return members
    }

    private func members(of summary: ServerNotification.Summary) -> [String: AnswerValue] {
        var members: [String: AnswerValue] = [
            "requestIdentifier": .text(summary.requestIdentifier),
            "productId": .text(summary.productIdentifier),
            "succeededCount": .number(summary.succeededCount),
            "failedCount": .number(summary.failedCount),
        ]
        if !summary.storefrontCountryCodes.isEmpty {
            members["storefrontCountryCodes"] = .list(summary.storefrontCountryCodes.map { .text($0) })
        }
        return members
    }
}
