import Foundation
import StoreCore

/// A text with one command for a store in each line.
///
/// ```swift
/// let scenario = try Scenario(
///     """
///     buy pro.monthly
///     advance 1mo
///     refund last
///     """
/// )
/// try scenario.run(on: store)
/// ```
public struct Scenario: Sendable, CustomStringConvertible {
    /// The name in errors, such as the name of the scenario's file.
    public let name: String?
    /// The commands, in order.
    public let steps: [ScenarioStep]
    /// The text.
    public let description: String

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - text: lines of commands. Empty lines are ignored, and so is the rest of a line from a word that begins with
    ///     `#`. The article "Scenarios" of StoreCore lists the commands.
    ///   - name: the name in errors.
    /// - Throws: ``ScenarioError`` with the first invalid line and word.
    public init(_ text: String, name: String? = nil) throws(ScenarioError) {
        var steps: [ScenarioStep] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(ScenarioError) {
                let words = try Word.words(of: String(line))
                if !words.isEmpty { steps.append(try ScenarioStep(words: words, line: index + 1)) }
            } catch {
                throw error.at(file: name, line: index + 1)
            }
        }
        self.name = name
        self.steps = steps
        description = text
    }

    /// Reads a UTF-8 file.
    ///
    /// - Throws: ``ScenarioError`` for a file that is invalid or cannot be read.
    public init(contentsOf url: URL) throws(ScenarioError) {
        let text: String
        do {
            text = try String(contentsOf: url, encoding: .utf8)
        } catch {
            throw ScenarioError("cannot be read: \(url.trouble(reading: error))").at(
                file: url.lastPathComponent,
                line: nil
            )
        }
        try self.init(text, name: url.lastPathComponent)
    }

    /// Creates a scenario of one step.
    public init(step: ScenarioStep) {
        name = nil
        steps = [step]
        description = step.description
    }

    /// Returns the line of a step as it is written in the text.
    package func line(of step: ScenarioStep) -> String {
        guard let number = step.line else { return step.description }
        return String(
            description.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[number - 1]
        )
    }

    /// Performs the commands on a store, until the store refuses one that does not begin with `try`.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - report: a closure that is called after each step, with the step and its result.
    /// - Returns: the results, in order.
    /// - Throws: ``ScenarioError`` with the line and word that the store refused, or with the line that it could not
    ///   perform because its ledger or signer failed, even if that begins with `try`. Earlier lines have taken effect.
    @discardableResult
    public func run(
        on store: SandboxStore,
        report: (ScenarioStep, ScenarioAnswer) -> Void = { _, _ in }
    ) throws(ScenarioError) -> [ScenarioAnswer] {
        try run(with: ScenarioPerformer(store: store), report: report)
    }

    /// Performs the commands with a performer, like ``run(on:report:)``.
    ///
    /// The account and the device that the performer's earlier commands have chosen apply.
    ///
    /// - Parameters:
    ///   - performer: the performer.
    ///   - report: a closure that is called after each step, with the step and its result.
    /// - Returns: the results, in order.
    /// - Throws: as ``run(on:report:)``.
    @discardableResult
    public func run(
        with performer: ScenarioPerformer,
        report: (ScenarioStep, ScenarioAnswer) -> Void = { _, _ in }
    ) throws(ScenarioError) -> [ScenarioAnswer] {
        var answers: [ScenarioAnswer] = []
        for step in steps {
            do throws(ScenarioError) {
                let answer = try performer.perform(step)
                report(step, answer)
                answers.append(answer)
            } catch {
                throw error.at(file: name, line: step.line)
            }
        }
        return answers
    }
}

extension URL {
    /// Returns in a few words why a file, or the text in it, cannot be read.
    package func trouble(reading error: any Error) -> String {
        if (try? resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true { return "it is a folder" }
        guard let error = error as? CocoaError else { return error.localizedDescription }
        let codes: [CocoaError.Code] = [.fileReadCorruptFile, .fileReadInapplicableStringEncoding]
        return codes.contains(error.code)
            ? "it is not text in UTF-8" : (error.underlying ?? error).localizedDescription
    }
}
