import Foundation

/// A log for the few messages a developer should see: mistakes that StoreCore tolerated, and work without a receiver.
public struct StoreLog: Sendable {
    private let body: @Sendable (String) -> Void

    /// Creates a log from a function that writes a line, passed without its line break; any thread may call it.
    public init(_ write: @escaping @Sendable (String) -> Void) { body = write }

    /// A log to standard error, each line prefixed with `StoreCore: `.
    public static let standardError = StoreLog { line in
        try? FileHandle.standardError.write(contentsOf: Data("StoreCore: \(line)\n".utf8))
    }

    /// A log that discards its lines.
    public static let silent = StoreLog { _ in }

    package func callAsFunction(_ line: String) { body(line) }
}
