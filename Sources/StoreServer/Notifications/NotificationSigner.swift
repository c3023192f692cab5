import Foundation
import StoreCore

/// A signer of notifications in version 2 of the App Store's format.
struct NotificationSigner: Sendable {
    let view: ServerView
    /// The defect of what is signed; nil for genuine notifications.
    var forgery: DeliveryFault.Forgery?

    /// Returns the JWS that is posted for a notification.
    ///
    /// Its payload is the same for each delivery.
    ///
    /// - Throws: the error of the store's signer.
    func signedPayload(_ notification: ServerNotification) throws -> String {
        let members = try members(of: forged(notification))
        let jws = try sign(AnswerValue.object(members))
        return forgery == .changedPayload ? Self.changed(jws, members) : jws
    }

    /// Returns the body of a post.
    func body(_ notification: ServerNotification) throws -> Data {
        AnswerValue.object(["signedPayload": .text(try signedPayload(notification))]).json
    }

    private func sign(_ payload: some Encodable) throws -> String {
        try view.sign(payload, with: forgery == .foreignRoot ? .invalidCertificateChain : nil)
    }

    // MARK: Forgeries

    /// Whether the store signs with certificates, of which a forger could have others.
    var hasCertificates: Bool {
        get throws {
            let header = try view.sign(AnswerValue.object(["signedDate": .date(view.clock.now)])).prefix { $0 != "." }
            guard let json = Base64URL.decode(Array(header.utf8)[...]) else { return false }
            return try JSONDecoder().decode(Header.self, from: Data(json)).x5c.map { $0.count > 1 } ?? false
        }
    }

    private struct Header: Decodable {
        let x5c: [String]?
    }

    private var environment: String {
        guard forgery == .wrongEnvironment else { return view.environment }
        return view.environment == "Sandbox" ? "Production" : "Sandbox"
    }

    private var bundleIdentifier: String {
        forgery == .wrongBundleIdentifier ? "\(view.bundleIdentifier).other" : view.bundleIdentifier
    }

    /// Returns a notification with the environment and the bundle identifier of a forgery in all of its payloads.
    private func forged(_ notification: ServerNotification) -> ServerNotification {
        guard forgery == .wrongEnvironment || forgery == .wrongBundleIdentifier else { return notification }
        var notification = notification
        notification.transaction?.environment = environment
        notification.transaction?.bundleId = bundleIdentifier
        notification.renewal?.environment = environment
        notification.appTransaction?.receiptType = environment
        notification.appTransaction?.bundleId = bundleIdentifier
        return notification
    }

    /// Returns a JWS whose payload reports a refund, or the reversal of a refund, with the signature of another payload.
    private static func changed(_ jws: String, _ members: [String: AnswerValue]) -> String {
        var members = members
        members["notificationType"] = members["notificationType"] == "REFUND" ? "REFUND_REVERSED" : "REFUND"
        members["subtype"] = nil
        let payload = AnswerValue.object(members).json.withUnsafeBytes(Base64URL.encode)
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        return "\(parts[0]).\(String(decoding: payload, as: UTF8.self)).\(parts[parts.count - 1])"
    }

    // MARK: Payloads

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
            let signed = AnswerValue.text(try sign(appTransaction))
            members["appData"] = .object(app.merging(["signedAppTransactionInfo": signed]) { $1 })
        } else if let token = notification.externalPurchaseToken {
            members["externalPurchaseToken"] = .object(self.members(of: token))
        } else {
            members["data"] = .object(try data(of: notification))
        }
        return members
    }

    private var app: [String: AnswerValue] {
        var members: [String: AnswerValue] = [
            "environment": .text(environment), "bundleId": .text(bundleIdentifier),
        ]
        members["appAppleId"] = view.appAppleIdentifier.map { .number(Int($0)) }
        return members
    }

    private func data(of notification: ServerNotification) throws -> [String: AnswerValue] {
        var members = app
        members["bundleVersion"] = .text(view.bundleVersion)
        members["signedTransactionInfo"] = try notification.transaction.map { .text(try sign($0)) }
        members["signedRenewalInfo"] = try notification.renewal.map { .text(try sign($0)) }
        members["status"] = notification.status.map { .number($0) }
        members["consumptionRequestReason"] = notification.consumptionRequestReason.map { .text($0) }
        return members
    }

    private func members(of token: ExternalPurchaseToken) -> [String: AnswerValue] {
        var members: [String: AnswerValue] = [
            "externalPurchaseId": .text(token.externalPurchaseId),
            "tokenCreationDate": .date(token.creationDate),
            "bundleId": .text(forgery == .wrongBundleIdentifier ? bundleIdentifier : token.bundleId),
        ]
        members["appAppleId"] = token.appAppleId.map { .number(Int($0)) }
        members["tokenType"] = token.tokenType.map { .text($0) }
        members["tokenExpirationDate"] = token.expirationDate.map { .date($0) }
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
