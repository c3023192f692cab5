import Foundation
import StoreSQLite
import TestSupport
import Testing

/// The program that kills, as it was built beside the tests; `.ci/run` has it kill more often.
@Suite(.sqlite, .promptly) struct CrashTests {
    @Test func `B33-B36: Whenever an app is killed, the file agrees with what it was told`() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.bundleURL.appending(path: "crash-test")
        process.arguments = ["--crashes", "10"]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.hasPrefix("10 crashes"))
    }
}
