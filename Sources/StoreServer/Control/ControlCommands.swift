import Foundation
import StoreCore
import StoreScenario

/// The commands of scenarios, performed for requests, one at a time.
final class ControlCommands: Sendable {
    private let keeping: ControlPerformer
    /// The recent outcomes by idempotency key; locked during a command, to serialize the commands of all clients.
    private let turn = Locked(Recent())

    private typealias Outcome = Result<ScenarioAnswer, ControlFailure>

    /// The outcomes of the last commands that had an idempotency key.
    private struct Recent {
        private var outcomes: [String: (command: String, outcome: Outcome)] = [:]
        private var keys = Deque<String>()

        private static var limit: Int { 1000 }

        subscript(key: String) -> (command: String, outcome: Outcome)? { outcomes[key] }

        mutating func insert(_ outcome: Outcome, of command: String, for key: String) {
            if keys.count == Self.limit { outcomes[keys.removeFirst()] = nil }
            keys.append(key)
            outcomes[key] = (command, outcome)
        }
    }

    init(_ performer: ControlPerformer) { keeping = performer }

    var performer: ScenarioPerformer { keeping.performer }

    /// Performs the command that a request describes.
    ///
    /// A second request with the same idempotency key has the outcome of the first one, and nothing is done twice. The
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
        guard let key = request.headers["idempotency-key"] else {
            return try turn.withLock { _ in outcome(of: step) }.get()
        }
        guard (1...255).contains(key.utf8.count) else {
            throw ControlFailure(.invalid, "an Idempotency-Key has 1 to 255 characters")
        }
        let command = step.description
        return try turn.withLock { recent -> Outcome in
            if let known = recent[key] {
                if known.command == command { return known.outcome }
                return .failure(ControlFailure(.conflict, "this Idempotency-Key belongs to another command"))
            }
            let outcome = outcome(of: step)
            // The server's own failure may be gone at the next attempt.
            if case .failure(let failure) = outcome, failure.code == .failed { return outcome }
            recent.insert(outcome, of: command, for: key)
            return outcome
        }.get()
    }

    private func step(_ request: HTTPRequest, _ name: String?) throws(ControlFailure) -> ScenarioStep {
        let words = try Self.words(of: request.body)
        do {
            if let name {
                guard let command = ScenarioCommand.named(name) else {
                    throw ControlFailure(.absent, "there is no command \"\(name)\"\(Self.hint(for: name))")
                }
                return try ScenarioStep(command, values: words)
            }
            guard let line = words["line"], words.count == 1 else {
                throw ControlFailure(.invalid, "the body is an object with one member, \"line\", a line of a scenario")
            }
            guard !line.contains(where: \.isNewline) else { throw ControlFailure(.invalid, "\"line\" is one line") }
            return try ScenarioStep(line)
        } catch let error as ScenarioError {
            throw ControlFailure(error)
        } catch let failure as ControlFailure {
            throw failure
        } catch {
            throw ControlFailure(.failed, "\(error)")
        }
    }

    private static func hint(for name: String) -> String {
        Suggestion.text(for: name, among: ScenarioCommand.all.map(\.name))
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

    private func outcome(of step: ScenarioStep) -> Outcome {
        let answer: ScenarioAnswer
        do {
            answer = try performer.perform(step)
        } catch {
            return .failure(ControlFailure(error))
        }
        do {
            try keeping.keep()
        } catch {
            return .failure(ControlFailure(.failed, "\(error)"))
        }
        return .success(answer)
    }
}
