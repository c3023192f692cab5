import Foundation
import StoreCore

/// A shell that outlives this process for a moment, kills the servers that still run, and removes their files.
///
/// It learns of this process's end, however it comes, from the end of a pipe. A handler of signals would not be asked
/// in every case, and a test has none.
final class ServerWatch: Sendable {
    /// The watch of all simulations in this process.
    static let shared = ServerWatch()

    /// The beginning of the paths of all files of this process's simulations.
    private let path: String
    private let pipe: Locked<FileHandle?>

    private static let script = """
        trap '' HUP INT TERM
        groups=
        while read -r sign group; do
            rest=
            for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done
            groups=$rest
            [ "$sign" = - ] || groups="$groups $group"
        done
        for group in $groups; do kill -9 "-$group" 2>/dev/null; done
        rm -rf -- "$0"-*
        """

    private init() {
        let name = "simulation-\(UUID().uuidString.lowercased())"
        path = FileManager.default.temporaryDirectory.appending(path: name).path(percentEncoded: false)
        let (pipe, shell) = (Pipe(), Process())
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", Self.script, path]
        shell.standardInput = pipe
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        // Without a shell, no server can be started either.
        self.pipe = Locked((try? shell.run()) == nil ? nil : pipe.fileHandleForWriting)
    }

    /// Returns a folder for a simulation's files, which does not exist yet and is removed at this process's end at the latest.
    func newFolder() -> URL { URL(filePath: "\(path)-\(UUID().uuidString.lowercased())", directoryHint: .isDirectory) }

    /// The pipe to which a server's shell writes `+` and its process group before the server begins; nil without a watch.
    ///
    /// The server itself announces its group. If this process did, a server would survive when this process ends between
    /// the server's start and the announcement.
    var descriptor: Int32? { pipe.withLock { $0?.fileDescriptor } }

    /// Notes that a process group has ended, so that its number may be another's.
    func end(_ group: pid_t) { pipe.withLock { try? $0?.write(contentsOf: Data("- \(group)\n".utf8)) } }
}
