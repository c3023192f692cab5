import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands that query the store and change nothing.
    static let questions: [ScenarioCommand] = [
        ScenarioCommand("status", in: .questions, "The store's time, country and settings") { $0.status },
        ScenarioCommand("products", in: .questions, "Every product, and whether it is on sale") { call in
            ScenarioAnswer(
                table: call.store.registeredProducts.map { product in
                    [
                        "product": .string(product.identifier), "kind": .string(product.kind.rawValue),
                        "price": .decimal(product.price), "group": .optional(product.subscription?.groupIdentifier),
                        "family": .bool(product.isFamilyShareable),
                        "notOnSale": .optional(call.store.reasonForInvalidity(of: product.identifier)),
                    ]
                },
                empty: "no products"
            )
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
            ScenarioAnswer(
                table: try call.account().entitlements.sorted { $0.productIdentifier < $1.productIdentifier }.map {
                    [
                        "product": .string($0.productIdentifier), "transaction": .string($0.transaction),
                        "since": .date($0.since), "expires": .optional($0.expirationDate),
                        "grace": .bool($0.isInGracePeriod), "sharedBy": .optional($0.sharedBy),
                    ]
                },
                empty: "nothing"
            )
        },
        ScenarioCommand("subscriptions", [], [.account], in: .questions, "The account's subscriptions") { call in
            ScenarioAnswer(table: try call.account().subscriptions.map(\.json), empty: "no subscriptions")
        },
        ScenarioCommand("accounts", in: .questions, "Every account, with what it paid") { call in
            ScenarioAnswer(table: try call.store.accounts.map { try call.row($0) }, empty: "no accounts")
        },
        ScenarioCommand("devices", in: .questions, "Every device, and who is signed in") { call in
            ScenarioAnswer(
                table: try call.store.devices.map { device in
                    [
                        "device": .string(device.name), "account": .optional(device.account?.name),
                        "payments": .bool(device.canMakePayments), "reachable": .bool(device.isReachable),
                        "locale": .string(device.locale), "unfinished": .number(try device.unfinished.count),
                        "receipt": .bool(device.appReceipt != nil),
                    ]
                },
                empty: "no devices"
            )
        },
        ScenarioCommand("families", in: .questions, "Every family, with its members") { call in
            ScenarioAnswer(
                table: call.store.families.map {
                    ["family": .string($0.name), "members": .array($0.members.map { .string($0.name) })]
                },
                empty: "no families"
            )
        },
        ScenarioCommand("undecided", in: .questions, "What waits for approve or decline") { call in
            ScenarioAnswer(
                table: call.store.undecided.map {
                    [
                        "transaction": .string($0.transaction), "product": .string($0.productIdentifier),
                        "quantity": .number($0.quantity), "total": .decimal($0.total),
                        "account": .string($0.account), "device": .string($0.device),
                        "user": .optional($0.applicationUsername),
                    ]
                },
                empty: "nothing waits"
            )
        },
        ScenarioCommand("issues", in: .questions, "What was interrupted and waits for resolve") { call in
            ScenarioAnswer(
                table: call.store.issues.map {
                    [
                        "transaction": .string($0.transaction), "product": .string($0.productIdentifier),
                        "quantity": .number($0.quantity), "account": .string($0.account), "device": .string($0.device),
                    ]
                },
                empty: "nothing was interrupted"
            )
        },
        ScenarioCommand("refund-requests", in: .questions, "What somebody wants refunded") { call in
            ScenarioAnswer(
                table: call.store.refundRequests.map { ["transaction": .string($0)] },
                empty: "no requests"
            )
        },
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
