import Foundation
import StoreScenario

/// The output of a ``BriefDemo``: lines of at most 80 columns, or objects of JSON.
struct DemoOutput: Sendable {
    /// The speaker of a line.
    enum Speaker: String {
        case two = "Store Kit 2"
        case one = "Store Kit 1"
        case simulator = "Simulator"
    }

    let console: Console
    let isJSON: Bool

    func note(_ sentence: String) { print(["note": .string(sentence)], HelpText.fill("", sentence)) }

    /// Prints an empty line, except as JSON.
    func blank() { if !isJSON { console.write("\n") } }

    func scene(_ title: String) { print(["scene": .string(title)], HelpText.fill("", title), as: .heading) }

    func skip(_ reason: String) { print(["skipped": .string(reason)], HelpText.fill("  skipped: ", reason)) }

    func line(_ speaker: Speaker, _ what: String) {
        let value: JSONValue = ["who": .string(speaker.rawValue), "what": .string(what)]
        print(value, Self.text(speaker, what), as: .label, of: speaker.rawValue)
    }

    /// Prints what the simulator has found.
    func failure(_ sentence: String) {
        let value: JSONValue = ["who": .string(Speaker.simulator.rawValue), "failure": .string(sentence)]
        print(value, Self.text(.simulator, sentence), as: .failure)
    }

    private static func text(_ speaker: Speaker, _ what: String) -> String {
        HelpText.fill("  \(speaker.rawValue)  ".padded(to: 15), what)
    }

    /// Prints commands to try next.
    ///
    /// - Parameters:
    ///   - commands: the commands behind the program's name, each with its effect.
    ///   - file: the `.storekit` file on which they work; nil for the one in the package.
    func next(_ commands: [(command: String, effect: String)], of file: String?) {
        blank()
        print(["scene": .string("Try next")], "Try next\n", as: .heading)
        let lines = commands.map { command, effect in
            ("\(Self.program) \(Self.command(command, on: file))", effect)
        }
        let width = lines.map(\.0.count).filter { $0 <= 40 }.max() ?? 0
        for (command, effect) in lines {
            let isShort = command.count <= width
            let text =
                isShort
                ? HelpText.fill("  \(command.padded(to: width))  ", effect)
                : "  \(command)\n\(HelpText.fill("    ", effect))"
            print(["command": .string(command), "note": .string(effect)], text, as: .label, of: command)
        }
    }

    /// The program as a user calls it: by SwiftPM in a checkout of the package.
    private static var program: String {
        let isCheckout = FileManager.default.fileExists(atPath: "Sources/sandbox-store/main.swift")
        return isCheckout ? "swift run sandbox-store" : "sandbox-store"
    }

    private static func command(_ command: String, on file: String?) -> String {
        // A name that begins with a hyphen would be an option.
        guard let word = file.map({ ($0.hasPrefix("-") ? "./\($0)" : $0).shellWord }) else { return command }
        return switch command.prefix(while: { $0 != " " }) {
        case "serve": "\(command) --configuration \(word)"
        case "demo": "\(command) \(word)"
        default: "--storekit \(word) \(command)"
        }
    }

    /// Prints a line, with an emphasis of a part of it, or of all of it.
    private func print(
        _ value: JSONValue,
        _ text: String,
        as emphasis: Console.Emphasis? = nil,
        of part: String? = nil
    ) {
        if isJSON { return console.write("\(value.encoded)\n") }
        let text = text.printable
        let part = part.map(\.printable) ?? String(text.dropLast())
        guard let emphasis, let range = text.range(of: part) else { return console.write(text) }
        console.write(text.replacingCharacters(in: range, with: console.emphasized(part, as: emphasis)))
    }
}

extension String {
    /// The text as one word of a shell, in quotes if that is necessary.
    var shellWord: String {
        let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/+:@%".contains($0)) }
        return isPlain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
    }
}
