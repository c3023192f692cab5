import Foundation
import Testing

@testable import sandbox_store

/// The executable itself, as it was built beside the tests.
@Suite struct ProcessTests {
    @Test func `The demo runs as a process of its own, from any directory`() async throws {
        let result = try run(["demo"])
        #expect(result.output == (try golden("demo")))
        #expect(result.complaints.isEmpty)
        #expect(result.code == 0)
    }

    @Test func `Answers that come through a pipe are shown`() async throws {
        let result = try run(["demo", "--ask"], input: "y\nD\nperhaps\n c \n")
        #expect(result.output == (try golden("demo-ask")))
        #expect(result.code == 0)
    }

    @Test func `Mistakes go to standard error, and the exit code is the process's`() async throws {
        let result = try run(["sell"])
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

    private func run(_ arguments: [String], input: String = "") throws -> (
        output: String, complaints: String, code: Int32
    ) {
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        let process = Process()
        let products = Bundle.module.bundleURL.deletingLastPathComponent()
        process.executableURL = products.appending(path: "sandbox-store")
        process.arguments = arguments
        process.currentDirectoryURL = FileManager.default.temporaryDirectory
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        // All of it is far less than a pipe holds, so nobody waits for anybody.
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try stderr.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            String(decoding: output, as: UTF8.self), String(decoding: complaints, as: UTF8.self),
            process.terminationStatus
        )
    }
}
