import Foundation
import Synchronization

/// The folder that contains a process's temporary folders.
///
/// The folder is removed with the last temporary folder, or when the process exits. A process that is killed leaves its
/// folder behind. Therefore the folder is locked while its process runs, and the next process that creates such a
/// folder removes all unlocked ones. Programs that remove old temporary files, such as systemd-tmpfiles, skip locked
/// folders.
final class ProcessFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("\(prefix)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
    private let owner = ProcessInfo.processInfo.processIdentifier
    private let lock = Locked<FolderLock?>(nil)

    private static let prefix = "StoreCore-process-"
    private static let latest = Locked(Latest(folder: nil))

    private struct Latest: Sendable { weak let folder: ProcessFolder? }

    /// The process's folder, shared by all temporary folders that exist at a time.
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
            // Another program may have removed the folder; one created in its place would not be locked.
            if lock?.holds(url) == true { return }
            lock = nil
            lock = try FolderLock(making: url)
        }
    }

    private func remove() {
        if lock.withLock({ $0 }) != nil { remove(url) }
    }

    /// Removes this folder, or one inside it.
    ///
    /// Does nothing in a child made by `fork`, which releases the same objects and runs the same exit handlers.
    func remove(_ folder: URL) {
        guard owner == ProcessInfo.processInfo.processIdentifier else { return }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Work done once in a process, before its first folder is created.
    private static let preparation: Void = {
        atexit { ProcessFolder.latest.withLock { $0.folder }?.remove() }
        removeOrphans(in: FileManager.default.temporaryDirectory)
    }()

    /// Removes the folders of processes that have ended.
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

/// A temporary folder that is removed with its last reference, or with the process.
///
/// All of a process's temporary folders are in one folder, see `ProcessFolder`. Only `make` creates them on disk.
package final class TemporaryFolder: Sendable {
    /// The folder's location, before and after it is created.
    package let url: URL
    private let process = ProcessFolder.current
    private let isMade = Atomic(false)

    /// Creates a temporary folder's location, but not the folder.
    ///
    /// - Parameter purpose: the beginning of the folder's name, to which a unique part is added.
    package init(for purpose: String) {
        url = process.url.appendingPathComponent("\(purpose)-\(UUID().uuidString)", isDirectory: true)
    }

    deinit { remove() }

    /// Creates the folder, which only its user may read, unless it exists.
    package func make() throws {
        isMade.store(true, ordering: .sequentiallyConsistent)
        try process.make()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Removes the folder, if it exists, and its contents.
    package func remove() {
        if isMade.load(ordering: .sequentiallyConsistent) { process.remove(url) }
    }
}

/// A lock on a folder, held until this object is deallocated or its process ends for any reason.
///
/// It uses `flock` on the folder itself, since a separate lock file could be removed while it is locked. If the
/// file system cannot lock folders, no process takes over a folder either.
final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Creates a folder that only its user may read, unless it exists, and locks it.
    init(making url: URL) throws {
        // Each other process may once remove the new, still unlocked folder as an orphan.
        for _ in 0..<100 {
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            guard let descriptor = Self.descriptor(of: url) else {
                if errno == ENOENT { continue }
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            // Waits if another process, taking the folder for an orphan, has locked it to remove it.
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            if Self.names(url, descriptor) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
        throw POSIXError(.ENOLCK)
    }

    /// Locks a folder of this user's that no process has locked; returns nil otherwise.
    init?(takingOver url: URL) {
        guard let descriptor = Self.descriptor(of: url) else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.names(url, descriptor)
        else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Returns whether a URL still leads to the locked folder.
    func holds(_ url: URL) -> Bool { Self.names(url, descriptor) }

    private static func descriptor(of url: URL) -> Int32? {
        // Closed in child processes, so that they do not inherit the lock.
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }

    /// Returns whether a URL leads to an open folder, rather than to another that was created in its place.
    private static func names(_ url: URL, _ descriptor: Int32) -> Bool {
        var own = stat()
        var other = stat()
        return fstat(descriptor, &own) == 0 && lstat(url.path, &other) == 0
            && own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }
}
