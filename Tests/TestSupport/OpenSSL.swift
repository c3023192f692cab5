import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips where the openssl command line tool is not installed.
    package static var openSSL: Self {
        .enabled(if: OpenSSL.path != nil, "the openssl tool is missing: apt install openssl")
    }
}

/// The openssl command line tool in a folder of its own: it shares none of our code.
package struct OpenSSL: ~Copyable {
    private let folder: URL

    fileprivate static var path: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/openssl" }
            .first(where: FileManager.default.isExecutableFile)
    }

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    package func write(_ data: Data, to name: String) throws { try data.write(to: folder.appending(path: name)) }

    package func read(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    /// Runs a command, whose words have spaces between them, and waits.
    ///
    /// - Returns: Whether it succeeded, and its output.
    @discardableResult
    package func run(_ command: String) throws -> (isSuccess: Bool, output: String) {
        guard let path = Self.path else { throw CocoaError(.fileNoSuchFile) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = command.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus == 0, String(decoding: data, as: UTF8.self))
    }
}
