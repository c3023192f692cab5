import Foundation
import StoreCore
import StoreCrypto
import StoreScenario

/// A reader of transactions, with their signed forms decoded.
struct ConsoleTransactions: Sendable {
    private let store: SandboxStore
    private let view: ServerView
    private let chronicle: StoreChronicle
    private let largestReceipt: Int

    /// Creates a reader of transactions.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - view: a view of the store.
    ///   - chronicle: the store's history.
    ///   - largestReceipt: the maximum size of an app receipt that is decoded, in bytes; the default suffices for some
    ///     thousand purchases.
    init(_ store: SandboxStore, _ view: ServerView, _ chronicle: StoreChronicle, largestReceipt: Int = 1 << 20) {
        (self.store, self.view, self.chronicle) = (store, view, chronicle)
        self.largestReceipt = largestReceipt
    }

    /// Returns the details of a transaction; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    func details(of identifier: String) throws -> JSONValue? {
        guard let transaction = try chronicle.transaction(identifier) else { return nil }
        let device =
            transaction.device.flatMap { store.device(named: $0) }
            ?? store.devices.first { $0.account?.name == transaction.account }
        let row = ConsoleContext(store).rows([transaction])[0]
        let details: JSONValue = [
            "transaction": row, "facts": try facts(about: transaction), "story": try story(of: identifier),
            "notifications": try notifications(about: identifier), "jws": jws(of: identifier),
        ]
        guard let device else { return details }
        let single = device.receipt(forTransaction: identifier).map { store.verify(receipt: $0).json }
        return details + ["receipt": receipt(of: device), "transactionReceipt": .optional(single.map(Self.indented))]
    }

    /// Returns what a sheet lists about a transaction: pairs of a name and its words, without those that do not apply.
    private func facts(about transaction: SandboxTransaction) throws -> JSONValue {
        let identifier = transaction.id
        let payload = try view.payloads(of: [identifier])[identifier]
        let (currency, info) = (transaction.currency, payload?.advancedCommerceInfo)
        func price(_ amount: Decimal) -> String { ConsoleWords.price(amount, currency) }
        let plan = payload?.commitmentInfo.map {
            "monthly, payment \($0.billingPeriodNumber) of \($0.totalBillingPeriods)"
        }
        let items = info?.items.map { item in
            let refunded = (item.refunds ?? []).reduce(0) { $0 + $1.refundAmount }
            return "\(item.displayName) \(price(Decimal(item.price) / 1000))"
                + (refunded == 0 ? "" : " (\(price(Decimal(refunded) / 1000)) paid back)")
        }
        let facts: [(name: String, words: String?)] = [
            ("Quantity", transaction.quantity > 1 ? "\(transaction.quantity)" : nil), ("Device", transaction.device),
            ("Date", ConsoleWords.moment(transaction.date)),
            ("Until", transaction.expirationDate.map(ConsoleWords.moment)), ("Plan", plan),
            ("Bundle", payload?.bundleProductId), ("Pass", info?.descriptors?.displayName),
            ("Items", items?.joined(separator: ", ")),
            ("Finished", transaction.isFinished ? "yes" : "no, the app has not finished it"),
            ("Paid back", transaction.refundedAmount.map(price)), ("Shared by", transaction.sharedBy),
            ("Failure", transaction.failure?.reason), ("State", "\(transaction.state)"),
        ]
        return .array(facts.compactMap { fact in fact.words.map { .array([.string(fact.name), .string($0)]) } })
    }

    /// Returns what happened to a transaction, oldest first: what the store recorded, and what devices were told.
    private func story(of identifier: String) throws -> JSONValue {
        let lines = try chronicle.lines(about: identifier).map(\.entry)
        let told = try view.newestNotifications(
            NotificationQuery(transaction: identifier, limit: Self.mostNotifications)
        )
        let notifications = told.page.reversed().map { notification in
            let name = [notification.type, notification.subtype].compactMap(\.self).joined(separator: " ")
            return (notification.date, Self.step(notification.date, "notification", "\(name): \(notification.outcome)"))
        }
        let steps = lines.map { entry in
            let refusal = entry.refusal.map { ": \($0.reason)" } ?? ""
            return (entry.date, Self.step(entry.date, entry.kind.rawValue, entry.what + refusal, entry.device))
        }
        // Notifications come last among what happened at the same time.
        let all = (steps + notifications).enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
        return .array(all.map(\.element.1))
    }

    private static let mostNotifications = 50

    private static func step(_ date: Date, _ kind: String, _ what: String, _ device: String? = nil) -> JSONValue {
        ["date": .date(date), "kind": .string(kind), "what": .string(what), "device": .optional(device)]
    }

    private func notifications(about identifier: String) throws -> JSONValue {
        let query = NotificationQuery(transaction: identifier, limit: Self.mostNotifications)
        return .array(
            try view.newestNotifications(query).page.reversed().map { notification in
                notification.json + ["result": .string(notification.outcome.rawValue)]
            }
        )
    }

    private func jws(of identifier: String) -> JSONValue {
        do {
            let text = try store.signedTransaction(identifier).jws
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
                Data(Base64URL.decode(Array(part.utf8)[...]) ?? [])
            }
            guard parts.count == 3 else { return ["text": .string(text)] }
            return [
                "text": .string(text), "header": .string(Self.indented(parts[0])),
                "payload": .string(Self.indented(parts[1])), "signature": .string("\(parts[2].count) bytes"),
                "certificates": .array(Self.certificates(in: parts[0])),
            ]
        } catch {
            return ["error": .string("\(error)")]
        }
    }

    /// Returns the certificates in a JWS header, the signer's first.
    private static func certificates(in header: Data) -> [JSONValue] {
        let header = (try? UntrustedJSON.object(from: header)) as? [String: Any]
        return (header?["x5c"] as? [String] ?? []).map { text in
            do {
                let certificate = try CertificateSummary(Data(base64Encoded: text) ?? Data())
                return [
                    "subject": .string(certificate.subject), "from": .date(certificate.validity.lowerBound),
                    "until": .date(certificate.validity.upperBound),
                ]
            } catch {
                return ["error": .string("\(error)")]
            }
        }
    }

    private func receipt(of device: SandboxDevice) -> JSONValue {
        guard let data = device.appReceipt else {
            return ["error": .string("there is no app receipt on \(device.name) yet")]
        }
        do {
            guard data.count <= largestReceipt else {
                let sentence = "the app receipt on \(device.name) has \(data.count) bytes, too many to show"
                return ["error": .string(sentence)]
            }
            let receipt = try store.verify(appReceipt: data)
            let json = try receipt.json(environment: view.environment, requestedAt: store.clock.now)
            return ["device": .string(device.name), "bytes": .number(data.count), "json": .string(Self.indented(json))]
        } catch {
            return ["error": .string("\(error)")]
        }
    }

    /// Returns JSON with each value on its own line; invalid JSON is returned unchanged.
    private static func indented(_ json: Data) -> String {
        let object = try? UntrustedJSON.object(from: json)
        let pretty = object.flatMap {
            try? JSONSerialization.data(
                withJSONObject: $0,
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]
            )
        }
        return String(decoding: pretty ?? json, as: UTF8.self)
    }
}
