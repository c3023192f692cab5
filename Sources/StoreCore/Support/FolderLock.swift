import Foundation

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    /// A lock on a folder: held until this object is deallocated or its process ends, for whatever reason.
    ///
    /// It uses `flock` on the folder itself, so that no file in it can be removed from under the lock. Where the file
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

        /// Whether the locked folder is still at its place.
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
