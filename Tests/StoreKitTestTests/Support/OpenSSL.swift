import Foundation
import StoreCrypto
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, with the line that says what to install, where StoreCrypto was built without libcrypto.
    static var libcrypto: Self { .enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice)) }

    /// Skips where the openssl command line tool is not installed.
    static var openSSL: Self { .enabled(if: OpenSSL.path != nil, "the openssl tool is missing: apt install openssl") }
}

/// The openssl command line tool in a folder of its own: it shares none of our code.
struct OpenSSL: ~Copyable {
    private let folder: URL

    static var path: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/openssl" }
            .first(where: FileManager.default.isExecutableFile)
    }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "StoreKitTest-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ data: Data, to name: String) throws { try data.write(to: folder.appending(path: name)) }

    /// Runs a command, whose words have spaces between them, and waits; returns whether it went well, and what it printed.
    func run(_ command: String) throws -> (isSuccess: Bool, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.path))
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
