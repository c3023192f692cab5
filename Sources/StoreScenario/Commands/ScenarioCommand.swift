import StoreCore

/// A command of the scenario language: its name, its words and its effect.
///
/// ``all`` is the only list of commands, used for parsing, help, completion and documentation.
package struct ScenarioCommand: Identifiable, Sendable {
    /// A group of related commands.
    package enum Group: String, CaseIterable, Hashable, Sendable {
        /// Actions of an app and its user.
        case purchases = "Purchases"
        /// Time, renewals, payments for renewals, and offers.
        case subscriptions = "Subscriptions and offers"
        /// Refunds, deleted transactions, families and receipts.
        case refunds = "Refunds, families and receipts"
        /// Events that an app's server receives.
        case server = "What an app's server sees"
        /// Accounts, devices and countries.
        case people = "People and places"
        /// Commands that make later actions fail.
        case failures = "Failures"
        /// Commands that change nothing.
        case questions = "Questions"
    }

    /// The command's name, the first word of its line.
    package let name: String
    /// The group of the command.
    package let group: Group
    /// The command's effect in one sentence, without a period.
    package let summary: String
    /// The parameters after the command's name, in order; optional ones are last.
    package let parameters: [ScenarioParameter]
    /// The command's options, which may be anywhere after its name.
    package let options: [ScenarioOption]
    /// Whether the command changes a setting that no ledger stores.
    ///
    /// A store in a file repeats the command when it is opened.
    package let isSetting: Bool
    /// Whether the command waits for the app's server, which may use the store meanwhile.
    package let waitsForServer: Bool
    let body: @Sendable (Call) throws -> ScenarioAnswer

    init(
        _ name: String,
        _ parameters: [ScenarioParameter] = [],
        _ options: [ScenarioOption] = [],
        in group: Group,
        isSetting: Bool = false,
        waitsForServer: Bool = false,
        _ summary: String,
        _ body: @escaping @Sendable (Call) throws -> ScenarioAnswer
    ) {
        self.name = name
        self.group = group
        self.summary = summary
        self.parameters = parameters
        self.options = options
        self.isSetting = isSetting
        self.waitsForServer = waitsForServer
        self.body = body
    }

    /// Creates a command that turns a property of an account on or off.
    ///
    /// The body makes the change, and returns a description of it.
    static func ofAccount(
        _ name: String,
        in group: Group,
        _ summary: String,
        _ body: @escaping @Sendable (SandboxAccount, Bool) throws -> String
    ) -> ScenarioCommand {
        ScenarioCommand(name, [.state], [.account], in: group, summary) { call in
            call.done(try body(call.account(), call.isOn))
        }
    }

    /// The command's name, which no other command has.
    package var id: String { name }

    /// The form of the command's line, as in `refund [TRANSACTION]`.
    package var usage: String { ([name] + wordUsages).joined(separator: " ") }

    /// The forms of the words behind the command's name.
    private var wordUsages: [String] {
        let words = parameters.map { parameter in
            var word = parameter.name.uppercased()
            if case .choice(let choices) = parameter.kind { word = choices.joined(separator: "|") }
            if case .either(let choices, _) = parameter.kind { word = (choices + [word]).joined(separator: "|") }
            return parameter.isOptional ? "[\(word)]" : word
        }
        let options = options.map { option in
            option.kind == nil ? "[\(option.name)]" : "[\(option.name) \(option.name.dropFirst(2).uppercased())]"
        }
        return words + options
    }

    /// Returns the form of the command's line for help, in lines of at most 80 columns.
    fileprivate func usage(behind beginning: String, indentation: Int? = nil) -> String {
        let words = wordUsages.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: " ")
        return HelpText.fill("\(beginning)\(name) ", words, indentation: indentation)
    }

    /// The kinds of the command's words by the name of their parameter, or of their option without its dashes.
    ///
    /// Each has the word's key in a step's arguments. An option without a word has no kind.
    var wordKinds: [String: (key: String, kind: ScenarioValueKind?)] {
        let words = parameters.map { ($0.name, ($0.name, Optional($0.kind))) }
        let options = options.map { (String($0.name.dropFirst(2)), ($0.name, $0.kind)) }
        return Dictionary(uniqueKeysWithValues: words + options)
    }

    /// Every command, grouped.
    package static let all: [ScenarioCommand] =
        purchases + subscriptions + billing + offers + refunds + families + server + external + retention + people
        + failures + questions

    /// Returns the command with a name, or nil if there is none.
    package static func named(_ name: String) -> ScenarioCommand? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// A word that a command expects at a position.
