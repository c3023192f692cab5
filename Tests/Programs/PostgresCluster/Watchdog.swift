import Foundation
import StoreCore

/// A process that stops a server and removes its folder as soon as this process lets it, or is gone.
final class Watchdog: Sendable {
    private let state: Locked<State?>

    private struct State {
        let process: Process
        /// The end on which the watchdog waits for a line, or for its closing.
        let line: FileHandle
        /// Where the watchdog says that it has done its work.
        let answer: FileHandle
    }

    /// The watchdogs of this process, which are ended when it exits.
    private static let all: Locked<[ObjectIdentifier: Weak]> = {
        atexit { Watchdog.endAll() }
        return Locked([:])
    }()

    private struct Weak {
        weak var watchdog: Watchdog?
    }

    init(_ programs: ServerPrograms, _ folder: URL) {
        let stop = programs.command(
            "pg_ctl",
            ["-D", folder.appending(path: "data").path, "-w", "-s", "-m", "immediate", "stop"]
        )
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // A server that does not run is no reason to leave its folder.
        process.arguments =
            [
                "-c", "read -r _; folder=$1; shift; \"$@\" >/dev/null 2>&1; rm -rf \"$folder\"; echo done", "watchdog",
                folder.path,
            ] + stop
        process.currentDirectoryURL = URL(filePath: "/")
        let (line, answer) = (Pipe(), Pipe())
        process.standardInput = line
        process.standardOutput = answer
        process.standardError = FileHandle.nullDevice
        let isRunning = (try? process.run()) != nil
        let ends = State(process: process, line: line.fileHandleForWriting, answer: answer.fileHandleForReading)
        state = Locked(isRunning ? ends : nil)
        Self.all.withLock { $0[ObjectIdentifier(self)] = Weak(watchdog: self) }
    }

    deinit { end() }

    /// Ends it, and waits until it has done its work.
    ///
    /// Does nothing the second time.
    func end() {
        _ = Self.all.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
        guard let state = state.withLock({ $0.take() }) else { return }
        // A process that was started at the same moment may have inherited these ends, and the one by which Foundation
        // hears of an exit. They close with that process, which may be a server: what is said does not wait for it.
        try? state.line.write(contentsOf: Data("\n".utf8))
        try? state.line.close()
        _ = try? state.answer.read(upToCount: 1)
    }

    private static func endAll() {
        for entry in all.withLock({ Array($0.values) }) { entry.watchdog?.end() }
    }
}
