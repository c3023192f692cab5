import Foundation
import Synchronization

/// A file with a context's app receipt, to be read by `Data(contentsOf:)`.
///
/// The file is written when its URL is first requested; from then on it is updated before callbacks.
final class ReceiptFile: Sendable {
    /// Whether the URL has ever been requested; lock-free, because it is checked before every callback.
    private let isWatched = Atomic(false)
    private let state = Locked(State())

    fileprivate struct State {
        /// The file; nil until there is a receipt.
        var file: ReplacedFile?
        var content = Content.unknown
    }

    /// The receipt that the file contains.
    fileprivate enum Content {
        case unknown
        case version(ReceiptVersion)
        case data(Data)
    }

    /// Updates the file and returns its URL; nil if there is no receipt, or if the file could not be written.
    func url(_ core: ContextCore) -> URL? {
        isWatched.store(true, ordering: .sequentiallyConsistent)
        return refresh(core)
    }

    /// Updates the file if its URL has ever been requested.
    func refreshIfWatched(_ core: ContextCore) {
        if isWatched.load(ordering: .sequentiallyConsistent) { _ = refresh(core) }
    }

    /// Updates the file; if it cannot be written, logs the system's error and leaves it unchanged.
    private func refresh(_ core: ContextCore) -> URL? {
        do {
            // Updates that the store sends during this call are delivered after the lock is released.
            return try CallScope.outermost {
                // The receipt is created with the lock held, so that an older one never replaces a newer one. This
                // cannot deadlock: the store, which creates the receipt, does not use contexts.
                try state.withLock { state in try state.update(core.setup.backend) }
            }
        } catch {
            core.setup.log("the app receipt's file could not be written: \(error)")
            return nil
        }
    }
}

extension ReceiptFile.State {
    fileprivate mutating func update(_ backend: (any StoreBackend)?) throws -> URL? {
        let isInPlace = file?.isInPlace ?? false
        if !isInPlace { content = .unknown }
        if let source = backend as? any ReceiptSource {
            var known: ReceiptVersion?
            if case .version(let version) = content { known = version }
            switch source.receipt(unless: known) {
            case .unchanged: return file?.url
            case .none: return remove()
            case .changed(let image, let version): return try write(image, .version(version))
            }
        }
        guard let receipt = backend?.services.receipts?.appReceipt else { return remove() }
        if case .data(receipt) = content { return file?.url }
        return try write(ReceiptImage(receipt), .data(receipt))
    }

    private mutating func write(_ image: ReceiptImage, _ content: ReceiptFile.Content) throws -> URL? {
        if file == nil { file = ReplacedFile() }
        // Called on the property, not on a copy: even a write that fails changes the value's record of the spare file.
        try file?.write(image)
        self.content = content
        return file?.url
    }

    private mutating func remove() -> URL? {
        file?.remove()
        content = .unknown
        return nil
    }
}

extension StoreContext {
    /// The URL of the file with the store's app receipt; nil if there is no receipt (behavior 184).
    ///
    /// It corresponds to Apple's `Bundle.main.appStoreReceiptURL`. Foundation declares that property on every platform,
    /// but outside of Apple's platforms it is always nil. This line in an app's own target replaces it there:
    ///
    /// ```swift
    /// extension Bundle { var appStoreReceiptURL: URL? { StoreContext.current.appReceiptURL } }
    /// ```
    ///
    /// The file is in a temporary folder that only its user may read. It is deleted with the context, or with the
    /// process if the context is ``process``. If a process is killed, its file is deleted by the next process that
    /// writes a receipt or downloads a file. The file is up to date whenever this property is read and, from then on,
    /// before an observer or the delegate of an ``SKReceiptRefreshRequest`` is called.
    ///
    /// The receipt of a ``SandboxStore`` is created and written only after its entries change or it is refreshed; that
    /// time is its creation date. If the store's signer is an ``HMACReceiptSigner`` and the system is Linux, a purchase
    /// writes only the new part, however much the account owns; otherwise it writes the whole file. A refund, a
    /// deletion or a change of account rewrites the whole receipt once. For every other store,
    /// ``ReceiptService/appReceipt`` is read before each batch of callbacks, and written if it has changed.
    ///
    /// If the file cannot be written, the error is logged to the context's log, and this property is nil.
    public var appReceiptURL: URL? { core.receiptFile.url(core) }
}

/// The content of one of the two copies of a receipt's file.
struct ReceiptCopy {
    /// The status of the file after the last write.
    ///
    /// If the file now has another status, another program has changed the file, and this copy is no longer used.
    private var written: stat?
    /// The identity of the entries last written, by which a receipt that only adds entries is recognized.
    ///
    /// Nil until a write is complete.
    private var entries: ReceiptEntries.Identity?
    private var frontCount = 0
    private var entryCount = 0
    private var entryBytes = 0
    private var byteCount = 0

    /// Creates a copy with nothing written.
    init() {}

    /// Returns whether the file at a path is this copy, unchanged.
    func isAt(_ path: String) -> Bool {
        var found = stat()
        return lstat(path, &found) == 0 && isIn(found)
    }

    /// Returns whether a file with this status is this copy, unchanged.
    func isIn(_ found: stat?) -> Bool {
        guard let written, let found else { return false }
        return written.st_ino == found.st_ino && written.st_dev == found.st_dev && written.st_size == found.st_size
            && written.st_nlink == found.st_nlink && Self.hasSameTime(written, found)
    }

