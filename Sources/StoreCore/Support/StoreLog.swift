import Foundation

/// A log for the few messages a developer should see, such as mistakes that StoreCore tolerated.
public struct StoreLog: Sendable {
    private let body: @Sendable (String) -> Void

    /// Creates a log from a function that is called on any thread with each line, without a line break.
    public init(_ write: @escaping @Sendable (String) -> Void) { body = write }

    /// A log to standard error, each line prefixed with `StoreCore: `.
    public static let standardError = StoreLog { line in
        try? FileHandle.standardError.write(contentsOf: Data("StoreCore: \(line)\n".utf8))
    }

    /// A log that discards its lines.
    public static let silent = StoreLog { _ in }

    package func callAsFunction(_ line: String) { body(line) }
}
