import Foundation

@testable import sandbox_store

/// One run of the tool: what it was told, what it said, and how it ended.
@MainActor
struct Run {
    let code: Int32
    let output: String
    let complaints: String

    /// Runs the tool on arguments, with lines to read at the terminal.
    init(_ arguments: String..., answers: [String] = []) { self.init(arguments, answers: answers) }

    init(
        _ arguments: [String],
        answers: [String] = [],
        isTerminal: Bool = false,
        hasColors: Bool = false,
        width: Int? = nil
    ) {
        let output = Transcript()
        let complaints = Transcript()
        let input = Transcript(answers)
        let console = Console(
            write: { output.append($0) },
            complain: { complaints.append($0) },
            read: {
                let line = input.takeFirst()
                if let line { output.append("\(line)\n") }
                return line
            },
            isTerminal: isTerminal,
            hasColors: hasColors,
            width: width
        )
        // A server that a busy machine holds up is there.
        code = SandboxStoreTool(console: console, serverPatience: 60).run(arguments)
        self.output = output.text
        self.complaints = complaints.text
    }
}

/// Runs the program as it is installed.
///
/// - Returns: Its output and complaints, each less than a pipe holds, and its exit code; the negative number of a signal
///   that has ended it.
func runProgram(
    _ arguments: [String],
    input: String = "",
    in directory: URL = FileManager.default.temporaryDirectory,
    environment: [String: String]? = nil
) throws -> (output: String, complaints: String, code: Int32) {
    let pipes = [Pipe(), Pipe(), Pipe()]
    let process = Process()
    process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "sandbox-store")
    process.arguments = arguments
    process.currentDirectoryURL = directory
    if let environment { process.environment = environment }
    process.standardInput = pipes[0]
    process.standardOutput = pipes[1]
    process.standardError = pipes[2]
    try process.run()
    try pipes[0].fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipes[0].fileHandleForWriting.close()
    let texts = try pipes[1...].map { pipe in
        String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
    process.waitUntilExit()
    let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    return (texts[0], texts[1], code)
}

/// Texts in order, appended and taken on any thread.
private final class Transcript: @unchecked Sendable {  // unchecked: `texts` is touched only under `lock`
    private let lock = NSLock()
    private var texts: [String]

    init(_ texts: [String] = []) { self.texts = texts }

    func append(_ text: String) { lock.withLock { texts.append(text) } }

    func takeFirst() -> String? { lock.withLock { texts.isEmpty ? nil : texts.removeFirst() } }

    var text: String { lock.withLock { texts.joined() } }
}

/// A text that is committed beside the tests.
///
/// `demo.txt` is what `swift run sandbox-store demo` prints.
func golden(_ name: String) throws -> String {
    let url = Bundle.module.bundleURL.appending(path: "Golden/\(name).txt")
    return try String(contentsOf: url, encoding: .utf8)
}

/// The `.storekit` files out of public repositories, in alphabetical order.
func realFiles() throws -> [String] {
    let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../StoreCoreTests/Resources/storekit").standardized
    return try FileManager.default.contentsOfDirectory(atPath: directory.path)
        .filter { $0.hasSuffix(".storekit") }
        .sorted()
        .map { directory.appending(path: $0).path }
}

/// A directory of its own for each test, removed afterwards.
final class Directory {
    let url = FileManager.default.temporaryDirectory.appending(path: "sandbox-store-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The environment of programs whose user has only this directory.
    var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(["XDG_RUNTIME_DIR": url.path(percentEncoded: false)]) { $1 }
    }

    /// Writes a file and returns its path.
    func write(_ name: String, _ content: String) throws -> String {
        let file = url.appending(path: name)
        try Data(content.utf8).write(to: file)
        return file.path
    }
}