    /// Changes the file's content to a receipt, without rewriting the entries that the file already has.
    mutating func write(_ image: ReceiptImage, to file: LeasedFile) throws {
        if entries !== image.entries.identity || frontCount != image.front.count || entryCount > image.entries.count {
            (frontCount, entryCount, entryBytes) = (image.front.count, 0, 0)
        }
        // The copy is invalid until the write is complete.
        (entries, written) = (nil, nil)
        let new = image.entries.bytes(from: entryCount)
        try file.write(image.front, at: 0)
        try file.write(new + image.back, at: frontCount + entryBytes)
        if image.byteCount < byteCount { try file.truncate(to: image.byteCount) }
        byteCount = image.byteCount
        (entryCount, entryBytes) = (image.entries.count, image.entries.byteCount)
        (entries, written) = (image.entries.identity, file.status)
    }

    #if canImport(Darwin)
        private static func hasSameTime(_ one: stat, _ other: stat) -> Bool {
            one.st_mtimespec.tv_sec == other.st_mtimespec.tv_sec
                && one.st_mtimespec.tv_nsec == other.st_mtimespec.tv_nsec
        }
    #else
        private static func hasSameTime(_ one: stat, _ other: stat) -> Bool {
            one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec
        }
    #endif
}

/// A file with a receipt that is replaced atomically, although only the new part of the receipt is written.
///
/// There are two copies: the one at the file's path, which readers open, and a spare. A change is written to the spare,
/// which then atomically changes places with the other, so that no reader sees a partial receipt. A reader may still
/// have the spare open from earlier. The spare is therefore written only under the system's lease, which is granted to
/// the only opener of a file and makes others wait. Without a lease, the whole receipt is written to a new file.
struct ReplacedFile {
    /// The folder of the two copies, which contains nothing else.
    private let folder = TemporaryFolder(for: "receipt")
    private let place: String
    private let sparePlace: String
    private var current: ReceiptCopy?
    private var spare: ReceiptCopy?

    /// Creates the paths of a file in a temporary folder of its own; nothing is written yet.
    init() {
        place = folder.url.appendingPathComponent("StoreKit/receipt").path
        sparePlace = folder.url.appendingPathComponent("spare").path
    }

    var url: URL { URL(fileURLWithPath: place) }

    /// Whether the file at its path is unchanged since it was written.
    var isInPlace: Bool { current?.isAt(place) ?? false }

    /// Replaces the file with a receipt.
    ///
    /// - Throws: the system's error if a folder or a file cannot be written; the file is then unchanged.
    mutating func write(_ image: ReceiptImage) throws {
        let isThere = isInPlace
        var copy = ReceiptCopy()
        if isThere, let spare, let file = LeasedFile(leasing: sparePlace), spare.isIn(file.status) {
            copy = spare
            self.spare = nil
            try copy.write(image, to: file)
        } else {
            spare = nil
            try copy.write(image, to: try newFile())
        }
        if isThere, Self.exchange(sparePlace, place) {
            spare = current
        } else if rename(sparePlace, place) != 0 {
            throw LeasedFile.trouble()
        }
        current = copy
    }

    /// Deletes both copies.
    mutating func remove() {
        unlink(place)
        unlink(sparePlace)
        (current, spare) = (nil, nil)
    }

    private func newFile() throws -> LeasedFile {
        // Created again, since a clean-up of temporary files may have deleted the folders.
        try folder.make()
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        unlink(sparePlace)
        return try LeasedFile(creating: sparePlace)
    }
}

extension ReplacedFile {
    #if os(Linux)
        private typealias Exchange =
            @Sendable @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

        // Looked up at run time: the header declares the function only together with GNU's extensions.
        private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Exchange.self) }

        /// Exchanges two files atomically; returns false if the system cannot.
        ///
        /// Unlike `rename`, which replaces a file, an exchange does not make ext4 write the new file to disk at once.
        private static func exchange(_ one: String, _ other: String) -> Bool {
            let exchanging: UInt32 = 2
            return renameat2?(AT_FDCWD, one, AT_FDCWD, other, exchanging) == 0
        }
    #else
        private static func exchange(_ one: String, _ other: String) -> Bool { false }
    #endif
}

/// A file that is open for writing, and that is closed when this object is deallocated.
///
/// If the file was opened under a lease, other openers wait until it is closed.
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

    /// Opens an existing file under the system's lease, by which other openers wait until the file is closed.
    ///
    /// Returns nil if the file is open elsewhere, or if the system does not support leases.
    init?(leasing path: String) {
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, lease() else { return nil }
    }

    deinit {
        if descriptor < 0 { return }
        endLease()
        close(descriptor)
    }

    /// The file's current status, as reported by the system.
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

    /// Returns the error of the system call that has just failed.
    static func trouble() -> any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    #if os(Linux)
        // The values of constants in <fcntl.h>, which does not declare them by default.
        private static var setSignal: Int32 { 10 }
        private static var setLease: Int32 { 1024 }

        private func lease() -> Bool {
            // The system signals that an opener waits. The default signal would end the process; SIGURG is ignored.
            guard fcntl(descriptor, Self.setSignal, SIGURG) == 0 else { return false }
            isLeased = fcntl(descriptor, Self.setLease, Int32(F_WRLCK)) == 0
            return isLeased
        }

        /// Ends the lease explicitly, since a child process that is being started may still share the descriptor.
        private func endLease() { if isLeased { _ = fcntl(descriptor, Self.setLease, Int32(F_UNLCK)) } }
    #else
        private func lease() -> Bool { false }
        private func endLease() {}
    #endif
}
