/// A command of the scenario language: its name, its words and what it does.
///
/// ``all`` is the one list of them, from which lines are parsed, and help, completion and documentation are made.
public struct ScenarioCommand: Identifiable, Sendable {
    /// The part of a store's life that a command belongs to.
    public enum Group: String, CaseIterable, Hashable, Sendable {
        /// What app and buyer do.
        case purchases = "Purchases"
        /// Time, renewals and their payment, offers.
        case subscriptions = "Subscriptions and offers"
        /// Refunds, deleted transactions, families and receipts.
        case refunds = "Refunds, families and receipts"
        /// What an app's server hears of.
        case server = "What an app's server sees"
        /// Accounts, devices and countries.
        case people = "People and places"
        /// What fails from now on.
        case failures = "Failures"
        /// What changes nothing.
        case questions = "Questions"
    }

    /// The command's name, the first word of its line.
    public let name: String
    /// The part of a store's life that it belongs to.
    public let group: Group
    /// Its effect in one sentence, without a full stop.
    public let summary: String
    /// The words behind its name, in order; those that may be left out are the last.
    public let parameters: [ScenarioParameter]
    /// Its options, which may stand anywhere behind its name.
    public let options: [ScenarioOption]
    /// Whether it sets what no ledger keeps, so that a store in a file has to be told again when it is opened.
    public let isSetting: Bool
    let body: @Sendable (Call) throws -> ScenarioAnswer

    init(
        _ name: String,
        _ parameters: [ScenarioParameter] = [],
        _ options: [ScenarioOption] = [],
        in group: Group,
        isSetting: Bool = false,
        _ summary: String,
        _ body: @escaping @Sendable (Call) throws -> ScenarioAnswer
    ) {
        self.name = name
        self.group = group
        self.summary = summary
        self.parameters = parameters
        self.options = options
        self.isSetting = isSetting
        self.body = body
    }

    /// The name.
    public var id: String { name }

    /// The line as it is to be written, as in `refund [TRANSACTION]`.
    public var usage: String {
        let words = parameters.map { parameter in
            var word = parameter.name.uppercased()
            if case .choice(let choices) = parameter.kind { word = choices.joined(separator: "|") }
            if case .either(let choices, _) = parameter.kind { word = (choices + [word]).joined(separator: "|") }
            return parameter.isOptional ? "[\(word)]" : word
        }
        let options = options.map { option in
            option.kind == nil ? "[\(option.name)]" : "[\(option.name) \(option.name.dropFirst(2).uppercased())]"
        }
        return ([name] + words + options).joined(separator: " ")
    }

    /// Every command, grouped.
    public static let all: [ScenarioCommand] =
        purchases + subscriptions + billing + offers + refunds + families + server + people + failures + questions

    /// Returns the command with a name, or nil if there is none.
    public static func named(_ name: String) -> ScenarioCommand? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
