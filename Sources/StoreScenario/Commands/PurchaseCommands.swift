import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands about purchases by apps and their users.
    static let purchases: [ScenarioCommand] = [
        ScenarioCommand(
            "buy",
            [.product],
            [
                ScenarioOption("--quantity", .number(1...1000), "how many; 1 unless given"),
                ScenarioOption("--user", .text, "the app's own name for its user"),
                ScenarioOption("--offer", .text, "a promotional offer, signed by the store's key"),
                ScenarioOption(
                    "--billing-plan",
                    .choice(["up-front", "monthly"]),
                    "how a year is paid; all at once unless given"
                ),
                ScenarioOption(
                    "--request",
                    .text,
                    """
                    an Advanced Commerce request in JSON, signed by that key; the transactionId subscription stands for \
                    that of the account's subscription
                    """
                ),
                ScenarioOption("--ask", nil, "somebody else is asked for this payment"),
                ScenarioOption("--outcome", .either(Call.outcomes, .failure), "what becomes of this purchase alone"),
                ScenarioOption("--outside", nil, "in the store itself, without an app's order"),
                .account, .device,
            ],
            in: .purchases,
            "An app orders a product, and the store sells or refuses it",
            { try $0.buy() }
        ),
        ScenarioCommand(
            "authorizer",
            [ScenarioParameter("answer", .choice(["approve", "cancel", "decline", "ask", "later"]))],
            in: .purchases,
            isSetting: true,
            "The answer to payment sheets from now on; later leaves them open"
        ) { call in
            call.store.authorizer =
                switch call.text("answer") {
                case "cancel": .always(.cancel)
                case "decline": .always(.decline())
                case "ask": .always(.askToBuy)
                case "later": .always(.later)
                default: .approving
                }
            return call.done("payment sheets are answered with \(call.text("answer"))")
        },
        ScenarioCommand(
            "payments-allowed",
            [.state],
            [.device],
            in: .purchases,
            "Whether the device's user may pay"
        ) { call in
            let device = try call.device()
            try device.setPaymentsAllowed(call.isOn)
            return call.done("payments are \(call.isOn ? "" : "not ")allowed on \(device.name)")
        },
        ScenarioCommand(
            "purchase-failure",
            [ScenarioParameter("failure", .either(["off"], .failure))],
            in: .purchases,
            isSetting: true,
            "Every purchase fails with this from now on"
        ) { call in
            call.store.purchaseFailure = call.failure("failure")
            return call.done("purchases fail: \(call.text("failure"))")
        },
        ScenarioCommand(
            "availability",
            [.product, ScenarioParameter("availability", .choice(["on-sale", "withdrawn", "propagating"]))],
            [ScenarioOption("--for", .duration, "how long it is propagating; a day unless given")],
            in: .purchases,
            "Puts a product on or off sale"
        ) { call in
            let product = try call.product()
            let availability: ProductAvailability =
                switch call.text("availability") {
                case "withdrawn": .withdrawn
                case "propagating": .notYetPropagated(until: call.end("--for") ?? call.store.clock.now + 86_400)
                default: .onSale
                }
            try call.store.setAvailability(availability, of: product)
            return call.done("\(product) is \(call.text("availability"))")
        },
        ofAccount("ask-to-buy", in: .purchases, "Whether somebody else has to allow what the account orders") {
            try $0.setAsksToBuy($1)
            return "\($0.name) \($1 ? "has to ask" : "need not ask") to buy"
        },
        decision("approve", "Allows a purchase that waits") { _ in .approve },
        ScenarioCommand(
            "decline",
            [.transaction(.undecided)],
            [ScenarioOption("--failure", .failure, "the failure that the app is told")],
            in: .purchases,
            "Does not allow a purchase that waits",
            { try $0.decide(.decline($0.failure("--failure"))) }
        ),
        decision("cancel", "Cancels a purchase that waits, as its buyer") { _ in .cancel },
        ofAccount("interrupts-purchases", in: .purchases, "Whether something interrupts what the account orders") {
            try $0.setInterruptsPurchases($1)
            return "purchases of \($0.name) are \($1 ? "" : "not ")interrupted"
        },
        ScenarioCommand(
            "resolve",
            [.transaction(.interrupted)],
            in: .purchases,
            "The buyer resolves what interrupted a purchase"
        ) { call in
            let transaction = try call.transaction(.interrupted)
            try call.store.resolveInterruption(of: transaction)
            return call.done("resolved #\(transaction)")
        },
        ScenarioCommand("promote", [.product], [.device], in: .purchases, "The user taps a product on the store's page")
        {
            call in
            let (product, device) = (try call.product(), try call.device())
            try device.promote(product)
            return call.done("\(product) was tapped on \(device.name)")
        },
        ScenarioCommand(
            "open-link",
            [ScenarioParameter("url", .text)],
            [.device],
            in: .purchases,
            "The user follows a link that begins a purchase"
        ) { call in
            guard let url = URL(string: call.text("url")) else {
                throw SandboxError(.notPurchaseIntent("it is no URL"))
            }
            try call.device().openPurchaseIntent(url: url)
            return call.done("opened \(url.absoluteString)")
        },
        ScenarioCommand(
            "finish",
            [ScenarioParameter.optional("transaction", .either(["all"], .transaction(.unfinished)))],
            [.device],
            in: .purchases,
            "The app finishes a transaction",
            { try $0.finish() }
        ),
        ScenarioCommand(
            "restore",
            [],
            [ScenarioOption("--user", .text, "the app's own name for its user"), .device],
            in: .purchases,
            "The app restores purchases",
            { try $0.restore() }
        ),
    ]

    private static func decision(
        _ name: String,
        _ summary: String,
        _ answer: @escaping @Sendable (Call) -> Authorization
    ) -> ScenarioCommand {
        ScenarioCommand(name, [.transaction(.undecided)], in: .purchases, summary) { try $0.decide(answer($0)) }
    }
}

