/// A line of a scenario: a command with its words.
///
/// After a line that begins with `try`, the scenario continues even if the store has refused the command.
public struct ScenarioStep: Sendable, CustomStringConvertible {
    /// The command.
    public let command: ScenarioCommand
    /// Whether the line begins with `try`.
    public let isTry: Bool
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
            let hint = Suggestion.text(for: name.text, among: ScenarioCommand.all.map(\.name))
            throw ScenarioError(name, "is not a command\(hint)")
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
                    let hint = Suggestion.text(for: name, among: command.options.map(\.name))
                    throw ScenarioError(word, "is not an option of \(command.name)\(hint)")
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
