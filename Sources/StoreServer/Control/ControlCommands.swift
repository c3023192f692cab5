import Foundation
import StoreCore
import StoreScenario

/// The commands of scenarios, performed for requests, one at a time.
///
/// A command that waits for the app's server is performed beside the others, since that server may make requests, too.
final class ControlCommands: Sendable {
    private let keeping: ControlPerformer
    /// The recent answers by idempotency key; locked during a command, to serialize the commands of all clients.
    private let turn = Locked(Recent())

    /// The answers to the last commands that had an idempotency key and changed the store.
    private struct Recent {
        private var answers: [String: (command: String, answer: ScenarioAnswer)] = [:]
        private var keys = Deque<String>()
        /// The keys of the commands that wait for the app's server, with these commands.
        private var waiting: [String: String] = [:]

        private static var limit: Int { 1000 }

        /// Returns the answer to a command that was performed with a key; nil for a command to perform.
        ///
        /// - Throws: ``ControlFailure`` if the key belongs to another command, or to one in progress.
        func answer(to command: String, for key: String?) throws(ControlFailure) -> ScenarioAnswer? {
            guard let key, let owner = waiting[key] ?? answers[key]?.command else { return nil }
            guard owner == command else {
                throw ControlFailure(.conflict, "this Idempotency-Key belongs to another command")
            }
            guard waiting[key] == nil else {
                throw ControlFailure(.conflict, "the command with this Idempotency-Key waits for the app's server")
            }
            return answers[key]?.answer
        }

        mutating func begin(_ command: String, for key: String?) { if let key { waiting[key] = command } }

        mutating func end(for key: String?) { if let key { waiting[key] = nil } }

        /// Remembers an answer, unless it is known already.
        mutating func insert(_ answer: ScenarioAnswer, to command: String, for key: String) {
            guard answers[key] == nil else { return }
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
    /// twice. A command that was refused is tried again: it has changed nothing, but for a restore that fails partway. The
    /// last thousand keys are remembered until the server stops.
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
        return try (step.command.waitsForServer ? performBeside(step, key) : performInTurn(step, key)).get()
    }

    private func performInTurn(_ step: ScenarioStep, _ key: String?) -> Result<ScenarioAnswer, ControlFailure> {
        turn.withLock { recent in
            Result { () throws(ControlFailure) in
                let answer: ScenarioAnswer
                if let known = try recent.answer(to: step.description, for: key) {
                    answer = known
                } else {
                    answer = try perform(step)
                }
                return try conclude(step, answer, key, &recent)
            }
        }
    }

    /// Performs a command without the lock, beside the commands of other requests.
    private func performBeside(_ step: ScenarioStep, _ key: String?) -> Result<ScenarioAnswer, ControlFailure> {
        let known = turn.withLock { recent in
            Result { () throws(ControlFailure) in
                let known = try recent.answer(to: step.description, for: key)
                if known == nil { recent.begin(step.description, for: key) }
                return known
            }
        }
        return known.flatMap { known in
            let result = known.map { .success($0) } ?? Result { () throws(ControlFailure) in try perform(step) }
            return turn.withLock { recent in
                recent.end(for: key)
                return Result { () throws(ControlFailure) in try conclude(step, try result.get(), key, &recent) }
            }
        }
    }

    private func perform(_ step: ScenarioStep) throws(ControlFailure) -> ScenarioAnswer {
        try Self.checked { () throws(ScenarioError) in try performer.perform(step) }
    }

    /// Remembers the answer to a command, and saves the settings.
    private func conclude(
        _ step: ScenarioStep,
        _ answer: ScenarioAnswer,
        _ key: String?,
        _ recent: inout Recent
    ) throws(ControlFailure) -> ScenarioAnswer {
        // Before the settings are saved: the command is not undone if that fails.
        if let key, step.command.group != .questions { recent.insert(answer, to: step.description, for: key) }
        do {
            try keeping.keep()
        } catch {
            throw ControlFailure(.failed, "\(error)")
        }
        return answer
    }

    private func step(_ request: HTTPRequest, _ name: String?) throws(ControlFailure) -> ScenarioStep {
        let words = try Self.words(of: request.body)
        guard let name else { return try Self.step(line: words) }
        guard let command = ScenarioCommand.named(name) else {
            throw ControlFailure(
                .absent,
                name,
                "is not a command",
                among: ScenarioCommand.all.map(\.name),
                else: "; GET /control/v1/commands lists them"
            )
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

    private static func checked<Value>(
        _ body: () throws(ScenarioError) -> Value
    ) throws(ControlFailure) -> Value {
        do { return try body() } catch { throw ControlFailure(error) }
    }

    /// Returns the members of a body, as the words of a command; no words for an empty body.
    private static func words(of body: Data) throws(ControlFailure) -> [String: String] {
        if body.isEmpty { return [:] }
        do {
            return try UntrustedJSON.decode([String: Argument].self, from: body).compactMapValues(\.word)
        } catch {
            let isJSON = (try? UntrustedJSON.object(from: body)) != nil
            let trouble = isJSON ? "" : ": found \(UntrustedJSON.trouble(in: body))"
            throw ControlFailure(.invalid, "the body is not a JSON object of texts, numbers and truth values\(trouble)")
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
