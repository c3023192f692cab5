import Foundation
import StoreCore
import StoreScenario

/// A log of events, each line with the store's time and the actor, or each an object of JSON.
struct Timeline: Sendable {
    enum Who: String {
        case app, user, delegate, observer, server
    }

    let clock: any StoreClock
    let write: @Sendable (String) -> Void
    var isJSON = false

    /// Prints a sentence about the whole.
    func note(_ sentence: String) { line(sentence, ["note": .string(sentence)]) }

    /// Begins a scene.
    func scene(_ title: String) { line("\n\(title)", ["scene": .string(title)]) }

    /// Prints that a scene is left out, and why.
    func skip(_ reason: String) { line("  skipped: \(reason)", ["skipped": .string(reason)]) }

    /// Prints an action or event of an actor.
    func callAsFunction(_ who: Who, _ what: String) {
        line(
            "\(prefix(who))\(what)",
            ["date": .string(Wording.moment(clock.now)), "who": .string(who.rawValue), "what": .string(what)]
        )
    }

    /// Prints a question to an actor; the line stays open for the answer.
    func ask(_ who: Who, _ question: String) { write("\(prefix(who))\(question.printable) ") }

    private func line(_ text: String, _ value: JSONValue) {
        write("\(isJSON ? value.encoded : text.printable)\n")
    }

    private func prefix(_ who: Who) -> String {
        let time = clock.now.formatted(.iso8601.time(includingFractionalSeconds: false))
        return "  \(time)  \(who.rawValue.padded(to: 8))  "
    }
}
