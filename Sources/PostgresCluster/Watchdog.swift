import Foundation
import StoreCore

/// A process that stops a server and removes its folder as soon as this process lets it, or is gone.
final class Watchdog: Sendable {
    private let state: Locked<State?>

    private struct State {
        let process: Process
        /// The end whose closing the watchdog waits for.
        let line: FileHandle
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
                "-c", "cat >/dev/null; folder=$1; shift; \"$@\" >/dev/null 2>&1; rm -rf \"$folder\"", "watchdog",
                folder.path,
            ] + stop
        process.currentDirectoryURL = URL(filePath: "/")
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
        state = Locked(State(process: process, line: pipe.fileHandleForWriting))
        Self.all.withLock { $0[ObjectIdentifier(self)] = Weak(watchdog: self) }
    }

    deinit { end() }

    /// Ends it, and waits until it has done its work.
    ///
    /// Does nothing the second time.
    func end() {
        _ = Self.all.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
        guard let state = state.withLock({ $0.take() }) else { return }
        try? state.line.close()
        state.process.waitUntilExit()
    }

    private static func endAll() {
        for entry in all.withLock({ Array($0.values) }) { entry.watchdog?.end() }
    }
}
