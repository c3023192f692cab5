import StoreScenario

/// The arguments of a command, parsed according to the command's row in the table.
struct CommandArguments {
    /// The command's row; the tool's own row if the arguments contain no command.
    let row: CommandRow
    /// The positional words; for a command of the scenario language, all words that it parses.
    private(set) var words: [String] = []
    /// The number of positional words.
    private(set) var position = 0
    /// The option at the end of the arguments, if its operand is missing.
    private(set) var openOption: CommandOption?
    /// The operand of each option; empty for a flag.
    private var operands: [String: String] = [:]
    /// The first mistake, which completion ignores.
    private var mistake: Command.Mistake?

    /// Parses the arguments after the program's name.
    ///
    /// Options may be anywhere before `--`.
    ///
    /// - Throws: a mistake for an unknown command, or for an unknown option before the command. ``checked()`` throws
    ///   all other mistakes.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var place = 0
        while place < rest.count, rest[place].hasPrefix("-"), rest[place] != "--" {
            guard let hasOperand = CommandTable.hasOperand[rest[place]] else {
                throw Self.unknown(rest[place], CommandTable.tool)
            }
            place += hasOperand && rest.dropFirst(place + 1).first != "--" ? 2 : 1
        }
        let isAfterOptions = place < rest.count && rest[place] == "--"
        if isAfterOptions { place += 1 }
        row = place < rest.count ? try CommandTable.row(named: rest.remove(at: place)) : CommandTable.tool

        let isScenario = row.scenarioOptions != nil
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += isScenario && !isAfterOptions ? ["--"] + rest : Array(rest)
                position += rest.count
                return
            }
            // In the scenario language, a word with a single hyphen is not an option.
            guard argument.hasPrefix(isScenario ? "--" : "-") else {
                words.append(argument)
                position += 1
                continue
            }
            // While the command is still missing, the options of any command are valid.
            let options = row.allOptions + (row.name.isEmpty ? CommandTable.commands.flatMap(\.allOptions) : [])
            guard let option = options.first(where: { $0.name == argument }) else {
                mistake = mistake ?? Self.unknown(argument, row)
                continue
            }
            let operand = option.operand == nil || rest.first == "--" ? nil : rest.popFirst()
            openOption = option.operand != nil && operand == nil ? option : nil
            if row.options.contains(option) {
                take(option, operand)
            } else if isScenario {
                words += [argument, operand].compactMap(\.self)
            }
        }
    }

    private mutating func take(_ option: CommandOption, _ operand: String?) {
        guard let word = option.operand else { return operands[option.name] = "" }
        guard let operand else { return note("\(option.name) needs \(word.sentence)") }
        if operand.allSatisfy(\.isWhitespace) {
            note("\(option.name) needs \(word.sentence), and was given an empty text")
        } else if operands.updateValue(operand, forKey: option.name) != nil {
            note("\(option.name) was given twice")
        }
    }

    private static func unknown(_ argument: String, _ row: CommandRow) -> Command.Mistake {
        // Omits the text after an equals sign, which may be a key or a password.
        let option = String(argument.prefix { $0 != "=" })
        if option != argument, row.allOptions.contains(where: { $0.name == option }) {
            return Command.Mistake("the value of \(option) is a word of its own, without an equals sign", row)
        }
        let hint = Suggestion.text(for: option, among: row.allOptions.map(\.name))
        return Command.Mistake("\"\(option)\" is not an option of \(row.title)\(hint)", row)
    }

    private mutating func note(_ sentence: String) { mistake = mistake ?? Command.Mistake(sentence, row) }

    /// Returns the arguments if they match the row; otherwise throws the first mistake.
    func checked() throws -> Self {
        if let mistake { throw mistake }
        if words.count < row.count.lowerBound {
            throw Command.Mistake("\(row.title) needs \(row.parameters[0].sentence)", row)
        }
        if words.count > row.count.upperBound {
            // Omits the words, one of which may be a key.
            let most = Wording.count(row.count.upperBound, "word")
            throw Command.Mistake("\(row.title) takes \(most) beside its options, not \(words.count)", row)
        }
        if let option = row.options.first(where: { $0.presence == .required && !has($0.name) }) {
            throw Command.Mistake("\(row.title) needs \(option.operand?.sentence ?? ""): \(option.usage)", row)
        }
        let alternatives = row.options.filter { $0.presence == .alternative }
        if !alternatives.isEmpty, alternatives.count(where: { has($0.name) }) != 1 {
            let usages = alternatives.map(\.usage).joined(separator: ", ")
            throw Command.Mistake("\(row.title) needs exactly one of \(usages)", row)
        }
        return self
    }

    /// Returns whether an option is present.
    func has(_ name: String) -> Bool { operands[name] != nil }

    /// Returns the operand of an option; nil if the option is absent.
    subscript(name: String) -> String? { operands[name] }

    /// Returns the operand of an option that the row requires.
    subscript(required name: String) -> String { operands[name, default: ""] }

    /// Returns the converted operand of an option; nil if the option is absent.
    ///
    /// The mistake does not quote the operand, which may be most of a key.
    func value<Value>(of name: String, _ convert: (String) -> Value?) throws -> Value? {
        guard let operand = operands[name] else { return nil }
        guard let value = convert(operand) else {
            let option = row.options.first { $0.name == name }
            throw Command.Mistake("\(name) needs \(option?.operand?.sentence ?? "")", row)
        }
        return value
    }

    /// Returns the first positional word, converted.
    func word<Value>(_ convert: (String) -> Value?) throws -> Value {
        guard let value = convert(words[0]) else {
            let hint = Suggestion.text(for: words[0], among: row.parameters[0].kind?.words ?? [])
            throw Command.Mistake("\"\(words[0])\" is not \(row.parameters[0].sentence)\(hint)", row)
        }
        return value
    }
}
