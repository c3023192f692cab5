import Foundation
import StoreCore

extension ScenarioCommand {
    /// Time, and the renewal of subscriptions.
    static let subscriptions: [ScenarioCommand] = [
        ScenarioCommand(
            "advance",
            [ScenarioParameter("duration", .duration)],
            in: .subscriptions,
            "Time goes by, with all that falls due"
        ) { call in
            try call.advance(to: call.end("duration") ?? call.store.clock.now)
        }
    ]
    static let billing: [ScenarioCommand] = []
    static let offers: [ScenarioCommand] = []
    static let refunds: [ScenarioCommand] = [
        ScenarioCommand("refund", [.transaction(.sold)], in: .refunds, "Pays a purchase back") { call in
            let transaction = try call.transaction(.sold)
            try call.store.refund(transaction)
            return try call.done("refunded", transaction: transaction)
        }
    ]
    static let families: [ScenarioCommand] = []
    static let server: [ScenarioCommand] = []
    static let people: [ScenarioCommand] = []
    static let failures: [ScenarioCommand] = []
    static let questions: [ScenarioCommand] = [
        ScenarioCommand(
            "transactions",
            [],
            [.account, ScenarioOption("--product", .product, "only those of a product")],
            in: .questions,
            "Every transaction that there was"
        ) { call in
            let transactions = try call.account(in: "--account")?.transactions ?? call.store.transactions
            let product = try call.word("--product").map { _ in try call.product("--product") }
            return ScenarioAnswer(
                table: transactions.filter { product == nil || $0.productIdentifier == product }.map(\.json),
                empty: "no transactions"
            )
        }
    ]
}
