import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The processes of servers.
@Suite(.timeLimit(.minutes(20))) struct ServerProcessTests {
    private func process(_ command: [String], in folder: URL) throws -> ServerProcess {
        try ServerProcess(
            command,
            environment: ProcessInfo.processInfo.environment,
            in: folder,
            output: folder.appending(path: "output.txt")
        )
    }

    private func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    @Test func `The children of a process that has ended by itself are killed`() throws {
        try withFolder { folder in
            let pipe = folder.appending(path: "pipe").path
            #expect(mkfifo(pipe, 0o600) == 0)
            let process = try process(["sh", "-c", "sleep 100000 >\"$0\" & exit 3", pipe], in: folder)
            // Opened as soon as the child has it open, and at its end when the child is dead.
            let reader = try FileHandle(forReadingFrom: URL(filePath: pipe))
            while !process.hasEnded { sched_yield() }
            #expect(process.end == "exit code 3")
            #expect(try reader.readToEnd() ?? Data() == Data())
        }
    }

    @Test func `A process begins with no signal blocked or ignored`() throws {
        try withFolder { folder in
            var (blocked, before) = (sigset_t(), sigset_t())
            sigemptyset(&blocked)
            sigaddset(&blocked, SIGTERM)
            pthread_sigmask(SIG_BLOCK, &blocked, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            let process = try process(["sh", "-c", "kill -TERM $$; exit 4"], in: folder)
            while !process.hasEnded { sched_yield() }
            #expect(process.end == "signal 15")
        }
    }
}
