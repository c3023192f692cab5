import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands about messages for subscribers who are about to cancel.
    static let retention: [ScenarioCommand] = [
        ScenarioCommand(
            "retention-message",
            [
                ScenarioParameter("identifier", .text), ScenarioParameter("header", .text),
                ScenarioParameter("body", .text),
            ],
            [
                ScenarioOption("--default-for", .product, "the product whose subscribers see it by default"),
                .language,
            ],
            in: .server,
            "A message for those who are about to cancel, by its UUID"
        ) { call in
            let identifier = try call.identifier()
            let message = RetentionMessage(
                identifier: identifier,
                header: call.text("header"),
                body: call.text("body")
            )
            let product = try call.word("--default-for").map { _ in try call.product("--default-for") }
            if product == nil, call.locale != nil {
                throw ScenarioError("--locale is the language of a default message, so it needs --default-for")
            }
            try call.store.addRetentionMessage(message)
            let name = identifier.uuidString.lowercased()
            guard let product else { return call.done("the message \(name)") }
            let locale = call.locale ?? call.store.locale.replacing("_", with: "-")
            do {
                try call.store.setDefaultRetentionMessage(identifier, of: product, locale: locale)
            } catch {
                // A command that is refused changes nothing.
                try call.store.removeRetentionMessage(identifier)
                throw error
            }
            return call.done("the message \(name), by default for \(product) in \(locale)")
        },
        ScenarioCommand(
            "review-message",
            [
                ScenarioParameter("identifier", .text),
                ScenarioParameter("state", .choice(RetentionApproval.allCases.map { $0.rawValue.lowercased() })),
            ],
            in: .server,
            "The review of such a message, or of an image"
        ) { call in
            let identifier = try call.identifier()
            let approval = RetentionApproval(rawValue: call.text("state").uppercased()) ?? .pending
            try call.store.reviewRetentionUpload(identifier, approval)
            return call.done("\(identifier.uuidString.lowercased()) is \(approval.rawValue)")
        },
        ScenarioCommand("retention-messages", in: .server, "The messages for those who are about to cancel") { call in
            ScenarioAnswer(
                table: call.store.retentionMessages.map { message in
                    [
                        "message": .string(message.identifier.uuidString.lowercased()),
                        "state": .string(message.approval.rawValue), "header": .string(message.header),
                        "body": .string(message.body),
                    ]
                },
                empty: "no messages"
            )
        },
        ScenarioCommand(
            "retention-url",
            [ScenarioParameter("url", .either(["off"], .text))],
            in: .server,
            "Where the app's server chooses the message; off for none"
        ) { call in
            let url = call.text("url")
            try call.store.setRetentionURL(url == "off" ? nil : url)
            return call.done(url == "off" ? "no server chooses messages" : "messages are chosen at \(url)")
        },
        ScenarioCommand(
            "view-cancellation",
            [.group],
            [
                .language,
                ScenarioOption("--then", .choice(["accept", "cancel"]), "what becomes of it; nothing, unless given"),
                .account,
            ],
            in: .server,
            waitsForServer: true,
            "The subscriber is about to cancel, and sees a message"
        ) { call in
            var pages: [JSONValue] = []
            var sentences: [String] = []
            _ = try call.forEachGroup { account, group in
                let page = try call.page(account, group)
                var sentence = page.sentence
                switch call.text("--then") {
                case "accept": sentence += "; accepted: #\(try account.accept(page))"
                case "cancel":
                    try account.setAutoRenew(false, inGroup: group)
                    sentence += "; canceled"
                default: break
                }
                pages.append(page.json)
                sentences.append(sentence)
            }
            let text = sentences.joined(separator: "\n")
            return ScenarioAnswer(
                text: text,
                json: ["command": .string(call.name), "done": .string(text), "pages": .array(pages)]
            )
        },
    ]
}

extension ScenarioOption {
    fileprivate static let language = ScenarioOption(
        "--locale",
        .text,
        "the language as in en-US; the store's unless given"
    )
}

extension Call {
    /// The language that the command names; nil if it names none.
    fileprivate var locale: String? { word("--locale")?.text }

    /// Returns the UUID that the command names.
    fileprivate func identifier() throws -> UUID {
        let text = text("identifier")
        guard let identifier = UUID(uuidString: text) else {
            throw ScenarioError("\"\(text)\" is not a UUID, which identifies a message", kind: .refused)
        }
        return identifier
    }

    /// Returns the page on which an account may cancel; waits for the app's server if that is asked.
    fileprivate func page(_ account: SandboxAccount, _ group: String) throws -> CancellationPage {
        let page = Locked<Result<CancellationPage, any Error>?>(nil)
        let isShown = DispatchSemaphore(value: 0)
        account.viewCancellation(inGroup: group, locale: locale) { shown in
            page.withLock { $0 = shown }
            isShown.signal()
        }
        // The server is asked for a limited time, after which there is a page all the same.
        isShown.wait()
        guard let shown = page.withLock({ $0 }) else { throw SandboxError(.notSubscribed(group: group)) }
        return try shown.get()
    }
}

extension CancellationPage {
    fileprivate var sentence: String {
        var sentence = "\(groupIdentifier): "
        if let message {
            let origin = source == .server ? "the server's choice" : "the default message"
            sentence += "\"\(message.header)\" \"\(message.body)\", \(origin)"
        } else {
            sentence += "no message"
        }
        switch offer {
        case .product(let product): sentence += ", with a change to \(product)"
        case .promotionalOffer(let name, let product): sentence += ", with the offer \"\(name)\" of \(product)"
        case nil: break
        }
        return sentence + (refusal.map { "; the server's choice is not shown: \($0)" } ?? "")
    }

    fileprivate var json: JSONValue {
        var (product, name) = (String?.none, String?.none)
        switch offer {
        case .product(let identifier): product = identifier
        case .promotionalOffer(let offer, let identifier): (name, product) = (offer, identifier)
        case nil: break
        }
        return [
            "group": .string(groupIdentifier), "product": .string(productIdentifier), "locale": .string(locale),
            "request": .optional(request?.uuidString.lowercased()), "source": .string(source.rawValue),
            "message": .optional(message?.identifier.uuidString.lowercased()), "header": .optional(message?.header),
            "body": .optional(message?.body), "offeredProduct": .optional(product), "offer": .optional(name),
            "refusal": .optional(refusal),
        ]
    }
}
