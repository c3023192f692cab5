extension Call {
    /// Returns the lines about all commands, or about one and its options.
    func help() throws -> ScenarioAnswer {
        guard let word = word("command") else {
            let lines = ScenarioCommand.Group.allCases.map { group in
                let commands = ScenarioCommand.all.filter { $0.group == group }
                return (["\(group.rawValue):"] + commands.map { "  \($0.usage)\n      \($0.summary)" })
                    .joined(separator: "\n")
            }
            return ScenarioAnswer(text: lines.joined(separator: "\n"), json: .array(ScenarioCommand.all.map(\.json)))
        }
        guard let command = ScenarioCommand.named(word.text) else {
            let hint = Suggestion.text(for: word.text, among: ScenarioCommand.all.map(\.name))
            throw ScenarioError(word, "is not a command\(hint)")
        }
        return ScenarioAnswer(text: command.help, json: command.json)
    }
}

extension ScenarioCommand {
    /// The command's line, its effect, and a line for each parameter and option.
    public var help: String {
        let words =
            parameters.map { ($0.name.uppercased(), $0.kind.sentence) }
            + options.map { ($0.name, $0.summary + ($0.kind.map { ": \($0.sentence)" } ?? "")) }
        let width = words.map(\.0.count).max() ?? 0
        let lines = words.map { "    \($0.0)\(String(repeating: " ", count: width + 2 - $0.0.count))\($0.1)" }
        return (["\(usage)", "    \(summary)"] + lines).joined(separator: "\n")
    }

    fileprivate var json: JSONValue {
        [
            "command": .string(name), "group": .string(group.rawValue), "usage": .string(usage),
            "summary": .string(summary),
            "parameters": .array(
                parameters.map {
                    [
                        "name": .string($0.name), "kind": .string($0.kind.sentence), "optional": .bool($0.isOptional),
                        "words": .array($0.kind.words.map(JSONValue.string)),
                    ]
                }
            ),
            "options": .array(
                options.map {
                    [
                        "name": .string($0.name), "kind": .optional($0.kind?.sentence), "summary": .string($0.summary),
                        "words": .array(($0.kind?.words ?? []).map(JSONValue.string)),
                    ]
                }
            ),
        ]
    }
}
