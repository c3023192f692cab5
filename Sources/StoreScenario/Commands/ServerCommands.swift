import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands about events of which an app's server is notified.
    static let server: [ScenarioCommand] = [
        ScenarioCommand(
            "refund-decision",
            [ScenarioParameter("decision", .choice(["approve", "ask", "decline", "follow-server"]))],
            in: .server,
            isSetting: true,
            "What becomes of requests for refunds: ask lets them wait, follow-server for a report"
        ) { call in
            call.store.refundDecision = RefundDecision(rawValue: call.text("decision")) ?? .approve
            return call.done("requests for refunds: \(call.text("decision"))")
        },
        ScenarioCommand(
            "request-refund",
            [.transaction(.sold)],
            [ScenarioOption("--reason", .choice(RefundReason.words), "what the buyer says")],
            in: .server,
            "The buyer requests a refund outside the app"
        ) { call in
            let transaction = try call.transaction(.sold)
            let reason = call.word("--reason").flatMap { RefundReason(word: $0.text) }
            let answer = try call.store.requestRefund(of: transaction, reason: reason)
            guard answer == .taken else {
                throw ScenarioError("the request for #\(transaction) is refused: \(answer.rawValue)", kind: .refused)
            }
            return try call.done("requested", transaction: transaction)
        },
        ScenarioCommand(
            "decline-refund",
            [.transaction(.refundRequests)],
            in: .server,
            "A request for a refund is declined"
        ) { call in
            let transaction = try call.transaction(.refundRequests)
            try call.store.declineRefund(of: transaction)
            return try call.done("not refunded", transaction: transaction)
        },
        ScenarioCommand("reverse-refund", [.transaction(.refunded)], in: .server, "A refund is taken back") { call in
            let transaction = try call.transaction(.refunded)
            try call.store.reverseRefund(of: transaction)
            return try call.done("charged again", transaction: transaction)
        },
        ScenarioCommand(
            "rescind-consent",
            [],
            [.account],
            in: .server,
            "A parent takes back the consent that the account uses the app"
        ) { call in
            let account = try call.account()
            try account.rescindConsent()
            return call.done("\(account.name) may not use the app")
        },
        ScenarioCommand("notifications", in: .server, "The notifications for the app's server, with their results") {
            call in
            let view = ServerView(call.store)
            var rows: [JSONValue] = []
            var last: ServerNotification.Position?
            while true {
                let page = try view.notifications(after: last, limit: 256)
                rows += page.map(\.row)
                guard let end = page.last else { break }
                last = end.position
            }
            return ScenarioAnswer(table: rows, empty: "no notifications")
        },
        ScenarioCommand("consumption-reports", in: .server, "What servers said of consumption") { call in
            ScenarioAnswer(
                table: try call.store.consumptionReports.map { report in
                    [
                        "transaction": .string(report.transaction), "date": .date(report.date),
                        "report": .string(String(decoding: report.json, as: UTF8.self)),
                    ]
                },
                empty: "no reports"
            )
        },
        ScenarioCommand(
            "order-id",
            [.transaction(.sold)],
            in: .server,
            "The order identifier on the customer's invoice"
        ) { call in
            let transaction = try call.transaction(.sold)
            guard let order = try call.store.orderIdentifier(of: transaction) else {
                throw SandboxError(.notSold(transaction))
            }
            return ScenarioAnswer(text: order, json: ["transaction": .string(transaction), "orderId": .string(order)])
        },
    ]
}

extension ServerNotification {
    fileprivate var row: JSONValue {
        [
            "notification": .string(identifier.uuidString.lowercased()), "date": .date(date), "type": .string(type),
            "subtype": .optional(subtype), "transaction": .optional(transaction?.transactionId),
            "attempts": .number(attempts.count), "result": .optional(attempts.last?.result),
        ]
    }
}

extension RefundReason {
    /// The words for all reasons, such as `unintended-purchase`.
    static let words = allCases.map(\.word)

    init?(word: String) {
        guard let reason = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = reason
    }

    private var word: String { rawValue.lowercased().replacing("_", with: "-") }
}
