import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands about time and the renewal of subscriptions.
    static let subscriptions: [ScenarioCommand] = [
        ScenarioCommand(
            "advance",
            [ScenarioParameter("duration", .duration)],
            in: .subscriptions,
            "Time goes by, with all that falls due"
        ) { call in try call.advance(to: call.end("duration") ?? call.store.clock.now) },
        ScenarioCommand(
            "advance-to",
            [ScenarioParameter("moment", .moment)],
            in: .subscriptions,
            "Time goes by until a moment"
        ) { call in try call.advance(to: Date(call.text("moment"), strategy: .iso8601)) },
        ScenarioCommand(
            "advance-to-end",
            [.group],
            [.account],
            in: .subscriptions,
            "Time goes by until the period that was paid for is over"
        ) { call in
            var ends: [Date] = []
            _ = try call.forEachGroup { account, group in
                guard let subscription = account.subscription(inGroup: group), subscription.isRunning else {
                    throw SandboxError(.notSubscribed(group: group))
                }
                ends.append(subscription.expirationDate)
            }
            return try call.advance(to: ends.min() ?? call.store.clock.now)
        },
        ScenarioCommand(
            "clock",
            [ScenarioParameter("pace", .choice(["fixed", "running"]))],
            in: .subscriptions,
            "Whether the clock of a served store stands still between commands"
        ) { call in
            guard let clock = call.store.clock as? ShiftedClock else {
                let runs = call.store.clock is any RunningClock
                let reason = runs ? "this store's clock always runs" : "this store's clock moves by commands only"
                throw ScenarioError("clock: \(reason)", kind: .refused)
            }
            clock.isRunning = call.text("pace") == "running"
            return call.done("the clock is \(call.text("pace"))")
        },
        ScenarioCommand(
            "renewal-rate",
            [ScenarioParameter("rate", .choice(RenewalRate.words))],
            in: .subscriptions,
            isSetting: true,
            "The length of periods that begin from now on: of a day, a month or every period"
        ) { call in
            call.store.renewalRate = RenewalRate(word: call.text("rate")) ?? .realTime
            return call.done("periods are \(call.text("rate"))")
        },
        ScenarioCommand(
            "auto-renew",
            [.state, .group],
            [.account],
            in: .subscriptions,
            "Turns the renewal of subscriptions on or off"
        ) { call in
            let groups = try call.forEachGroup { try $0.setAutoRenew(call.isOn, inGroup: $1) }
            return call.done("\(groups) \(call.isOn ? "renews" : "does not renew")")
        },
        ofGroup("renew", "The period ends now, and the next begins", "renewed") { try $0.forceRenewal(inGroup: $1) },
        ofGroup("expire", "The subscription is over now", "expired") { try $0.expireSubscription(inGroup: $1) },
        ScenarioCommand(
            "renewal-limit",
            [ScenarioParameter("limit", .either(["off"], .number(0...1_000_000)))],
            in: .subscriptions,
            "Subscriptions renew so often and no more"
        ) { call in
            try call.store.setRenewalLimit(call.number("limit"))
            return call.done("the limit of renewals is \(call.text("limit"))")
        },
    ]

    /// Commands about payments for renewals, and about prices.
    static let billing: [ScenarioCommand] = [
        ofAccount("billing-fails", in: .subscriptions, "Whether the account's renewals cannot be paid for") {
            try $0.setBillingFails($1)
            return "renewals of \($0.name) \($1 ? "cannot" : "can") be paid for"
        },
        ofGroup("resolve-billing", "A renewal is paid for after all", "paid for") {
            try $0.resolveBillingIssue(inGroup: $1)
        },
        ScenarioCommand(
            "grace-period",
            [.state],
            in: .subscriptions,
            "Whether access goes on for a while when a renewal cannot be paid for"
        ) { call in
            try call.store.setGrantsGracePeriod(call.isOn)
            return call.done("the store grants \(call.isOn ? "a" : "no") grace period")
        },
        ScenarioCommand(
            "raise-price",
            [.product, ScenarioParameter("price", .price)],
            in: .subscriptions,
            "A price goes up, and subscribers are asked for their consent"
        ) { call in
            let product = try call.product()
            try call.store.raisePrice(of: product, to: call.text("price"))
            return call.done("\(product) costs \(call.text("price"))")
        },
        ofGroup("request-consent", "The subscriber is asked for consent, whatever the price", "asked for consent") {
            try $0.requestPriceIncreaseConsent(inGroup: $1)
        },
        ScenarioCommand(
            "answer-consent",
            [ScenarioParameter("answer", .consent), .group],
            [.account],
            in: .subscriptions,
            "The subscriber answers the question about a higher price"
        ) { call in
            let answer = PriceConsentAnswer(rawValue: call.text("answer")) ?? .agree
            let groups = try call.forEachGroup { try $0.answerPriceConsent(answer, inGroup: $1) }
            return call.done("\(groups): \(answer.rawValue)")
        },
        ScenarioCommand(
            "consent-sheet",
            [ScenarioParameter("answer", .either(["off"], .consent))],
            [.device],
            in: .subscriptions,
            isSetting: true,
            "The answer to the sheet that an app shows about a higher price, from now on; off leaves it open"
        ) { call in
            let device = try call.device()
            device.priceConsentAnswer = PriceConsentAnswer(rawValue: call.text("answer"))
            return call.done("the sheet on \(device.name): \(call.text("answer"))")
        },
    ]

    /// Commands about offers that are redeemed outside the app, and about the sheet for codes.
    static let offers: [ScenarioCommand] = [
        ScenarioCommand(
            "redeem",
            [ScenarioParameter("code", .text)],
            [ScenarioOption("--product", .product, "the product, if the code is for several"), .account],
            in: .subscriptions,
            "A code is redeemed outside the app"
        ) { call in
            let product = try call.word("--product").map { _ in try call.product("--product") }
            let transaction = try call.account().redeem(code: call.text("code"), of: product)
            return try call.done("redeemed", transaction: transaction)
        },
        ScenarioCommand(
            "code-entry",
            [ScenarioParameter("code", .either(["cancel", "off"], .text))],
            [ScenarioOption("--product", .product, "the product, if the code is for several"), .device],
            in: .subscriptions,
            isSetting: true,
            "What the user enters in the sheet for codes, from now on"
        ) { call in
            let product = try call.word("--product").map { _ in try call.product("--product") }
            let device = try call.device()
            device.codeEntry =
                switch call.text("code") {
                case "off": nil
                case "cancel": .cancel
                default: .redeem(code: call.text("code"), productIdentifier: product)
                }
            return call.done("the sheet for codes on \(device.name): \(call.text("code"))")
        },
        ScenarioCommand("code-sheet", [], [.device], in: .subscriptions, "The app shows the sheet for codes") { call in
            let device = try call.device()
            let outcome = Locked<Result<String?, StoreFailure>>(.success(nil))
            device.presentCodeRedemptionSheet { result in outcome.withLock { $0 = result } }
            guard let transaction = try outcome.withLock({ $0 }).get() else {
                return call.done("the sheet for codes was canceled on \(device.name)")
            }
            return try call.done("redeemed", transaction: transaction)
        },
        ScenarioCommand(
            "win-back",
            [ScenarioParameter("offer", .text), .product],
            [.account],
            in: .subscriptions,
            "A former subscriber takes a win-back offer in the store itself"
        ) { call in
            let product = try call.product()
            let transaction = try call.account().redeemWinBackOffer(call.text("offer"), of: product)
            return try call.done("won back", transaction: transaction)
        },
    ]

    /// Creates a command that acts on a subscription group, or on each group of an account.
    private static func ofGroup(
        _ name: String,
        _ summary: String,
        _ done: String,
        _ body: @escaping @Sendable (SandboxAccount, String) throws -> Void
    ) -> ScenarioCommand {
        ScenarioCommand(name, [.group], [.account], in: .subscriptions, summary) { call in
            call.done("\(try call.forEachGroup(body)): \(done)")
        }
    }
}

extension ScenarioValueKind {
    fileprivate static let consent = choice(["agree", "decline"])
}

extension RenewalRate {
    /// The words for all rates: `real-time`, `day-5min`, `month-30s` and so on.
    static let words = ["real-time"] + byWord.map(\.word)

    /// Creates the rate for a word; nil for an unknown word.
    init?(word: String) {
        if word == "real-time" {
            self = .realTime
        } else if let rate = Self.byWord.first(where: { $0.word == word })?.rate {
            self = rate
        } else {
            return nil
        }
    }

    /// The word for the rate.
    var word: String { Self.byWord.first { $0.rate == self }?.word ?? "real-time" }

    private static let byWord: [(word: String, rate: RenewalRate)] =
        Day.allCases.map { ("day-\(length($0.rawValue))", .day($0)) }
        + Month.allCases.map { ("month-\(length($0.rawValue))", .month($0)) }
        + Period.allCases.map { ("period-\(length($0.rawValue))", .everyPeriod($0)) }

    private static func length(_ seconds: TimeInterval) -> String {
        let count = Int(seconds)
        return count % 3600 == 0 ? "\(count / 3600)h" : count % 60 == 0 ? "\(count / 60)min" : "\(count)s"
    }
}
