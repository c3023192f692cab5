import Foundation
import StoreCore

/// Prints what happens, each line with the store's time and whose doing it is.
struct Timeline: Sendable {
    enum Who: String {
        case app, user, delegate, observer, server
    }

    let clock: any StoreClock
    let write: @Sendable (String) -> Void

    /// Begins a scene.
    func scene(_ title: String) { write("\n\(title)\n") }

    /// Says that a scene is left out, and why.
    func skip(_ reason: String) { write("  skipped: \(reason)\n") }

    /// Says what somebody did or heard.
    func callAsFunction(_ who: Who, _ what: String) { write("\(prefix(who))\(what)\n") }

    /// Asks somebody; the line stays open for the answer.
    func ask(_ who: Who, _ question: String) { write("\(prefix(who))\(question) ") }

    private func prefix(_ who: Who) -> String {
        let time = clock.now.formatted(.iso8601.time(includingFractionalSeconds: false))
        return "  \(time)  \(who.rawValue.padded(to: 8))  "
    }
}
