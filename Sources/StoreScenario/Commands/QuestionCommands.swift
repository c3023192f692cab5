import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands that query the store and change nothing.
    static let questions: [ScenarioCommand] = [
        ScenarioCommand("status", in: .questions, "The store's time, country and settings") { $0.status },
        ScenarioCommand("products", in: .questions, "Every product, and whether it is on sale") { call in
            ScenarioAnswer(table: call.store.registeredProducts.map { $0.json(in: call.store) }, empty: "no products")
        },
        ScenarioCommand(
            "transactions",
            [],
            [.account, ScenarioOption("--product", .product, "only those of a product")],
            in: .questions,
            "Every transaction that there was"
        ) { call in
            let transactions = try call.account(in: "--account")?.transactions ?? call.session.transactions
            let product = try call.word("--product").map { _ in try call.product("--product") }
            return ScenarioAnswer(
                table: transactions.filter { product == nil || $0.productIdentifier == product }.map(\.json),
                empty: "no transactions"
            )
        },
        ScenarioCommand("unfinished", [], [.device], in: .questions, "What the app has not finished") { call in
            ScenarioAnswer(table: try call.device().unfinished.map(\.json), empty: "nothing is unfinished")
        },
        ScenarioCommand("entitlements", [], [.account], in: .questions, "What the account may use now") { call in
            let entitlements = try call.account().entitlements.sorted { $0.productIdentifier < $1.productIdentifier }
            return ScenarioAnswer(table: entitlements.map(\.json), empty: "nothing")
        },
        ScenarioCommand("subscriptions", [], [.account], in: .questions, "The account's subscriptions") { call in
            ScenarioAnswer(table: try call.account().subscriptions.map(\.json), empty: "no subscriptions")
        },
        ScenarioCommand("accounts", in: .questions, "Every account, with what it paid") { call in
            let accounts = try call.store.accounts.map { try $0.json(withTotalsIn: call.store) }
            return ScenarioAnswer(table: accounts, empty: "no accounts")
        },
        ScenarioCommand("devices", in: .questions, "Every device, and who is signed in") { call in
            let devices = try call.store.devices.map { device in
                let unfinished = try device.unfinished.count
                return device.json
                    + ["unfinished": .number(unfinished), "receipt": .bool(device.appReceipt != nil)]
            }
            return ScenarioAnswer(table: devices, empty: "no devices")
        },
        ScenarioCommand("families", in: .questions, "Every family, with its members") { call in
            ScenarioAnswer(table: call.store.families.map(\.json), empty: "no families")
        },
        ScenarioCommand("undecided", in: .questions, "What waits for approve or decline") { call in
            ScenarioAnswer(table: call.store.undecidedRequests.map(\.json), empty: "nothing waits")
        },
        ScenarioCommand("issues", in: .questions, "What was interrupted and waits for resolve") { call in
            ScenarioAnswer(table: call.store.interruptedPurchases.map(\.json), empty: "nothing was interrupted")
        },
        ScenarioCommand("refund-requests", in: .questions, "What somebody wants refunded") { call in
            ScenarioAnswer(table: call.store.refundRequests.map { ["transaction": .string($0)] }, empty: "no requests")
        },
        quirks,
        faults,
        ScenarioCommand(
            "receipt",
            [.transaction(.unfinished)],
            [ScenarioOption("--jws", nil, "the transaction as Store Kit 2 has it, signed"), .device],
            in: .questions,
            "The app's receipt in Base64, or that of an unfinished transaction",
            { try $0.receipt() }
        ),
        ScenarioCommand(
            "timeline",
            [.optional("transaction", .transaction(.all))],
            [
                ScenarioOption("--html", nil, "as a page to look at and to search"),
                ScenarioOption("--svg", nil, "as a picture"),
            ],
            in: .questions,
            "Who did what, when and why",
            { try $0.timeline() }
        ),
        ScenarioCommand(
            "help",
            [.optional("command", .text)],
            in: .questions,
            "All commands, or one",
            { try $0.help() }
        ),
    ]
}
