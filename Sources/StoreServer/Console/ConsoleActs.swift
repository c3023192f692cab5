import Foundation
import StoreCore
import StoreScenario

/// The operator actions of a page: the commands of scenarios.
struct ConsoleActs: Sendable {
    private let performer: ConsolePerformer
    /// Held during an action: those of two windows are performed one after the other.
    private let turn = Locked(())

    init(_ performer: ConsolePerformer) { self.performer = performer }

    /// Performs the command in a body, one line of any content.
    func perform(_ body: Data) -> HTTPResponse {
        guard let line = String(validating: body, as: UTF8.self), !line.contains(where: \.isNewline) else {
            return StoreConsole.failure(400, "an act is one line of text in UTF-8")
        }
        return turn.withLock { _ in
            let answer: ScenarioAnswer
            do {
                answer = try performer.performer.perform(line)
            } catch {
                return StoreConsole.failure(422, "\(error)")
            }
            do {
                try performer.keep()
            } catch {
                return StoreConsole.failure(500, "\(error)")
            }
            return HTTPResponse(json: AnswerValue.object(["answer": .text(answer.text.shortened())]).json)
        }
    }

    /// The commands, from which a page generates its forms.
    var table: AnswerValue {
        .object(["commands": .list(ScenarioCommand.all.map(Self.value))])
    }

    private static func value(of command: ScenarioCommand) -> AnswerValue {
        .object([
            "name": .text(command.name), "group": .text(command.group.rawValue), "summary": .text(command.summary),
            "usage": .text(command.usage),
            "parameters": .list(
                command.parameters.map { parameter in
                    field(parameter.name, parameter.kind, ["isOptional": .bool(parameter.isOptional)])
                }
            ),
            "options": .list(
                command.options.map { option in
                    field(option.name, option.kind, ["isOptional": .bool(true), "summary": .text(option.summary)])
                }
            ),
        ])
    }

    private static func field(
        _ name: String,
        _ kind: ScenarioValueKind?,
        _ members: [String: AnswerValue]
    ) -> AnswerValue {
        var members = members
        members["name"] = .text(name)
        if let kind {
            members["kind"] = .text(word(for: kind))
            members["hint"] = .text(kind.sentence)
            members["words"] = .list(kind.words.map(AnswerValue.text))
        }
        return .object(members)
    }

    /// Returns the kind of input that a page offers for a word.
    private static func word(for kind: ScenarioValueKind) -> String {
        switch kind {
        case .product: "product"
        case .account: "account"
        case .device: "device"
        case .subscriptionGroup: "group"
        case .transaction: "transaction"
        case .choice: "choice"
        case .either(_, let kind): word(for: kind)
        default: "text"
        }
    }
}
