import StoreScenario

/// A row of the table of commands.
struct CommandRow: Sendable {
    /// The command's name; empty for the tool without a command.
    let name: String
    /// The command's positional words.
    ///
    /// The last one may be repeated as often as `count` allows.
    var parameters: [CommandWord] = []
    /// The valid numbers of positional words.
    var count = 1...1
    let options: [CommandOption]
    /// The options that the scenario language parses; nil for a command outside that language.
    var scenarioOptions: [CommandOption]?
    /// The effect of the command, in one paragraph.
    let summary: String
    /// Creates the command from arguments that match the row.
    let command: @Sendable (CommandArguments) throws -> Command

    /// The command's name in an error message.
    var title: String { name.isEmpty ? "sandbox-store" : name }

    /// The beginning of a command line.
    var line: String { name.isEmpty ? title : "sandbox-store \(name)" }

    /// All options, including those of the scenario language.
    var allOptions: [CommandOption] { options + (scenarioOptions ?? []) }

    /// Returns the positional word at a position; nil if the position is too high.
    func parameter(at position: Int) -> CommandWord? {
        if position < parameters.count { return parameters[position] }
        return scenarioOptions == nil && position < count.upperBound ? parameters.last : nil
    }
}

extension CommandRow {
    /// Creates the row of a command of the scenario language.
    ///
    /// That language parses the command's own words.
    init(_ command: ScenarioCommand) {
        name = command.name
        parameters = command.parameters.map { parameter in
            CommandWord(parameter.name, command.name == "help" ? CommandTable.names : parameter.kind)
        }
        count = 0...Int.max
        options = CommandTable.storeOptions
        scenarioOptions = command.options.map(CommandOption.init)
        summary = command.summary
        self.command = { .store(try StoreOptions($0, .command([command.name] + $0.words))) }
    }
}

/// A positional word of a command, or the operand of an option.
struct CommandWord: Hashable {
    /// The word's placeholder in help, as in `FILE`.
    let placeholder: String
    /// The kind that determines the completions of the word; nil for the name of a file.
    let kind: ScenarioValueKind?
    /// The description of a valid word, as in `a file`.
    let sentence: String

    init(_ placeholder: String, _ kind: ScenarioValueKind?, _ sentence: String? = nil) {
        self.placeholder = placeholder
        self.kind = kind
        self.sentence = sentence ?? kind?.sentence ?? "a file"
    }
}

/// An option of a command.
struct CommandOption: Hashable {
    /// The condition under which an option has to be given: never, always, or if no other alternative is given.
    enum Presence { case optional, required, alternative }

    /// The option's name, as in `--port`.
    let name: String
    /// The word after the option; nil for a flag.
    let operand: CommandWord?
    /// The effect of the option, in a few words.
    let summary: String
    let presence: Presence

    init(_ name: String, _ operand: CommandWord?, _ summary: String, _ presence: Presence = .optional) {
        (self.name, self.operand, self.summary, self.presence) = (name, operand, summary, presence)
    }

    /// Creates an option of the scenario language.
    init(_ option: ScenarioOption) { self.init(option.name, option.kind.map { CommandWord("", $0) }, option.summary) }

    /// The option and its operand, as in `--port N`.
    var usage: String { operand.map { "\(name) \($0.placeholder)" } ?? name }
}
