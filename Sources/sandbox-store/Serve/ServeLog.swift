import Foundation
import StoreCore
import StoreScenario
import StoreServer

/// The lines that `serve` prints while it runs: one for each request that was answered, and one for each post of a
/// notification.
///
/// Lines are written on a queue of their own. If nobody reads the output, lines are left out, and the servers go on.
final class ServeLog: Sendable {
    /// The form of the lines.
    enum Form: String, CaseIterable {
        case text, json
    }

    private struct State {
        var waiting = Deque<ServerLogLine>()
        /// The number of lines that were left out since the last written one.
        var leftOut = 0
        /// Whether the queue writes lines, or will do so when the log starts.
        var isWriting = true
        var hasFailed = false
    }

    private let form: Form
    private let write: @Sendable (String) throws -> Void
    private let complain: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "sandbox-store.ServeLog")
    private let state = Locked(State())

    /// The maximum number of lines that wait to be written.
    private static let limit = 1000
    /// The maximum number of characters of a path or URL in a line.
    private static let textLimit = 200

    /// Creates a log, which writes nothing until it starts.
    ///
    /// - Parameters:
    ///   - form: the form of the lines.
    ///   - write: writes lines. After an error, nothing more is written.
    ///   - complain: receives that error, in a line.
    init(
        _ form: Form,
        write: @escaping @Sendable (String) throws -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) {
        (self.form, self.write, self.complain) = (form, write, complain)
    }

    /// Begins to write lines, first those that were added before.
    func start() { queue.async { self.writeAll() } }

    /// Adds a line without waiting until it is written.
    func add(_ line: ServerLogLine) {
        let begins = state.withLock { state -> Bool in
            guard !state.hasFailed else { return false }
            if state.waiting.count == Self.limit { state.leftOut += 1 } else { state.waiting.append(line) }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { queue.async { self.writeAll() } }
    }

    /// Waits until all lines are written, at most some seconds.
    func finish(atMost seconds: TimeInterval = 1) {
        let end = DispatchSemaphore(value: 0)
        queue.async { end.signal() }
        _ = end.wait(timeout: .now() + seconds)
    }

    private func writeAll() {
        while true {
            let (lines, leftOut) = state.withLock { state in
                defer { (state.waiting, state.leftOut) = (Deque(), 0) }
                if state.waiting.isEmpty { state.isWriting = false }
                return (state.waiting, state.leftOut)
            }
            guard !lines.isEmpty else { return }
            var text = (0..<lines.count).map { Self.text(of: lines[$0], form) + "\n" }.joined()
            if leftOut > 0 { text += Self.text(leftOut: leftOut, form) + "\n" }
            do {
                try write(text)
            } catch {
                state.withLock { state in (state.waiting, state.hasFailed) = (Deque(), true) }
                let cause = (error as? CocoaError)?.underlying ?? error
                return complain("sandbox-store: the log is not written any more: \(cause.localizedDescription)\n")
            }
        }
    }

    // MARK: Text

    /// Returns a line without its line break.
    static func text(of line: ServerLogLine, _ form: Form) -> String {
        switch (line, form) {
        case (.request(let request), .json): request.json.encoded
        case (.delivery(let delivery), .json): delivery.json.encoded
        case (.request(let request), .text):
            "\(Wording.moment(request.date)) request \(short(request.method)) \(short(request.path)): \(request.status)"
        case (.delivery(let delivery), .text):
            [
                Wording.moment(delivery.date), "notification", delivery.type, delivery.subtype,
                delivery.transaction.map { "of \($0)" }, delivery.store.map { "in \(short($0))" },
                "to \(short(delivery.url))",
                delivery.manner == "normal" ? nil : "(\(delivery.manner))",
            ]
            .compactMap { $0 }.joined(separator: " ")
                + ": \(delivery.status.map { "\($0) " } ?? "")\(delivery.result)"
        }
    }

    private static func text(leftOut: Int, _ form: Form) -> String {
        switch form {
        case .text: "… \(Wording.count(leftOut, "line")) left out"
        case .json: "{\"leftOut\":\(leftOut)}"
        }
    }

    /// Returns a text in one printable line, cut if it is long.
    private static func short(_ text: String) -> String {
        let cut = text.count > textLimit ? text.prefix(textLimit) + "…" : text
        return cut.replacing("\n", with: "\\n").printable
    }
}
