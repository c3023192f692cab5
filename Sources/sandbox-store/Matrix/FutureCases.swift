import Foundation
import StoreCore
import StoreCrypto
import StoreServer

/// Values of a sandbox store's purchase that a server may not know yet, or that it must not trust.
final class FutureCases {
    private let store: MatrixStore
    private let authority: CertificateAuthority
    private let folder: URL
    private let purchase: MatrixPurchase
    private let bundleIdentifier: String
    private let appAppleIdentifier: Int64
    /// The servers whose OCSP responders the certificates of cases name.
    private var responders: [StoreServer] = []

    /// Creates the cases for the last purchase of a sandbox store, which is the subscription if there is one.
    init(_ stores: MatrixStores, _ options: MatrixOptions) throws {
        store = stores.sandbox
        (authority, folder) = (stores.authority, stores.folder)
        guard let last = store.purchases.last else { throw StoreFile.Failure(description: "nothing was bought") }
        purchase = last
        (bundleIdentifier, appAppleIdentifier) = (options.bundleIdentifier, options.appAppleIdentifier)
    }

    /// All cases of some forms.
    func all(of forms: [MatrixForm]) throws -> [FutureCase] {
        try FutureCase.Part.allCases.filter { forms.contains($0.form) }.flatMap { try cases($0) }
    }

    private func cases(_ part: FutureCase.Part) throws -> [FutureCase] {
        switch part {
        case .notification:
            try notificationsAboutPurchase() + notificationsWithoutPurchase()
        case .transaction: try transactions()
        case .jwsCertificates:
            try certificates(part) { try $0.jws(of: data(try payload(.jws))) }
        case .receiptCertificates:
            try certificates(part) { try $0.seal(try receiptContent()).base64EncodedString() }
        }
    }

    /// A word that nobody knows today.
    private static let unknown = "UNKNOWN_TODAY"
    private static let otherApp = "com.example.another"

    // MARK: Notifications

    private func notificationsAboutPurchase() throws -> [FutureCase] {
        let known = try payload(.notification)
        let data = known["data"] as? [String: Any] ?? [:]
        func make(
            _ name: String,
            _ changes: [String: Any] = [:],
            data more: [String: Any] = [:],
            _ expectation: FutureCase.Expectation = .accepted
        ) throws -> FutureCase {
            let all = known.merging(changes) { $1 }.merging(["data": data.merging(more) { $1 }]) { $1 }
            return try notification(name, all, expectation, purchase)
        }
        let unknown = Self.unknown
        let (foreign, other) = (["environment": unknown], ["bundleId": Self.otherApp])
        return [
            try make("an unknown type", ["notificationType": unknown]),
            try make("an unknown subtype", ["subtype": unknown]),
            try make("unknown fields", ["unknownToday": ["a": [1, 2]]], data: ["unknownToday": 1]),
            try make("an unknown status of a subscription", data: ["status": 99]),
            try make(
                "a transaction of an unknown type",
                data: ["signedTransactionInfo": try transaction(["type": unknown])]
            ),
            try make(
                "an unknown reason to request a refund",
                ["notificationType": "CONSUMPTION_REQUEST"],
                data: ["consumptionRequestReason": unknown]
            ),
            try make(
                "an unknown environment",
                data: foreign.merging(["signedTransactionInfo": try transaction(foreign)]) { $1 },
                .refused
            ),
            try make(
                "another app's",
                data: other.merging(["signedTransactionInfo": try transaction(other)]) { $1 },
                .refused
            ),
        ]
    }

    private func notificationsWithoutPurchase() throws -> [FutureCase] {
        let known = try payload(.notification)
        let app: [String: Any] = ["bundleId": bundleIdentifier, "environment": purchase.environment]
        func make(
            _ name: String,
            _ type: String,
            _ member: String,
            _ content: [String: Any],
            _ expectation: FutureCase.Expectation = .accepted,
            subtype: String? = nil
        ) throws -> FutureCase {
            var all = known
            (all["data"], all["subtype"]) = (nil, subtype)
            all["notificationType"] = type
            all[member] = content
            return try notification(name, all, expectation, nil)
        }
        let identifier = UUID().uuidString.lowercased()
        return [
            try make(
                "externalPurchaseToken without data",
                "EXTERNAL_PURCHASE_TOKEN",
                "externalPurchaseToken",
                [
                    "externalPurchaseId": "SANDBOX_\(identifier)", "tokenCreationDate": known["signedDate"] ?? 0,
                    "bundleId": bundleIdentifier, "appAppleId": appAppleIdentifier,
                ],
                subtype: "UNREPORTED"
            ),
            try make(
                "summary without data",
                "RENEWAL_EXTENSION",
                "summary",
                app.merging([
                    "requestIdentifier": identifier, "productId": purchase.product, "succeededCount": 1,
                    "failedCount": 0,
                ]) { $1 },
                subtype: "SUMMARY"
            ),
            try make(
                "appData without data",
                "RESCIND_CONSENT",
                "appData",
                app.merging(["signedAppTransactionInfo": try store.store.account.signedAppTransaction.jws]) { $1 }
            ),
            try make("an unknown object in place of data", Self.unknown, "unknownToday", app, .either),
        ]
    }

    private func notification(
        _ name: String,
        _ content: [String: Any],
        _ expectation: FutureCase.Expectation,
        _ purchase: MatrixPurchase?
    ) throws -> FutureCase {
        // A server handles each notification once.
        let content = content.merging(["notificationUUID": UUID().uuidString.lowercased()]) { $1 }
        return FutureCase(
            part: .notification,
            name: name,
            value: try store.signer.jws(of: data(content)),
            expectation: expectation,
            purchase: purchase
        )
    }

