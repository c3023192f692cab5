import Foundation
import StoreCore
import StoreCrypto
import StoreServer

/// A store with a product of each type, its server, and the acts that change it.
final class SampleShop {
    let authority: CertificateAuthority
    let server: StoreServer
    private let store: SandboxStore
    private let view: ServerView
    private let clock: ManualClock
    private let begin: Date
    private static let group = "pro"
    private static let sharedSecret = "0123456789abcdef0123456789abcdef"

    /// What a client has to know, but for the files.
    struct Facts: Encodable {
        let url: String
        let bundleIdentifier: String
        let issuer: String
        let keyIdentifier: String
        let sharedSecret: String
        /// A key that is not the API's, in PEM.
        let otherKey: String
        /// The date on which the store's clock began, in milliseconds since 1970.
        let begin: Int64
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(notifying url: URL) throws {
        // The dates that tokens and clients have are the system's.
        begin = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        clock = ManualClock(startingAt: begin)
        authority = try CertificateAuthority(now: begin)
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99"),
                .nonConsumable("castle", price: "4.99", isFamilyShareable: true),
                .nonRenewing("season", price: "9.99"),
                .autoRenewable(
                    "pro.gold",
                    price: "9.99",
                    period: .init(1, .month),
                    group: Self.group,
                    level: 1,
                    offerCodes: [.init(.freeTrial(.init(1, .month), identifier: "FRIENDS"), eligibility: .all)]
                ),
                .autoRenewable("pro.silver", price: "4.99", period: .init(1, .month), group: Self.group, level: 2),
            ],
            clock: clock,
            storefront: "USA",
            signer: try AppStoreSigner(authority, clock: clock)
        )
        store.refundDecision = .ask
        try store.addFamily("family", organizer: store.account).add(try store.addAccount("member"))
        view = ServerView(store)
        var configuration = StoreServer.Configuration()
        configuration.sharedSecret = Self.sharedSecret
        configuration.notificationURL = url
        // Who receives may be slow on a machine with much to do.
        configuration.transport = URLSessionTransport(timeout: 600)
        server = try StoreServer(store, configuration: configuration)
    }

    func facts() throws -> Facts {
        Facts(
            url: server.url.absoluteString,
            bundleIdentifier: view.bundleIdentifier,
            issuer: server.credentials.issuer,
            keyIdentifier: server.credentials.keyIdentifier,
            sharedSecret: Self.sharedSecret,
            otherKey: try StoreServer.Credentials().privateKeyPEM,
            begin: Int64(begin.timeIntervalSince1970 * 1000)
        )
    }

    /// Performs an act, and returns what came of it: an identifier, or nothing.
    func perform(_ words: [String]) throws -> String {
        switch words.first {
        case "buy": return try store.account.buy(try word(1, of: words))
        case "order": return try found(try view.orderIdentifier(of: try word(1, of: words)))
        case "receipt":
            store.device.refreshReceipt(ReceiptProperties()) { _ in }
            return try found(store.device.appReceipt).base64EncodedString()
        case "advance":
            let days = try found(Double(try word(1, of: words)))
            try store.advanceThrowing(by: days * 86_400)
        case "requestRefund": return "\(try store.requestRefund(of: try word(1, of: words)))"
        case "declineRefund": try store.declineRefund(of: try word(1, of: words))
        case "refund": try store.refund(try word(1, of: words))
        case "reverseRefund": try store.reverseRefund(of: try word(1, of: words))
        case "autoRenew": try store.account.setAutoRenew(try word(1, of: words) == "on", inGroup: Self.group)
        case "billing":
            let isWorking = try word(1, of: words) == "works"
            try store.account.setBillingFails(!isWorking)
            if isWorking { try store.account.resolveBillingIssue(inGroup: Self.group) }
        case "grace": try store.setGrantsGracePeriod(try word(1, of: words) == "on")
        case "redeem": return try store.account.redeem(code: try word(1, of: words))
        case "raisePrice": try store.raisePrice(of: try word(1, of: words), to: try word(2, of: words))
        case "agree": try store.account.answerPriceConsent(.agree, inGroup: Self.group)
        case "rescindConsent": try store.account.rescindConsent()
        default: throw Failure(description: "there is no such act: \(words.joined(separator: " "))")
        }
        return ""
    }

    private func word(_ index: Int, of words: [String]) throws -> String {
        guard words.indices.contains(index) else { throw Failure(description: "\(words[0]) needs more words") }
        return words[index]
    }

    private func found<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Failure(description: "there is none") }
        return value
    }
}
