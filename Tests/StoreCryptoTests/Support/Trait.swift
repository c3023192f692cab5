import Foundation
import StoreCrypto
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where StoreCrypto was built without libcrypto.
    static var libcrypto: Self { .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)) }

    /// Skips where the openssl command line tool is not installed.
    static var openSSL: Self { .enabled(if: OpenSSL.isInstalled, "the openssl tool is missing: apt install openssl") }
}

/// The openssl command line tool, which shares none of our code.
struct OpenSSL: ~Copyable {
    private let directory: URL

    static var isInstalled: Bool { path != nil }

    private static var path: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/openssl" }
            .first(where: FileManager.default.isExecutableFile)
    }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "StoreCrypto-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Puts a file into the directory that the tool runs in.
    func write(_ data: Data, to name: String) throws { try data.write(to: directory.appending(path: name)) }

    func read(_ name: String) throws -> Data { try Data(contentsOf: directory.appending(path: name)) }

    /// Runs a command and waits; returns whether it went well, and what it printed.
    @discardableResult
    func run(_ arguments: String...) throws -> (isSuccess: Bool, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.path))
        process.arguments = arguments
        process.currentDirectoryURL = directory
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
