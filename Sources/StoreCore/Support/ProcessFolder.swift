import Foundation

/// The folder of a process's temporary folders.
///
/// It is removed with the last of them, or when the process exits. A killed process leaves it. Therefore the folder is
/// locked while its process lives, and the next process that makes such a folder removes all unlocked ones. Programs
/// that remove temporary files by age, such as systemd-tmpfiles, skip locked folders.
final class ProcessFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("\(prefix)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
    private let owner = ProcessInfo.processInfo.processIdentifier
    private let lock = Locked<FolderLock?>(nil)

    private static let prefix = "StoreCore-process-"
    private static let latest = Locked(Latest(folder: nil))

    private struct Latest: Sendable { weak let folder: ProcessFolder? }

    /// The process's folder, which all temporary folders share while there are any.
    static var current: ProcessFolder {
        latest.withLock { latest in
            if let folder = latest.folder { return folder }
            let folder = ProcessFolder()
            latest = Latest(folder: folder)
            return folder
        }
    }

    deinit { remove() }

    /// Creates and locks the folder, unless it exists.
    func make() throws {
        _ = Self.preparation
        try lock.withLock { lock in
            // The folder may have been removed by others; a new one at its place is not locked yet.
            if lock?.holds(url) == true { return }
            lock = nil
            lock = try FolderLock(making: url)
        }
    }

    private func remove() {
        if lock.withLock({ $0 }) != nil { remove(url) }
    }

    /// Removes the folder, or one in it.
    ///
    /// A copy of the process made by `fork` releases the same objects and runs the same exit handlers: it removes
    /// nothing.
    func remove(_ folder: URL) {
        guard owner == ProcessInfo.processInfo.processIdentifier else { return }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The work that a process does once, before its first folder.
    private static let preparation: Void = {
        atexit { ProcessFolder.latest.withLock { $0.folder }?.remove() }
        removeOrphans(in: FileManager.default.temporaryDirectory)
    }()

    /// Removes the folders of processes that have died.
    private static func removeOrphans(in directory: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let url = directory.appendingPathComponent(name)
            guard let lock = FolderLock(takingOver: url) else { continue }
            try? FileManager.default.removeItem(at: url)
            withExtendedLifetime(lock) {}
        }
    }
}
