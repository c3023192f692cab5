import Foundation

/// Where the tool writes, and where it asks.
struct Console: Sendable {
    /// Writes to standard output, as it is.
    let write: @Sendable (String) -> Void
    /// Writes to standard error, as it is.
    let complain: @Sendable (String) -> Void
    /// One line of standard input without its end; nil when there is no more.
    ///
    /// What was read is on the screen then.
    let read: @Sendable () -> String?
    /// Whether a line written to standard error can be erased again.
    let isTerminal: Bool

    /// The process's own.
    static let standard = Console(
        // Not `print`: a question has to be on the screen before its answer is read.
        write: { text in try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) },
        complain: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) },
        read: {
            let line = readLine()
            // What is typed shows on the screen by itself; what comes through a pipe does not.
            if let line, isatty(FileHandle.standardInput.fileDescriptor) == 0 {
                try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
            }
            return line
        },
        isTerminal: isatty(FileHandle.standardError.fileDescriptor) != 0
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    )
}
