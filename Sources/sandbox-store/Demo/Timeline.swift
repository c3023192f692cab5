import Foundation
import StoreCore

/// A log of events, each line with the store's time and the actor.
struct Timeline: Sendable {
    enum Who: String {
        case app, user, delegate, observer, server
    }

    let clock: any StoreClock
    let write: @Sendable (String) -> Void

    /// Begins a scene.
    func scene(_ title: String) { write("\n\(title)\n") }

    /// Prints that a scene is left out, and why.
    func skip(_ reason: String) { write("  skipped: \(reason)\n") }

    /// Prints an action or event of an actor.
    func callAsFunction(_ who: Who, _ what: String) { write("\(prefix(who))\(what)\n") }

    /// Prints a question to an actor; the line stays open for the answer.
    func ask(_ who: Who, _ question: String) { write("\(prefix(who))\(question) ") }

    private func prefix(_ who: Who) -> String {
        let time = clock.now.formatted(.iso8601.time(includingFractionalSeconds: false))
        return "  \(time)  \(who.rawValue.padded(to: 8))  "
    }
}
