import Foundation
import Testing

@testable import sandbox_store

/// The executable itself, as it was built beside the tests.
@Suite struct ProcessTests {
    @Test func `The demo runs as a process of its own, from any directory`() async throws {
        let result = try runProgram(["demo"])
        // Elsewhere than in a checkout, the next commands are those of an installed tool.
        #expect(result.output == (try golden("demo")).replacing("  swift run sandbox-store", with: "  sandbox-store"))
        #expect(result.complaints.isEmpty)
        #expect(result.code == 0)
    }

    @Test func `Answers that come through a pipe are shown`() async throws {
        let result = try runProgram(["demo", "--ask"], input: "y\nD\nperhaps\n c \n")
        #expect(result.output == (try golden("demo-ask")))
        #expect(result.code == 0)
    }

    @Test func `Mistakes go to standard error, and the exit code is the process's`() async throws {
        let result = try runProgram(["sell"])
        #expect(result.output.isEmpty)
        #expect(result.complaints.hasPrefix("sandbox-store: \"sell\" is not a command"))
        #expect(result.code == 2)
    }

    @Test func `A table is as wide as the terminal, and whole in a pipe`() throws {
        let whole = try runProgram(["products"]).output
        let terminal = try Terminal(columns: 40)
        #expect(try terminal.run(["products"]).split(separator: "\n").allSatisfy { $0.count <= 40 })
        #expect(try terminal.run(["products"], ["COLUMNS": "200"]) == whole)
        #expect(try terminal.run(["products"], ["COLUMNS": "wide"]) != whole)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no full disk"))
    func `Output that could not be written is no success`() throws {
        let process = Process()
        let complaints = Pipe()
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "sandbox-store")
        process.arguments = ["products"]
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        process.standardError = complaints
        try process.run()
        let text = try complaints.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("sandbox-store: the output is not complete: "))
    }
}

/// A terminal without colors that shows a program's output.
private final class Terminal {
    private let outer: FileHandle
    private let inner: FileHandle

    init(columns: UInt16) throws {
        var descriptors: (Int32, Int32) = (0, 0)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(openpty(&descriptors.0, &descriptors.1, nil, nil, &size) == 0)
        outer = FileHandle(fileDescriptor: descriptors.0, closeOnDealloc: true)
        inner = FileHandle(fileDescriptor: descriptors.1, closeOnDealloc: true)
    }

    /// Runs the program, and returns what the terminal shows.
    func run(_ arguments: [String], _ variables: [String: String] = [:]) throws -> String {
        let process = Process()
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "sandbox-store")
        process.arguments = arguments
        process.environment = ["NO_COLOR": "1", "PATH": "/usr/bin:/bin"].merging(variables) { $1 }
        process.standardOutput = inner
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: outer.availableData, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
