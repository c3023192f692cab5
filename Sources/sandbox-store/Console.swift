import Foundation
import StoreCore

/// The tool's input and output.
struct Console: Sendable {
    /// Writes text to standard output.
    let write: @Sendable (String) -> Void
    /// Writes text to standard error.
    let complain: @Sendable (String) -> Void
    /// Reads a line of standard input without its end; nil at the end of input.
    ///
    /// The line is on the screen then.
    let read: @Sendable () -> String?
    /// Whether a line written to standard error can be erased again.
    let isTerminal: Bool
    /// Whether standard output may have colors.
    var hasColors = false
    /// Returns the first error of ``write``, after which the output is not complete; nil for none.
    var outputError: @Sendable () -> (any Error)? = { nil }

    /// The process's own console.
    static let standard: Console = {
        let firstError = Locked<(any Error)?>(nil)
        // Not `print`: a question has to be on the screen before its answer is read.
        let write: @Sendable (String) -> Void = { text in
            do {
                try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            } catch {
                firstError.withLock { $0 = $0 ?? error }
            }
        }
        return Console(
            write: write,
            complain: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) },
            read: {
                let line = readLine()
                // Typed text shows on the screen by itself; text from a pipe does not.
                if let line, isatty(FileHandle.standardInput.fileDescriptor) == 0 { write("\(line)\n") }
                return line
            },
            isTerminal: isatty(FileHandle.standardError.fileDescriptor) != 0
                && ProcessInfo.processInfo.environment["TERM"] != "dumb",
            hasColors: colors(ProcessInfo.processInfo.environment)
                && isatty(FileHandle.standardOutput.fileDescriptor) != 0,
            outputError: { firstError.withLock { $0 } }
        )
    }()

    /// Whether an environment lets a terminal have colors: not with `NO_COLOR`, see no-color.org.
    static func colors(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM", default: "dumb"] != "dumb"
    }

    /// The purpose of a text that stands out.
    enum Emphasis: String {
        /// Bold.
        case heading = "1"
        /// Bold and red.
        case failure = "1;31"
    }

    /// Returns a text as it stands out on a terminal, or as it is.
    func emphasized(_ text: String, as emphasis: Emphasis) -> String {
        hasColors ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
    }
}
