import Foundation
import Testing

/// A program of its own, whose store is a file that the environment names, as a scheme would.
@Suite struct KioskTests {
    @Test(.timeLimit(.minutes(5)), arguments: ["run-loop", "dispatch"])
    func `Whatever runs the main queue, callbacks come`(loop: String) throws {
        let process = Process()
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "Kiosk")
        process.arguments = [loop]
        let catalog = try #require(Bundle.module.url(forResource: "Kiosk", withExtension: "storekit"))
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["STOREKIT_CONFIGURATION": catalog.path]
        ) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let lines = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(
            String(decoding: lines, as: UTF8.self) == """
                open
                Sword for $0.99
                provided com.example.sword

                """
        )
        #expect(process.terminationStatus == 0)
    }
}
