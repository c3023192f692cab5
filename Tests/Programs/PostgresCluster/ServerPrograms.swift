import Foundation
import StoreCore

/// The programs of PostgreSQL's server, which refuse to run as root.
struct ServerPrograms: Sendable {
    private let folder: String
    /// The user who runs them, nil for this process's.
    private let user: String?

    /// The newest that are installed.
    static let found: ServerPrograms? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders = versions.sorted { (Double($0) ?? 0) > (Double($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
        guard let folder = folders.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }) else {
            return nil
        }
        guard geteuid() == 0 else { return ServerPrograms(folder: folder, user: nil) }
        // The package's own user, or one who has nothing.
        return ["postgres", "nobody"].first { (name: String) in getpwnam(name) != nil }
            .map { ServerPrograms(folder: folder, user: $0) }
    }()

    /// Runs a program to its end.
    ///
    /// Not with Foundation's `Process`, which waits for servers that a program leaves behind as well.
    func run(_ program: String, _ arguments: [String]) throws {
        let errors = FileManager.default.temporaryDirectory.appending(path: "errors-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: errors) }
        let settings = SpawnSettings()
        posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&settings.actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&settings.actions, 2, errors.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // A server keeps what it inherits, and whoever waits for the end of a pipe would wait for it.
        // Those past the highest that is open are opened by other threads meanwhile.
        for descriptor in 3..<Self.highestDescriptor() + 64 {
            posix_spawn_file_actions_addclose(&settings.actions, descriptor)
        }
        let words: [UnsafeMutablePointer<CChar>?] = command(program, arguments).map { strdup($0) } + [nil]
        let environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin"), strdup("LC_ALL=C"), nil]
        defer { for word in words + environment { free(word) } }
        var process = pid_t()
        guard let path = words[0],
            posix_spawn(&process, path, &settings.actions, &settings.attributes, words, environment) == 0
        else {
            throw ClusterError(line: "\(program) cannot be started")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw ClusterError(line: "\(program) has failed: \(text.trimmingCharacters(in: .whitespacesAndNewlines))")
        }
    }

    /// Returns the highest descriptor that this process has open, as far as the system tells.
    private static func highestDescriptor() -> Int32 {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return open.compactMap { Int32($0) }.max() ?? getdtablesize()
    }

    /// Returns the words of a command that runs a program as the right user.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        let words = ["\(folder)/\(program)"] + arguments
        guard let user else { return words }
        return ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + words
    }

    /// Makes a folder of the user's.
    func makeFolder(_ url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try own(url, 0o711)
    }

    /// Appends to a file of the user's.
    func append(_ text: String, to file: URL) throws {
        var content = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        content += text
        try Data(content.utf8).write(to: file)
        try own(file, 0o600)
    }

    private func own(_ url: URL, _ permissions: Int) throws {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: permissions]
        if let user, let entry = getpwnam(user) {
            attributes[.ownerAccountID] = NSNumber(value: entry.pointee.pw_uid)
            attributes[.groupOwnerAccountID] = NSNumber(value: entry.pointee.pw_gid)
        }
        try FileManager.default.setAttributes(attributes, ofItemAtPath: url.path)
    }
}
