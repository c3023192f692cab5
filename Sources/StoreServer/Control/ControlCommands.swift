import Foundation
import StoreCore
import StoreScenario

/// The commands of scenarios, performed for requests, one at a time.
final class ControlCommands: Sendable {
    private let keeping: ControlPerformer
    /// The recent answers by idempotency key; locked during a command, to serialize the commands of all clients.
    private let turn = Locked(Recent())

    /// The answers to the last commands that had an idempotency key and changed the store.
    private struct Recent {
        private var answers: [String: (command: String, answer: ScenarioAnswer)] = [:]
        private var keys = Deque<String>()

        private static var limit: Int { 1000 }

        subscript(key: String) -> (command: String, answer: ScenarioAnswer)? { answers[key] }

        mutating func insert(_ answer: ScenarioAnswer, to command: String, for key: String) {
            if keys.count == Self.limit { answers[keys.removeFirst()] = nil }
            keys.append(key)
            answers[key] = (command, answer)
        }
    }

    init(_ performer: ControlPerformer) { keeping = performer }

    var performer: ScenarioPerformer { keeping.performer }

    /// Performs the command that a request describes.
    ///
    /// A second request with the idempotency key of a command that was performed has its answer, and nothing is done
    /// twice. A command that was refused has changed nothing, and is tried again. The last thousand keys are remembered
    /// until the server stops.
    ///
    /// - Parameters:
    ///   - request: the request, whose body is JSON: an object with the words by name, or, without a name, an object
    ///     whose only member `line` is a line of a scenario.
    ///   - name: the command's name; nil for a line.
    /// - Returns: the command's result.
    /// - Throws: ``ControlFailure`` for an invalid request, and for a command that the store refuses.
    func perform(_ request: HTTPRequest, name: String?) throws(ControlFailure) -> ScenarioAnswer {
        let step = try step(request, name)
        let key = request.headers["idempotency-key"]
        guard key.map({ (1...255).contains($0.utf8.count) }) ?? true else {
            throw ControlFailure(.invalid, "an Idempotency-Key has 1 to 255 characters")
        }
        return try turn.withLock { recent in perform(step, key, &recent) }.get()
    }

    private func perform(
        _ step: ScenarioStep,
        _ key: String?,
        _ recent: inout Recent
    ) -> Result<ScenarioAnswer, ControlFailure> {
        let command = step.description
        let known = key.flatMap { recent[$0] }
        if let known, known.command != command {
            return .failure(ControlFailure(.conflict, "this Idempotency-Key belongs to another command"))
        }
        let answer: ScenarioAnswer
        do throws(ScenarioError) {
            answer = if let known { known.answer } else { try performer.perform(step) }
        } catch {
            return .failure(ControlFailure(error))
        }
        // Before the settings are saved: the command is not undone if that fails.
        if let key, known == nil, step.command.group != .questions { recent.insert(answer, to: command, for: key) }
        do {
            try keeping.keep()
        } catch {
            return .failure(ControlFailure(.failed, "\(error)"))
        }
        return .success(answer)
    }

    private func step(_ request: HTTPRequest, _ name: String?) throws(ControlFailure) -> ScenarioStep {
        let words = try Self.words(of: request.body)
        guard let name else { return try Self.step(line: words) }
        guard let command = ScenarioCommand.named(name) else {
            throw ControlFailure(.absent, name, "is not a command", among: ScenarioCommand.all.map(\.name))
        }
        return try Self.checked { () throws(ScenarioError) in try ScenarioStep(command, values: words) }
    }

    private static func step(line words: [String: String]) throws(ControlFailure) -> ScenarioStep {
        guard let line = words["line"], words.count == 1 else {
            throw ControlFailure(.invalid, "the body is an object with one member, \"line\", a line of a scenario")
        }
        guard !line.contains(where: \.isNewline) else { throw ControlFailure(.invalid, "\"line\" is one line") }
        let step = try checked { () throws(ScenarioError) in try ScenarioStep(line) }
        if step.isTry { throw ControlFailure(.invalid, "a line begins with its command; a refusal is a response") }
        return step
    }

    private static func checked(
        _ step: () throws(ScenarioError) -> ScenarioStep
    ) throws(ControlFailure) -> ScenarioStep {
        do { return try step() } catch { throw ControlFailure(error) }
    }

    /// Returns the members of a body, as the words of a command; no words for an empty body.
    private static func words(of body: Data) throws(ControlFailure) -> [String: String] {
        if body.isEmpty { return [:] }
        do {
            return try UntrustedJSON.decode([String: Argument].self, from: body).compactMapValues(\.word)
        } catch {
            throw ControlFailure(.invalid, "the body is not a JSON object of texts, numbers and truth values")
        }
    }

    /// The value of an argument in JSON, which is a text, a number, a truth value or null.
    private struct Argument: Decodable {
        /// The value as a word; nil for null.
        let word: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                word = nil
            } else if let isOn = try? container.decode(Bool.self) {
                word = "\(isOn)"
            } else if let number = try? container.decode(Decimal.self) {
                word = "\(number)"
            } else {
                word = try container.decode(String.self)
            }
        }
    }
}

/// A performer of commands, with a closure that saves the settings and the time, which no ledger stores.
package struct ControlPerformer: Sendable {
    let performer: ScenarioPerformer
    let keep: @Sendable () throws -> Void

    /// Creates a performer.
    ///
    /// - Parameters:
    ///   - performer: the performer, whose ``ScenarioPerformer/settings`` are saved.
    ///   - keep: the closure, which is called after each command, one call at a time. If it throws an error, the command
    ///     is not undone; the error's description has to say so in a sentence, and name what will be lost.
    package init(_ performer: ScenarioPerformer, keep: @escaping @Sendable () throws -> Void = {}) {
        (self.performer, self.keep) = (performer, keep)
    }
}
