import Foundation
import StoreCrypto
import StoreServer
import Testing

@testable import sandbox_store

/// `simulate-server`, as it is called on the command line.
@Suite(
    .enabled(if: MicroHTTPD.isAvailable && Libcrypto.isAvailable, "a library is missing"),
    .timeLimit(.minutes(20))
)
@MainActor struct SimulateServerTests {
    /// Returns the text of a simulation's file whose server is a command of the shell.
    private static func simulation(_ command: String) -> String {
        """
        {
            "products": [{ "id": "coins", "kind": "consumable", "price": "0.99" }],
            "bundle": "com.example.shop",
            "server": {
                "command": ["/bin/sh", "-c", "\(command)"],
                "url": "http://127.0.0.1:{port}",
                "notifications": "/notifications",
                "access": "/customers/{customer}",
                "reset": "/reset"
            },
            "holds": { "coins": "$.coins" }
        }
        """
    }

    @Test func `A file that is not there, has a mistake, or whose server ends at once, has exit code 2`() throws {
        let directory = try Directory()
        let missing = Run("simulate-server", directory.url.appending(path: "simulation.json").path)
        #expect(missing.code == 2)
        #expect(missing.complaints.contains("simulation.json"))
        let folder = Run("simulate-server", directory.url.path)
        #expect(folder.code == 2)
        #expect(folder.complaints.hasSuffix("cannot be read from \(directory.url.path): it is a folder\n"))
        let misspelled = Self.simulation("exit 3").replacing("holds", with: "hold")
        let mistake = Run("simulate-server", try directory.write("simulation.json", misspelled))
        #expect(mistake.code == 2)
        #expect(mistake.complaints.contains("hold"))
        let ending = Run("simulate-server", try directory.write("simulation.json", Self.simulation("exit 3")))
        #expect(ending.code == 2)
        #expect(ending.complaints.contains("exit code 3"), "\(ending.complaints)")
    }

    @Test func `A server ends with the process that simulates it`() throws {
        let directory = try Directory()
        // The server's end of the pipe is closed by its end, and by nothing else.
        let pipe = directory.url.appending(path: "pipe").path(percentEncoded: false)
        try #require(mkfifo(pipe, 0o600) == 0)
        let simulator = Process()
        simulator.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "sandbox-store")
        simulator.arguments = [
            "simulate-server",
            try directory.write("simulation.json", Self.simulation("exec 9>pipe; echo begun >&9; exec sleep 600")),
            "--jobs", "1",
        ]
        simulator.standardOutput = FileHandle.nullDevice
        simulator.standardError = FileHandle.nullDevice
        try simulator.run()
        let server = try #require(FileHandle(forReadingAtPath: pipe))
        #expect(server.availableData == Data("begun\n".utf8))
        kill(simulator.processIdentifier, SIGKILL)
        #expect(try server.readToEnd() ?? Data() == Data())
        simulator.waitUntilExit()
    }
}