extension Call {
    fileprivate func decide(_ answer: Authorization) throws -> ScenarioAnswer {
        let transaction = try transaction(.undecided)
        try store.decide(transaction, as: answer)
        return try done("decided", transaction: transaction)
    }

    fileprivate func buy() throws -> ScenarioAnswer {
        if outcome != nil, let other = ["--ask", "--outside"].first(where: has) {
            throw ScenarioError("--outcome is for what an app orders, and decides alone; it does not go with \(other)")
        }
        var payment = StorePayment(
            productIdentifier: try product(),
            quantity: number("--quantity") ?? 1,
            applicationUsername: word("--user")?.text,
            simulatesAskToBuyInSandbox: has("--ask")
        )
        if let offer = word("--offer") {
            payment.discount = try store.signedOffer(
                offer.text,
                for: payment.productIdentifier,
                applicationUsername: payment.applicationUsername
            )
        }
        if word("--billing-plan")?.text == "monthly" { payment.billingPlan = .monthly }
        if let request = word("--request") {
            let jws = try store.signedRequest(json(ofRequest: request.text, for: payment.productIdentifier))
            payment.requestData = try AdvancedCommerceData(compactJWS: jws).json
            payment.isStoreKit2 = true
        }
        guard has("--outside") else {
            guard let outcome else { return try order(.purchase(payment), on: deviceOfAccount(), "ordered") }
            return try order(payment, on: deviceOfAccount(), outcome, "ordered")
        }
        return try done("bought", transaction: account().buy(payment))
    }

