import Foundation
import Testing

@testable import sandbox_store

/// The executable itself, as it was built beside the tests.
@Suite struct ProcessTests {
    @Test func `The demo runs as a process of its own, from any directory`() async throws {
        let result = try runProgram(["demo"])
        #expect(result.output == (try golden("demo")))
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
