import Foundation
import StoreCore
import StoreScenario

/// A performer of the operator actions from all pages; the actions are the commands of scenarios.
struct ConsoleActs: Sendable {
    private let performer: ConsolePerformer
    /// Locked during an action, to serialize the actions of several pages.
    private let turn = Locked(())

    init(_ performer: ConsolePerformer) { self.performer = performer }

    /// Performs the command in a request's body, which may have any content.
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
            return HTTPResponse(json: ["answer": .string(answer.text.shortened())])
        }
    }
}
