import Foundation

/// A file that is open for writing, for exclusive use until it is closed.
///
/// Deinitialization closes it.
final class LeasedFile {
    let descriptor: Int32
    private var isLeased = false

    /// Creates a file that only its user may read and write.
    ///
    /// - Throws: the system's error if the file cannot be created.
    init(creating path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Self.trouble() }
    }

    /// Opens an existing file under the system's lease: any other open waits until the file is closed.
    ///
    /// Returns nil if the file is open elsewhere, or if the system has no leases.
    init?(leasing path: String) {
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, lease() else { return nil }
    }

    deinit {
        if descriptor < 0 { return }
        endLease()
        close(descriptor)
    }

    /// The current status of the file, as the system reports it.
    var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.trouble() }
                done += count
            }
        }
    }

    func truncate(to length: Int) throws {
        if ftruncate(descriptor, off_t(length)) != 0 { throw Self.trouble() }
    }

    /// Returns the error of the last system call.
    static func trouble() -> any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    #if os(Linux)
        // As in <fcntl.h>, which does not declare them by default.
        private static var setSignal: Int32 { 10 }
        private static var setLease: Int32 { 1024 }

        private func lease() -> Bool {
            // A signal announces a waiting opener. The default signal would end the process; this one is ignored.
            guard fcntl(descriptor, Self.setSignal, SIGURG) == 0 else { return false }
            isLeased = fcntl(descriptor, Self.setLease, Int32(F_WRLCK)) == 0
            return isLeased
        }

        /// Ends the lease, which a process that is just being started shares until it has closed its copy of the descriptor.
        private func endLease() { if isLeased { _ = fcntl(descriptor, Self.setLease, Int32(F_UNLCK)) } }
    #else
        private func lease() -> Bool { false }
        private func endLease() {}
    #endif
}
