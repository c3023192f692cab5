import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands about refunds, deleted transactions, and receipts.
    static let refunds: [ScenarioCommand] = [
        ScenarioCommand(
            "refund",
            [.transaction(.sold)],
            [
                ScenarioOption("--percentage", .number(1...100), "the share of the price; without it, all of it"),
                ScenarioOption("--app-issue", nil, "the reason is a problem with the app"),
            ],
            in: .refunds,
            "Pays a purchase or a period back"
        ) { call in
            let transaction = try call.transaction(.sold)
            try call.store.refund(
                transaction,
                percentage: Decimal(call.number("--percentage") ?? 100),
                reason: call.has("--app-issue") ? .developerIssue : .other
            )
            return try call.done("refunded", transaction: transaction)
        },
        ScenarioCommand(
            "delete",
            [ScenarioParameter("transaction", .transaction(.all))],
            in: .refunds,
            "A transaction never was"
        ) { call in
            let transaction = try call.transaction(.all)
            try call.store.deleteTransaction(transaction)
            return call.done("deleted #\(transaction)")
        },
        ScenarioCommand("clear", in: .refunds, "No transaction ever was") { call in
            try call.store.clearTransactions()
            return call.done("deleted every transaction")
        },
        ScenarioCommand(
            "refresh-receipt",
            [],
            [
                ScenarioOption("--expired", nil, "it says that it is expired"),
                ScenarioOption("--revoked", nil, "it says that it is revoked"),
                ScenarioOption("--volume", nil, "it says that the app was bought in volume"), .device,
            ],
            in: .refunds,
            "The app refreshes its receipt"
        ) { call in
            let properties = ReceiptProperties(
                isExpired: call.has("--expired"),
                isRevoked: call.has("--revoked"),
                isVolumePurchase: call.has("--volume")
            )
            let device = try call.device()
            try call.reply(to: { device.refreshReceipt(properties, reply: $0) })
            return call.done("\(device.name) has a receipt")
        },
        ScenarioCommand(
            "app-purchase",
            [],
            [
                ScenarioOption("--app-version", .text, "the app's version at that time"),
                ScenarioOption("--date", .moment, "the date"),
                ScenarioOption("--platform", .choice(AppPurchase.Platform.allCases.map(\.rawValue)), "the platform"),
                ScenarioOption("--account", .account, "the account; every account, unless given"),
            ],
            in: .refunds,
            "How the app itself was bought; what is not given is as by default"
        ) { call in
            let purchase = AppPurchase(
                version: call.word("--app-version")?.text,
                date: try call.word("--date").map { try Date($0.text, strategy: .iso8601) },
                platform: call.word("--platform").flatMap { AppPurchase.Platform(rawValue: $0.text) }
            )
            let account = try call.account(in: "--account")
            if let account {
                try account.setAppPurchase(purchase)
            } else {
                try call.store.setAppPurchase(purchase)
            }
            let words = purchase.words.map { ": \($0)" } ?? " as by default"
            return call.done("\(account?.name ?? "everybody") bought the app\(words)")
        },
    ]

    /// Commands about families and family sharing.
    static let families: [ScenarioCommand] = [
        ScenarioCommand(
            "add-family",
            [ScenarioParameter("name", .text)],
            [ScenarioOption("--account", .account, "the organizer; the one that is signed in, unless given")],
            in: .refunds,
            "An account founds a family"
        ) { call in
            let family = try call.store.addFamily(call.text("name"), organizer: call.account())
            return call.done("the family \(family.name)")
        },
        ScenarioCommand(
            "join-family",
            [ScenarioParameter("family", .family)],
            [.account],
            in: .refunds,
            "An account joins a family"
        ) { call in
            let (family, account) = (try call.family("family"), try call.account())
            try family.add(account)
            return call.done("\(account.name) is in the family \(family.name)")
        },
        ScenarioCommand(
            "leave-family",
            [],
            [.account],
            in: .refunds,
            "An account leaves its family; with the organizer everybody does"
        ) { call in
            let account = try call.account()
            guard let family = account.family else {
                throw ScenarioError("\"\(account.name)\" is in no family", kind: .refused)
            }
            try family.remove(account)
            return call.done("\(account.name) left the family \(family.name)")
        },
        ofAccount("shares-purchases", in: .refunds, "Whether an account shares its purchases with its family") {
            try $0.setSharesPurchases($1)
            return "\($0.name) shares \($1 ? "its purchases" : "nothing")"
        },
    ]
}
