/// A line of a scenario: a command with its words.
///
/// After a line that begins with `try`, the scenario continues even if the store has refused the command.
public struct ScenarioStep: Sendable, CustomStringConvertible {
    /// The command.
    package let command: ScenarioCommand
    /// Whether the line begins with `try`.
    package let isTry: Bool
    /// The number of the line in the scenario, from 1; nil for a line outside of a scenario.
    public let line: Int?
    /// The words of the line, by the name of their parameter or option.
    private(set) var arguments: [String: Word]

    /// Parses a line.
    ///
    /// - Throws: ``ScenarioError`` with the invalid word, or for a line without a command.
    public init(_ line: String) throws(ScenarioError) { try self.init(words: try Word.words(of: line), line: nil) }

    /// Parses words that are already separated, for instance by a shell.
    ///
    /// - Parameter words: the command's name and the words after it. Words after `--` are not options.
    /// - Throws: ``ScenarioError`` with the invalid word.
    public init(words: [String]) throws(ScenarioError) {
        let options = words.prefix { $0 != "--" }
        let plain = words.dropFirst(options.count + 1)
        try self.init(
            words: options.map { Word(text: $0, column: nil) }
                + plain.map { Word(text: $0, column: nil, isQuoted: true) },
            line: nil
        )
    }

    init(words: [Word], line: Int?) throws(ScenarioError) {
        let isTry = words.first.map { $0.text == "try" && !$0.isQuoted } ?? false
        let words = words.dropFirst(isTry ? 1 : 0)
        guard let name = words.first else { throw ScenarioError("a command is missing") }
        guard let command = ScenarioCommand.named(name.text) else {
            throw ScenarioError.unknownCommand(name)
        }
        self.command = command
        self.isTry = isTry
        self.line = line
        arguments = try Self.arguments(of: command, words.dropFirst())
    }

    private static func arguments(
        of command: ScenarioCommand,
        _ words: ArraySlice<Word>
    ) throws(ScenarioError) -> [String: Word] {
        var arguments: [String: Word] = [:]
        var parameters = command.parameters[...]
        var words = words
        while let word = words.popFirst() {
            if let name = word.option {
                guard let option = command.options.first(where: { $0.name == name }) else {
                    let names = command.options.map(\.name)
                    let others = names.isEmpty ? "; it has none" : Suggestion.list(names)
                    throw ScenarioError(word, "is not an option of \(command.name)", among: names, else: others)
                }
                guard arguments[name] == nil else { throw ScenarioError(word, "was given twice") }
                arguments[name] = word
                guard let kind = option.kind else { continue }
                guard let value = words.popFirst() else { throw ScenarioError(word, "needs \(kind.sentence)") }
                try kind.check(value)
                arguments[name] = value
            } else {
                guard let parameter = parameters.popFirst() else {
                    throw ScenarioError(word, "is one word too many; write \(command.usage)")
                }
                try parameter.kind.check(word)
                arguments[parameter.name] = word
            }
        }
        if let missing = parameters.first(where: { !$0.isOptional }) {
            throw ScenarioError("\(command.name) needs \(missing.kind.sentence); write \(command.usage)")
        }
        return arguments
    }

    /// Creates a step from the words of a command by name.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - values: the words by the name of their parameter, or of their option without its dashes. An option without a
    ///     word is given by `true`, and left out by `false`. For `on` and `off`, `true` and `false` are valid too.
    /// - Throws: ``ScenarioError`` with the invalid word or name.
    package init(_ command: ScenarioCommand, values: [String: String]) throws(ScenarioError) {
        let kinds = command.wordKinds
        var arguments: [String: Word] = [:]
        for (name, text) in values.sorted(by: { $0.key < $1.key }) {
            guard let (key, kind) = kinds[name] else {
                let unknown = Word(text: name, column: nil)
                let names = kinds.keys.sorted()
                let others = names.isEmpty ? "; it has none" : Suggestion.list(names)
                throw ScenarioError(unknown, "is no argument of \(command.name)", among: names, else: others)
            }
            guard let kind else {
                let word = Word(text: text, column: nil)
                try ScenarioValueKind.choice(["true", "false"]).check(word)
                arguments[key] = text == "true" ? word : nil
                continue
            }
            let isTruthValue = kind == .toggle && (text == "true" || text == "false")
            let text = isTruthValue ? (text == "true" ? "on" : "off") : text
            let word = Word(text: text, column: nil, isQuoted: true)
            try kind.check(word)
            arguments[key] = word
        }
        for parameter in command.parameters where !parameter.isOptional && arguments[parameter.name] == nil {
            throw ScenarioError("\(command.name) needs \(parameter.name), \(parameter.kind.sentence)")
        }
        (self.command, self.arguments) = (command, arguments)
        (isTry, line) = (false, nil)
    }

    /// Returns the result of a step that begins with `try`, for its refusal.
    package func answer(to refusal: ScenarioError) -> ScenarioAnswer {
        ScenarioAnswer(
            text: "not done: \(refusal.sentence)",
            json: ["command": .string(command.name), "refused": .string(refusal.sentence)]
        )
    }

    /// The device that the `--device` option names; nil without the option.
    var device: String? { arguments["--device"]?.text }

    /// Adds an option that chooses a device, unless there is one.
    mutating func choose(device: String) {
        if arguments["--device"] == nil { arguments["--device"] = Word(text: device, column: nil) }
    }

    /// Returns a line that consists of words, each in quotation marks if necessary.
    package static func line(_ words: String...) -> String { words.map { Word.source(of: $0) }.joined(separator: " ") }

    /// The text of the line.
    public var description: String {
        var words = (isTry ? ["try"] : []) + [command.name]
        words += command.parameters.compactMap { arguments[$0.name]?.source }
        for option in command.options {
            guard let value = arguments[option.name] else { continue }
            words += option.kind == nil ? [option.name] : [option.name, value.source]
        }
        return words.joined(separator: " ")
    }
}
