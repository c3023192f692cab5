import Foundation
import StoreCore

extension Call {
    /// Returns the store's timeline, or the entries about one transaction.
    func timeline() throws -> ScenarioAnswer {
        if has("--html"), has("--svg") { throw ScenarioError("--html and --svg do not go together") }
        let about = try word("transaction").map { _ in try transaction(.all) }
        let whole = try store.timeline
        let timeline = about.map { SandboxTimeline(entries: whole.entries(about: $0)) } ?? whole
        let entries = timeline.entries
        // A deleted transaction has entries, and is not known.
        if let about, entries.isEmpty { _ = try known(about) }
        if has("--html") {
            let html = timeline.html
            return ScenarioAnswer(text: html, json: .object([.init(key: "html", value: .string(html))]))
        }
        if has("--svg") {
            let svg = timeline.svg
            return ScenarioAnswer(text: svg, json: .object([.init(key: "svg", value: .string(svg))]))
        }
        return ScenarioAnswer(table: entries.map(\.json), empty: "nothing has happened")
    }

    /// The store's time, country and settings.
    var status: ScenarioAnswer {
        let members: [JSONValue.Member] = [
            .init(key: "now", value: .date(store.clock.now)),
            .init(
                key: "clock",
                value: .string((store.clock as? any RunningClock)?.isRunning == true ? "running" : "fixed")
            ),
            .init(key: "storefront", value: .optional(store.storefront?.countryCode)),
            .init(key: "ageRating", value: .optional(store.ageRatingCode)),
            .init(key: "locale", value: .string(store.locale)),
            .init(key: "renewalRate", value: .string(store.renewalRate.word)),
            .init(key: "renewalLimit", value: .optional(store.renewalLimit)),
            .init(key: "gracePeriod", value: .bool(store.grantsGracePeriod)),
            .init(key: "purchaseFailure", value: .optional(store.purchaseFailure?.word)),
            .init(key: "refundDecision", value: .string(store.refundDecision.rawValue)),
            .init(key: "signature", value: .optional(store.signatureDefect?.rawValue)),
            .init(key: "reachable", value: .bool(store.isReachable)),
            .init(key: "account", value: .optional(session.account)),
            .init(key: "device", value: .optional(session.device)),
        ]
        let width = members.map(\.key.count).max() ?? 0
        let lines = members.compactMap { member -> String? in
            guard member.value != .null else { return nil }
            return member.key + String(repeating: " ", count: width + 2 - member.key.count) + member.value.text
        }
        return ScenarioAnswer(text: lines.joined(separator: "\n"), json: .object(members))
    }

    /// Returns the receipt of the device or of a transaction.
    func receipt() throws -> ScenarioAnswer {
        let device = try device()
        if has("--jws") {
            let signed = word("transaction") == nil ? nil : try transaction(.all)
            let jws: String
            if let signed {
                jws = try store.signedTransaction(signed).jws
            } else {
                jws = try device.signedAppTransaction.jws
            }
            return ScenarioAnswer(text: jws, json: ["transaction": .optional(signed), "jws": .string(jws)])
        }
        guard word("transaction") != nil else {
            guard let receipt = device.appReceipt?.base64EncodedString() else {
                throw ScenarioError("\(device.name) has no receipt yet; refresh-receipt makes one", kind: .refused)
            }
            return ScenarioAnswer(text: receipt, json: ["device": .string(device.name), "receipt": .string(receipt)])
        }
        let transaction = try transaction(.unfinished)
        guard let receipt = device.receipt(forTransaction: transaction)?.base64EncodedString() else {
            _ = try known(transaction)
            let rule = "only an unfinished transaction in the device's queue has one"
            throw ScenarioError("#\(transaction) has no receipt on \(device.name): \(rule)", kind: .refused)
        }
        return ScenarioAnswer(text: receipt, json: ["transaction": .string(transaction), "receipt": .string(receipt)])
    }

    /// Makes a call that replies before it returns, and throws the failure of the reply.
    func reply(to call: (@escaping @Sendable (StoreFailure?) -> Void) -> Void) throws {
        let failure = Locked<StoreFailure?>(nil)
        call { reply in failure.withLock { $0 = reply } }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
