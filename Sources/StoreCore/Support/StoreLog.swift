import Foundation

/// Where StoreCore writes the few lines that a developer should see: mistakes that it bore, and what waits for nobody.
public struct StoreLog: Sendable {
    private let body: @Sendable (String) -> Void

    /// Writes each line, without a line break at its end, with a function that any thread may call.
    public init(_ write: @escaping @Sendable (String) -> Void) { body = write }

    /// Writes to standard error, each line behind `StoreCore: `.
    public static let standardError = StoreLog { line in
        try? FileHandle.standardError.write(contentsOf: Data("StoreCore: \(line)\n".utf8))
    }

    /// Writes nothing.
    public static let silent = StoreLog { _ in }

    package func callAsFunction(_ line: String) { body(line) }
}
