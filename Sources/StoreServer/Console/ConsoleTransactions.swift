import Foundation
import StoreCore
import StoreCrypto

/// A reader of transactions with what the store signed about each, decoded.
struct ConsoleTransactions: Sendable {
    private let store: SandboxStore
    private let view: ServerView
    private let chronicle: StoreChronicle

    private let largestReceipt: Int

    /// Creates a reader of transactions.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - view: a view of it.
    ///   - chronicle: its history.
    ///   - largestReceipt: the maximum size of an app receipt that is decoded, in bytes: that of some thousand purchases.
    init(_ store: SandboxStore, _ view: ServerView, _ chronicle: StoreChronicle, largestReceipt: Int = 1 << 20) {
        (self.store, self.view, self.chronicle) = (store, view, chronicle)
        self.largestReceipt = largestReceipt
    }

    /// Returns the details of a transaction; nil if there is none.
    ///
    /// - Throws: the error that prevents reading the ledger.
    func details(of identifier: String) throws -> AnswerValue? {
        guard let transaction = try chronicle.transaction(identifier) else { return nil }
        var members: [String: AnswerValue] = [
            "transaction": .object(transaction.row.compactMapValues(\.self)), "jws": jws(of: identifier),
        ]
        let names = [transaction.device].compactMap(\.self)
        let device =
            names.first.flatMap { store.device(named: $0) }
            ?? store.devices.first { $0.account?.name == transaction.account }
        if let device {
            members["receipt"] = receipt(of: device)
            if let receipt = device.receipt(forTransaction: identifier) {
                let verified = store.verify(receipt: receipt)
                members["transactionReceipt"] = .object([
                    "json": .text(Self.indented(verified.json)), "bytes": .number(receipt.count),
                ])
            }
        }
        return .object(members)
    }

    private func jws(of identifier: String) -> AnswerValue {
        do {
            let text = try store.signedTransaction(identifier).jws
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
                Data(Base64URL.decode(Array(part.utf8)[...]) ?? [])
            }
            guard parts.count == 3 else { return .object(["text": .text(text)]) }
            return .object([
                "text": .text(text), "header": .text(Self.indented(parts[0])),
                "payload": .text(Self.indented(parts[1])),
                "signature": .text("\(parts[2].count) bytes"), "certificates": .list(Self.certificates(in: parts[0])),
            ])
        } catch {
            return .object(["error": .text("\(error)")])
        }
    }

    /// The certificates of a header, the signer's first.
    private static func certificates(in header: Data) -> [AnswerValue] {
        let header = (try? UntrustedJSON.object(from: header)) as? [String: Any]
        return (header?["x5c"] as? [String] ?? []).map { text in
            do {
                let certificate = try CertificateSummary(Data(base64Encoded: text) ?? Data())
                return .object([
                    "subject": .text(certificate.subject),
                    "from": .text(certificate.validity.lowerBound.universalText),
                    "until": .text(certificate.validity.upperBound.universalText),
                ])
            } catch {
                return .object(["error": .text("\(error)")])
            }
        }
    }

    private func receipt(of device: SandboxDevice) -> AnswerValue {
        guard let data = device.appReceipt else {
            return .object(["error": .text("there is no app receipt on \(device.name) yet")])
        }
        do {
            guard data.count <= largestReceipt else {
                let sentence = "the app receipt on \(device.name) has \(data.count) bytes, too many to show"
                return .object(["error": .text(sentence)])
            }
            let receipt = try store.verify(appReceipt: data)
            let json = try receipt.json(environment: view.environment, requestedAt: store.clock.now)
            return .object([
                "device": .text(device.name), "bytes": .number(data.count), "json": .text(Self.indented(json)),
            ])
        } catch {
            return .object(["error": .text("\(error)")])
        }
    }

    /// Returns JSON with a line for each value; any other text unchanged.
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
