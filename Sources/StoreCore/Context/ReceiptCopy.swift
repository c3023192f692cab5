import Foundation

/// A file that is kept open to be written to again, and what is in it.
struct ReceiptCopy {
    private let file: Descriptor
    /// By what the system knows it.
    private let status: stat
    /// The entries that it holds, nil while it holds nothing.
    private var entries: ReceiptEntries.Identity?
    private var frontCount = 0
    private var entryCount = 0
    private var entryBytes = 0
    private var byteCount = 0

    private final class Descriptor: Sendable {
        let number: Int32

        init(_ number: Int32) { self.number = number }

        deinit { close(number) }
    }

    /// Makes a file that its user alone may read and write; nil, with the reason in `errno`, where there cannot be one.
    init?(at path: String) {
        let number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { return nil }
        file = Descriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0 else { return nil }
        self.status = status
    }

    /// Whether this is the file at a path.
    func isAt(_ path: String) -> Bool {
        var other = stat()
        return lstat(path, &other) == 0 && status.st_ino == other.st_ino && status.st_dev == other.st_dev
    }

    /// Makes the file say what a receipt says, writing what is not in it yet.
    mutating func write(_ image: ReceiptImage) throws {
        if entries !== image.entries.identity || frontCount != image.front.count || entryCount > image.entries.count {
            (frontCount, entryCount, entryBytes) = (image.front.count, 0, 0)
        }
        // Until all of it is written it is of no use.
        entries = nil
        let new = image.entries.bytes(from: entryCount)
        try write(image.front, at: 0)
        try write(new + image.back, at: frontCount + entryBytes)
        if image.byteCount < byteCount, ftruncate(file.number, off_t(image.byteCount)) != 0 { throw Self.trouble() }
        byteCount = image.byteCount
        (entryCount, entryBytes) = (image.entries.count, image.entries.byteCount)
        entries = image.entries.identity
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(file.number, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.trouble() }
                done += count
            }
        }
    }

    /// What the system has just said.
    static func trouble() -> any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

// MARK: - Leases

extension ReceiptCopy {
    #if os(Linux)
        // As in <fcntl.h>, where they are not for everybody to see.
        private static var setSignal: Int32 { 10 }
        private static var setLease: Int32 { 1024 }

        /// Has whoever opens the file wait until ``release()``.
        ///
        /// False where somebody has it open, and where the system cannot say.
        func lease() -> Bool {
            // Who waits is announced with a signal. The usual one would end the process, and this one is passed over.
            guard fcntl(file.number, Self.setSignal, SIGURG) == 0 else { return false }
            return fcntl(file.number, Self.setLease, Int32(F_WRLCK)) == 0
        }

        func release() { _ = fcntl(file.number, Self.setLease, Int32(F_UNLCK)) }
    #else
        func lease() -> Bool { false }
        func release() {}
    #endif
}
