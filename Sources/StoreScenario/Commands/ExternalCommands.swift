import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands about purchases outside of the store, and about payment methods.
    static let external: [ScenarioCommand] = [
        ScenarioCommand(
            "external-purchases",
            [.state],
            [
                ScenarioOption("--link", .text, "the link to a purchase on the app's website"),
                ScenarioOption("--account-link", .text, "the link to an account there"),
                ScenarioOption("--lifetime", .duration, "how long a token is active; an hour, unless given"),
            ],
            in: .server,
            isSetting: true,
            "Whether the app may sell outside of the store"
        ) { call in
            var settings = ExternalPurchaseSettings(paymentBinding: call.store.externalPurchases.paymentBinding)
            if call.isOn {
                (settings.presentsNotice, settings.usesCustomLinks) = (true, true)
                settings.links = try [call.link("--link")].compactMap(\.self)
                settings.accountLink = try call.link("--account-link")
                if let lifetime = call.seconds("--lifetime") { settings.tokenLifetime = lifetime }
            }
            call.store.externalPurchases = settings
            return call.done("the app \(call.isOn ? "may sell" : "does not sell") outside of the store")
        },
        ScenarioCommand(
            "external-notice",
            [ScenarioParameter("choice", .choice(["continue", "cancel"]))],
            [.device],
            in: .server,
            isSetting: true,
            "What a device's user chooses on a notice about purchases outside"
        ) { call in
            let device = try call.device()
            device.continuesToExternalPurchases = call.text("choice") == "continue"
            return call.done("on a notice the user of \(device.name) chooses to \(call.text("choice"))")
        },
        ScenarioCommand(
            "external-token",
            [.optional("type", .choice(["ACQUISITION", "SERVICES", "IN_APP", "LINK_OUT"]))],
            [.device],
            in: .server,
            "The app requests a token for purchases outside; that of the notice, unless a type is given"
        ) { call in
            let type = call.word("type")?.text
            let answer = try call.device().external(ExternalRequest(type == nil ? .notice : .token, type: type))
            guard let text = answer.token, let token = ExternalPurchaseToken(value: text) else {
                let reasons: [ExternalAnswer.Outcome: String] = [
                    .cancelled: "the user chose to cancel",
                    .notEligible: "the app does not sell outside of the store; external-purchases on lets it",
                ]
                let reason = reasons[answer.outcome] ?? "there is no token of this type for the account"
                throw ScenarioError("no token: \(reason)", kind: .refused)
            }
            return ScenarioAnswer(
                text: text,
                json: ["externalPurchaseId": .string(token.externalPurchaseId), "token": .string(text)]
            )
        },
        ScenarioCommand("external-tokens", in: .server, "The tokens for purchases outside, and what was reported") {
            call in
            ScenarioAnswer(
                table: call.store.externalPurchaseTokens.map { record in
                    [
                        "token": .string(record.token.externalPurchaseId), "type": .optional(record.token.tokenType),
                        "account": .string(record.account), "device": .string(record.device),
                        "created": .date(record.token.creationDate),
                        "expires": record.token.expirationDate.map { .date($0) } ?? .null,
                        "reported": .optional(record.status),
                    ]
                },
                empty: "no tokens"
            )
        },
        ScenarioCommand("external-reports", in: .server, "What servers reported on purchases outside") { call in
            ScenarioAnswer(
                table: call.store.externalPurchaseReports.map { report in
                    [
                        "request": .string(report.requestIdentifier), "date": .date(report.date),
                        "token": .string(report.externalPurchaseId), "status": .string(report.status),
                        "report": .string(String(decoding: report.json, as: UTF8.self)),
                    ]
                },
                empty: "no reports"
            )
        },
        ScenarioCommand(
            "payment-binding",
            [ScenarioParameter("outcome", .choice(PaymentBindingOutcome.allCases.map(\.rawValue)))],
            in: .server,
            isSetting: true,
            "What becomes of a payment method that the app adds"
        ) { call in
            call.store.externalPurchases.paymentBinding =
                PaymentBindingOutcome(rawValue: call.text("outcome")) ?? .notEligible
            return call.done("payment methods: \(call.text("outcome"))")
        },
    ]
}

extension Call {
    /// Returns the link that an option names; nil if it was left out.
    fileprivate func link(_ name: String) throws -> URL? {
        guard let word = word(name) else { return nil }
        guard let link = URL(string: word.text), link.scheme != nil, link.host() != nil else {
            throw ScenarioError(word, "is no link as in https://example.com/buy")
        }
        return link
    }
}