package struct ScenarioParameter: Hashable, Sendable {
    /// The parameter's name, as in `product`.
    package let name: String
    /// The kind of the word.
    package let kind: ScenarioValueKind
    /// Whether the word may be left out.
    package let isOptional: Bool

    init(_ name: String, _ kind: ScenarioValueKind, isOptional: Bool = false) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
    }

    static func optional(_ name: String, _ kind: ScenarioValueKind) -> Self { Self(name, kind, isOptional: true) }

    static let product = Self("product", .product)
    static let state = Self("state", .toggle)
    static let group = optional("group", .subscriptionGroup)

    static func transaction(_ pool: ScenarioTransactions) -> Self { optional("transaction", .transaction(pool)) }
}

/// An option of a command.
package struct ScenarioOption: Hashable, Sendable {
    /// The option's name, as in `--quantity`.
    package let name: String
    /// The kind of the word after the option; nil if the option has no word.
    package let kind: ScenarioValueKind?
    /// The effect of the option, in a few words.
    package let summary: String

    init(_ name: String, _ kind: ScenarioValueKind? = nil, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }

    static let account = Self("--account", .account, "the account; the one that is signed in, unless given")
    static let device = Self("--device", .device, "the device; the first one, unless given")
    static let anyDevice = Self("--device", .device, "the device; the whole store, unless given")
}

extension Call {
    /// Returns the help for all commands, or for the named one with its options.
    func help() throws -> ScenarioAnswer {
        guard let word = word("command") else {
            let lines = ScenarioCommand.Group.allCases.map { group in
                let commands = ScenarioCommand.all.filter { $0.group == group }
                let usages = commands.map { command in
                    command.usage(behind: "  ", indentation: 10) + HelpText.fill("      ", command.summary)
                }
                return "\(group.rawValue):\n\(usages.joined())"
            }
            let text = String(lines.joined().dropLast())
            return ScenarioAnswer(text: text, json: .array(ScenarioCommand.all.map(\.json)))
        }
        guard let command = ScenarioCommand.named(word.text) else {
            throw ScenarioError.unknownCommand(word)
        }
        return ScenarioAnswer(text: command.help, json: command.json)
    }
}

extension ScenarioCommand {
    /// The form of the command's line, its effect, and each parameter and option, in lines of at most 80 columns.
    package var help: String {
        let words =
            parameters.map { ($0.name.uppercased(), $0.kind.sentence) }
            + options.map { ($0.name, $0.summary + ($0.kind.map { ": \($0.sentence)" } ?? "")) }
        let width = words.map(\.0.count).max() ?? 0
        let lines = words.map { word, sentence in
            HelpText.fill("    \(word)\(String(repeating: " ", count: width + 2 - word.count))", sentence)
        }
        return String((usage(behind: "") + HelpText.fill("    ", summary) + lines.joined()).dropLast())
    }

    /// The command as JSON, from which the browser console generates a form.
    package var json: JSONValue {
        [
            "command": .string(name), "group": .string(group.rawValue), "usage": .string(usage),
            "summary": .string(summary),
            "parameters": .array(
                parameters.map {
                    [
                        "name": .string($0.name), "kind": .string($0.kind.sentence), "optional": .bool($0.isOptional),
                        "words": .array($0.kind.words.map(JSONValue.string)), "type": .string($0.kind.type),
                    ]
                }
            ),
            "options": .array(
                options.map {
                    [
                        "name": .string($0.name), "kind": .optional($0.kind?.sentence), "summary": .string($0.summary),
                        "words": .array(($0.kind?.words ?? []).map(JSONValue.string)), "type": .optional($0.kind?.type),
                    ]
                }
            ),
        ]
    }
}

extension ScenarioValueKind {
    /// The type of the form's field for a value.
    fileprivate var type: String {
        switch self {
        case .choice: "choice"
        case .transaction: "transaction"
        case .either(_, let kind): kind.type
        default: noun ?? "text"
        }
    }
}

extension ScenarioError {
    /// Returns the error for a word that is no command's name.
    static func unknownCommand(_ word: Word) -> ScenarioError {
        let names = ScenarioCommand.all.map(\.name)
        return ScenarioError(word, "is not a command", among: names, else: "; the command help lists them")
    }
}
