import Foundation
import Synchronization

/// The folder that contains a process's temporary folders.
///
/// It is removed with the last of them, or when the process exits. A killed process leaves it behind. Therefore the
/// folder is locked while its process runs, and the next process that creates such a folder removes all unlocked ones.
/// Programs that remove temporary files by age, such as systemd-tmpfiles, skip locked folders.
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
            // Others may have removed the folder; a new one in its place is not locked yet.
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
/// All of a process's temporary folders are in one folder of its own, see `ProcessFolder`. Nothing is on disk before
/// `make`.
package final class TemporaryFolder: Sendable {
    /// The folder's location, before and after it is created.
    package let url: URL
    private let process = ProcessFolder.current
    private let isMade = Atomic(false)

    /// Creates a temporary folder's location, but not the folder.
    ///
    /// - Parameter purpose: the beginning of its name, to which a unique part is added.
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

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    /// A lock on a folder: held until this object is deallocated or its process ends, for whatever reason.
    ///
    /// It uses `flock` on the folder itself, so that no one can remove a lock file from under it. If the file
    /// system cannot lock folders, no process takes over a folder either.
    final class FolderLock: Sendable {
        private let descriptor: Int32

        /// Creates a folder that only its user may read, unless it exists, and locks it.
        init(making url: URL) throws {
            // One attempt per process that takes the folder for an orphan; more only where file numbers are not stable.
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
                // Waits for a process that took the folder for an orphan before it was locked, and removes it.
                while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
                if Self.names(url, descriptor) {
                    self.descriptor = descriptor
                    return
                }
                close(descriptor)
            }
            throw POSIXError(.ENOLCK)
        }

        /// Locks an unlocked folder of this user's; nil if there is none.
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

        /// Whether the locked folder is still in its place.
        func holds(_ url: URL) -> Bool { Self.names(url, descriptor) }

        private static func descriptor(of url: URL) -> Int32? {
            // A child process does not inherit the lock.
            let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            return descriptor < 0 ? nil : descriptor
        }

        /// Returns whether a URL leads to an open folder, and not to another that was created in its place.
        private static func names(_ url: URL, _ descriptor: Int32) -> Bool {
            var own = stat()
            var other = stat()
            return fstat(descriptor, &own) == 0 && lstat(url.path, &other) == 0
                && own.st_dev == other.st_dev && own.st_ino == other.st_ino
        }
    }
#else
    /// A lock on a folder where the system has none: the files of a killed process are left to other clean-up.
    final class FolderLock: Sendable {
        init(making url: URL) throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        init?(takingOver url: URL) { return nil }

        func holds(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }
    }
#endif
