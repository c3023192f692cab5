import Foundation
import StoreCore

/// A process of the server under test, in a process group of its own that is killed as a whole.
final class ServerProcess {
    /// The process groups that run.
    private static let running = Locked<Set<pid_t>>([])

    private let identifier: pid_t
    private let output: URL
    /// The process's wait status; nil while it runs.
    private var status: Int32?

    /// Starts a command.
    ///
    /// Not with Foundation's `Process`, which cannot make a process group.
    ///
    /// - Parameters:
    ///   - command: the words of the command; the first one is searched in `PATH`.
    ///   - environment: the process's environment.
    ///   - folder: the process's folder.
    ///   - output: the file to which the process's output is appended.
    /// - Throws: ``ServerSimulationError`` if the command cannot be started.
    init(
        _ command: [String],
        environment: [String: String],
        in folder: URL,
        output: URL
    ) throws(ServerSimulationError) {
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
        #else
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The server must not keep this process's sockets open. Those past the highest are opened meanwhile.
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        let highest = open.compactMap { Int32($0) }.max() ?? 64
        for descriptor in 3..<highest + 16 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        // A shell changes the folder, since not every system's C library can do so here.
        let words: [UnsafeMutablePointer<CChar>?] =
            (["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path] + command).map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var process = pid_t()
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, words, variables)
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            throw ServerSimulationError("the server cannot be started: \(reason)")
        }
        (identifier, self.output) = (process, output)
        Self.running.withLock { _ = $0.insert(process) }
    }

    deinit { kill() }

    /// Kills the process and those that it has started, and waits for its end.
    func kill() {
        guard status == nil else { return }
        Foundation.kill(-identifier, SIGKILL)
        wait(0)
    }

    /// Whether the process has ended.
    var hasEnded: Bool {
        if status == nil { wait(WNOHANG) }
        return status != nil
    }

    private func wait(_ options: Int32) {
        var status: Int32 = 0
        var found = waitpid(identifier, &status, options)
        while found < 0, errno == EINTR { found = waitpid(identifier, &status, options) }
        guard found != 0 else { return }
        self.status = status
        Self.running.withLock { _ = $0.remove(identifier) }
    }

    /// The way in which the process has ended, and the last lines of its output.
    var end: String {
        let status = status ?? 0
        let way = status & 0x7f == 0 ? "exit code \((status >> 8) & 0xff)" : "signal \(status & 0x7f)"
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").suffix(12).map { "\n    \($0)" }
        return way + lines.joined()
    }

    /// Kills the processes of all simulations, for a process that is about to end.
    static func killAll() {
        for identifier in running.withLock({ $0 }) { Foundation.kill(-identifier, SIGKILL) }
    }
}
