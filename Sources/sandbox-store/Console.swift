import Foundation

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

    /// The process's own console.
    static let standard = Console(
        // Not `print`: a question has to be on the screen before its answer is read.
        write: { text in try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) },
        complain: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) },
        read: {
            let line = readLine()
            // Typed text shows on the screen by itself; text from a pipe does not.
            if let line, isatty(FileHandle.standardInput.fileDescriptor) == 0 {
                try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
            }
            return line
        },
        isTerminal: isatty(FileHandle.standardError.fileDescriptor) != 0
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    )
}
