import Foundation

/// A file that is open for writing, and that nobody else opens until it is closed.
///
/// It is closed when it goes.
final class LeasedFile {
    let descriptor: Int32

    /// Creates a file that its user alone may read and write.
    ///
    /// - Throws: what the system says where there cannot be one.
    init(creating path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Self.trouble() }
    }

    /// Opens a file that is there, under the system's lease: whoever opens it waits until it is closed again.
    ///
    /// Nil where somebody has it open, and where the system has no leases.
    init?(leasing path: String) {
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, lease() else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// What the system says of the file now.
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

    /// What the system has just said.
    static func trouble() -> any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    #if os(Linux)
        // As in <fcntl.h>, where they are not for everybody to see.
        private static var setSignal: Int32 { 10 }
        private static var setLease: Int32 { 1024 }

        private func lease() -> Bool {
            // Who waits is announced with a signal. The usual one would end the process, and this one is passed over.
            guard fcntl(descriptor, Self.setSignal, SIGURG) == 0 else { return false }
            return fcntl(descriptor, Self.setLease, Int32(F_WRLCK)) == 0
        }
    #else
        private func lease() -> Bool { false }
    #endif
}