    // MARK: Transactions

    private func transactions() throws -> [FutureCase] {
        func make(
            _ name: String,
            _ changes: [String: Any],
            _ expectation: FutureCase.Expectation = .accepted,
            by signer: AppStoreSigner? = nil
        ) throws -> FutureCase {
            var shown = purchase
            shown.product = changes["productId"] as? String ?? shown.product
            return FutureCase(
                part: .transaction,
                name: name,
                value: try transaction(changes, by: signer),
                expectation: expectation,
                purchase: shown
            )
        }
        let unknown = Self.unknown
        let now = Int(store.store.clock.now.timeIntervalSince1970) * 1000
        let xcode = try AppStoreSigner(authority, clock: store.store.clock, form: .xcode)
        return [
            try make("an unknown type", ["type": unknown]),
            try make("an unknown type of offer", ["offerType": 99, "offerIdentifier": "offer"]),
            try make("an unknown discount", ["offerType": 1, "offerDiscountType": unknown]),
            try make("an unknown reason", ["transactionReason": unknown]),
            try make("an unknown ownership", ["inAppOwnershipType": unknown]),
            try make("unknown fields", ["unknownToday": ["a": [1, 2]]]),
            try make("an unknown product", ["productId": "com.example.unknown.today"], .either),
            try make("revoked for an unknown reason", ["revocationDate": now, "revocationReason": 99], .either),
            try make("an unknown environment", ["environment": unknown], .refused),
            try make("another app's", ["bundleId": Self.otherApp], .refused),
            try make("signed by Xcode", ["environment": "Xcode"], .refused, by: xcode),
        ]
    }

    // MARK: Certificates

    private func certificates(
        _ part: FutureCase.Part,
        _ sign: (AppStoreSigner) throws -> String
    ) throws -> [FutureCase] {
        func make(_ name: String, _ expectation: FutureCase.Expectation, _ signer: AppStoreSigner) throws -> FutureCase
        {
            FutureCase(
                part: part,
                name: name,
                value: try sign(signer),
                expectation: expectation,
                purchase: purchase
            )
        }
        let clock = store.store.clock
        var right = [try make("a new leaf", .accepted, try renewed(keeping: ["root", "intermediate"]))]
        // An app receipt is also verified by the store's servers, which have the revocations of one intermediate only.
        if part == .jwsCertificates {
            right.append(try make("a new intermediate", .accepted, try renewed(keeping: ["root"])))
            // A new leaf too, about which no verifier remembers anything.
            let silent = try renewed(keeping: ["root", "intermediate"], isResponderAvailable: false)
            right.append(try make("a leaf whose OCSP responder is silent", .either, silent))
        }
        let wrong = try CertificateAuthority.Defect.allCases.map { defect in
            // Only a server that asks for the status of certificates can know of a revocation.
            let expectation: FutureCase.Expectation = defect == .revoked ? .either : .refused
            return try make(defect.name, expectation, try AppStoreSigner(authority, clock: clock, defect: defect))
        }
        return right + wrong
    }

    /// Returns a signer with the same root, and with new keys and certificates below those that are kept.
    ///
    /// The certificates name an OCSP responder of their own.
    private func renewed(keeping roles: [String], isResponderAvailable: Bool = true) throws -> AppStoreSigner {
        let copy = SandboxStoreTool.temporaryFolder
        try KeyFolder(copy).create()
        defer { try? FileManager.default.removeItem(at: copy) }
        for role in roles {
            for name in ["\(role).pem", "\(role).key.pem"] {
                try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.appending(path: name))
            }
        }
        let clock = store.store.clock
        // Keys are read and written as long as the folder exists.
        let renewed = try CertificateAuthority(folder: copy, now: clock.now)
        let signer = try AppStoreSigner(renewed, clock: clock)
        let server = try StoreServer(SandboxStore(clock: clock, signer: signer))
        server.isResponderAvailable = isResponderAvailable
        responders.append(server)
        _ = (try signer.jws(of: data(try payload(.jws))), try signer.seal(try receiptContent()))
        return signer
    }

    // MARK: Payloads

    /// Returns the content of the purchase's JWS in a form.
    private func payload(_ form: MatrixForm) throws -> [String: Any] {
        let now = store.store.clock.now
        let data = try store.signer.payload(of: purchase.values[form] ?? "") { _ in now }
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    /// Returns the content of the purchase's app receipt.
    private func receiptContent() throws -> Data {
        let now = store.store.clock.now
        return try store.signer.open(Data(base64Encoded: purchase.values[.appReceipt] ?? "") ?? Data()) { _ in now }
    }

    /// Returns the purchase's transaction with some members changed, as JWS.
    private func transaction(_ changes: [String: Any], by signer: AppStoreSigner? = nil) throws -> String {
        try (signer ?? store.signer).jws(of: data(try payload(.jws).merging(changes) { $1 }))
    }

    private func data(_ members: [String: Any]) throws -> Data {
        try JSONSerialization.data(withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
    }
}

extension CertificateAuthority.Defect {
    /// The words for the defect in a table.
    fileprivate var name: String {
        switch self {
        case .expiredLeaf: "an expired leaf"
        case .missingLeafMarker: "a leaf without the App Store's marker"
        case .missingIntermediateMarker: "an intermediate without the marker"
        case .foreignRoot: "another root of the same name"
        case .chainOfOne: "a leaf without its issuers"
        case .chainOfFour: "a second intermediate"
        case .wrongKey: "another key than the leaf's"
        case .revoked: "a revoked leaf"
        }
    }
}
