import Foundation
import StoreCore

/// A process of the server under test, in a process group of its own that is killed as a whole.
final class ServerProcess {
    /// The process's number, and that of its group.
    let identifier: pid_t
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
    ///   - output: the file of the process's output, which replaces what was in it.
    /// - Throws: ``ServerSimulationError`` if the command cannot be started.
    init(
        _ command: [String],
        environment: [String: String],
        in folder: URL,
        output: URL
    ) throws(ServerSimulationError) {
        let settings = SpawnSettings()
        // The server starts with no signal blocked or ignored, whatever this process does with them.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&settings.attributes, &none)
        posix_spawnattr_setsigdefault(&settings.attributes, &all)
        posix_spawnattr_setpgroup(&settings.attributes, 0)
        var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        #if canImport(Darwin)
            flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #endif
        posix_spawnattr_setflags(&settings.attributes, Int16(flags))
        posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &settings.actions,
            1,
            output.path,
            O_WRONLY | O_CREAT | O_TRUNC | O_APPEND,
            0o600
        )
        posix_spawn_file_actions_adddup2(&settings.actions, 1, 2)
        if let watch = ServerWatch.shared.descriptor { posix_spawn_file_actions_adddup2(&settings.actions, watch, 3) }
        #if !canImport(Darwin)
            // The server must not keep this process's sockets open. Those past the highest are opened meanwhile.
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
            let highest = open.compactMap { Int32($0) }.max() ?? 64
            for descriptor in 4..<max(4, highest) + 16 {
                posix_spawn_file_actions_addclose(&settings.actions, descriptor)
            }
        #endif
        // A shell changes the folder, since not every system's C library can do so here.
        let script = "echo \"+ $$\" >&3; exec 3>&-; cd \"$0\" && exec \"$@\""
        let words: [UnsafeMutablePointer<CChar>?] =
            (["/bin/sh", "-c", script, folder.path] + command).map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var process = pid_t()
        let code = posix_spawn(&process, "/bin/sh", &settings.actions, &settings.attributes, words, variables)
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            throw ServerSimulationError("the server cannot be started: \(reason)")
        }
        identifier = process
    }

    deinit { kill() }

    /// Kills the process and those that it has started, and waits for its end.
    func kill() {
        guard status == nil else { return }
        Foundation.kill(-identifier, SIGKILL)
        reap()
    }

    /// Whether the process has ended; those that it has started are killed then.
    var hasEnded: Bool {
        guard status == nil else { return true }
        // It is not reaped yet: until then, its number is that of its group.
        var information = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        guard waitid(P_PID, id_t(identifier), &information, options) == 0, information.si_signo == SIGCHLD else {
            return false
        }
        kill()
        return true
    }

    private func reap() {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        self.status = status
        ServerWatch.shared.end(identifier)
    }

    /// The way in which the process has ended.
    var end: String {
        let status = status ?? 0
        return status & 0x7f == 0 ? "exit code \((status >> 8) & 0xff)" : "signal \(status & 0x7f)"
    }
}