    /// Returns a request, with the identifier of the account's subscription if the request asks for it by a word.
    private func json(ofRequest text: String, for product: String) throws -> Data {
        let data = Data(text.utf8)
        guard var members = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any],
            members["transactionId"] as? String == "subscription"
        else { return data }
        let account = try account()
        // One that was migrated has its former product until it renews.
        let known = account.subscriptions.filter { $0.productIdentifier == product || $0.renewsAs == product }
        // One that has ended can be reactivated.
        guard let subscription = known.last(where: \.isRunning) ?? known.last else {
            throw ScenarioError("\"\(account.name)\" has no subscription to \"\(product)\"", kind: .refused)
        }
        members["transactionId"] = subscription.originalTransaction
        return try JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
    }

    /// The words for outcomes, apart from the names of failures.
    fileprivate static let outcomes = ["approve", "decline", "cancel", "ask", "interrupt"]

    /// The outcome that the command gives its purchase; nil if the store's settings decide.
    private var outcome: PurchaseOutcome? {
        word("--outcome").map { word in
            switch word.text {
            case "approve": .decided(.approve)
            case "decline": .decided(.decline())
            case "cancel": .decided(.cancel)
            case "ask": .decided(.askToBuy)
            case "interrupt": .interrupted
            default: .decided(.decline(failure("--outcome")))
            }
        }
    }

    fileprivate func finish() throws -> ScenarioAnswer {
        let device = try device()
        guard word("transaction")?.text != "all" else { return try finishAll(on: device) }
        let identifier = try transaction(.unfinished)
        let found = try known(identifier)
        guard found.isFinishable else {
            throw ScenarioError("#\(identifier) is \(found.state): \(Self.finishRule)", kind: .refused)
        }
        let isElsewhere = !found.isFinished && found.device != nil && found.device != device.name
        if isElsewhere { throw absence(of: found, from: device) }
        try submit(.finish(transaction: identifier), on: device)
        // A device ignores the finish of a transaction of an account that was never signed in there.
        guard let finished = try session.transaction(identifier), finished.isFinished else {
            throw absence(of: found, from: device)
        }
        return done("finished", finished)
    }

    /// Returns the error for a transaction that the queues of a device do not receive.
    private func absence(of transaction: SandboxTransaction, from device: SandboxDevice) -> ScenarioError {
        let advice = transaction.device.map { "; use --device \(Word.source(of: $0))" } ?? ""
        return ScenarioError("#\(transaction.id) is not in the queue of \(device.name)\(advice)", kind: .refused)
    }

    private func finishAll(on device: SandboxDevice) throws -> ScenarioAnswer {
        let unfinished = try device.unfinished
        let finishable = unfinished.filter(\.isFinishable)
        for transaction in finishable { try submit(.finish(transaction: transaction.id), on: device) }
        let rest = unfinished.filter { !$0.isFinishable }.map { "\($0.state)" }
        let states = Set(rest).sorted().map { state in "\(rest.count { $0 == state }) \(state)" }
        let reason = rest.isEmpty ? "" : "; not \(states.joined(separator: " and ")): \(Self.finishRule)"
        let sentence = "finished \(finishable.count)\(reason)"
        return ScenarioAnswer(
            text: sentence,
            json: [
                "command": .string(name), "done": .string(sentence), "finished": .number(finishable.count),
                "unfinished": .number(rest.count),
            ]
        )
    }

    private static let finishRule = "only purchased, failed and restored transactions can be finished"

    fileprivate func restore() throws -> ScenarioAnswer {
        let before = try session.transactions.count
        let order = try submit(.restore(applicationUsername: word("--user")?.text), on: device())
        let restored = try session.transactions.dropFirst(before)
        // The store reports the end of a restore to the device's queues, and records it in the ledger.
        if let failure = try store.timeline.entries.last(where: { $0.order == order && $0.refusal != nil })?.refusal {
            let count = restored.count == 1 ? "one transaction was" : "\(restored.count) transactions were"
            let reason = "\(failure.word ?? "code \(failure.code)"): \(failure.reason)"
            let rest = restored.isEmpty ? "" : "; \(count) restored before"
            throw ScenarioError("\(name): \(reason)\(rest)", kind: .refused)
        }
        return ScenarioAnswer(
            text: (["restored \(restored.count)"] + restored.map(\.description)).joined(separator: "\n"),
            json: [
                "command": .string(name), "done": .string("restored \(restored.count)"),
                "transactions": .array(restored.map(\.json)),
            ]
        )
    }
}
