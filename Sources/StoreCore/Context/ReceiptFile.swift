import Foundation
import Synchronization

/// A context's app receipt as a file that `Data(contentsOf:)` reads.
///
/// Written when its URL is first requested, and then before each callback that may follow a change.
final class ReceiptFile: Sendable {
    /// Whether the URL was ever requested; lock-free, because every callback checks it.
    private let isWatched = Atomic(false)
    private let state = Locked(State())

    fileprivate struct State {
        /// Nil until there is a receipt.
        var file: ReplacedFile?
        var content = Content.unknown
    }

    /// The receipt that the file holds.
    fileprivate enum Content {
        case unknown
        case version(ReceiptVersion)
        case data(Data)
    }

    /// Updates the file and returns its URL, or nil if there is no receipt, or the file could not be written.
    func url(_ core: ContextCore) -> URL? {
        isWatched.store(true, ordering: .sequentiallyConsistent)
        return refresh(core)
    }

    /// Updates the file if its URL was ever requested.
    @inline(__always)
    func keepUp(with core: ContextCore) {
        if isWatched.load(ordering: .sequentiallyConsistent) { _ = refresh(core) }
    }

    /// Logs the system's error if a folder or a file cannot be written; the file stays as it was.
    private func refresh(_ core: ContextCore) -> URL? {
        do {
            // Anything that the store sends meanwhile is delivered after the lock is released.
            return try CallScope.outermost {
                // Created with the lock held, so that an older receipt never replaces a newer one. It comes from the store,
                // which does not know contexts.
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
        // Mutated in place, so that a copy left invalid by a failure is not reused.
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
    /// The URL of the file with the store's app receipt, nil while there is no receipt (behavior 184).
    ///
    /// The counterpart of Apple's `Bundle.main.appStoreReceiptURL`. Foundation declares that property on every
    /// platform, but on others than Apple's it is always nil. This line in an app's own target replaces it there:
    ///
    /// ```swift
    /// extension Bundle { var appStoreReceiptURL: URL? { StoreContext.current.appReceiptURL } }
    /// ```
    ///
    /// The file is temporary, in a folder that only its user may read. It is deleted with the context; that of
    /// ``process``, with the process. Files left by a killed process are deleted by the next process that writes a
    /// receipt or downloads a file. The file is up to date whenever this property is read and, from then on, before an
    /// observer or a request's delegate is called.
    ///
    /// A ``SandboxStore`` creates and writes a receipt only when its entries change, or after a refresh; the creation
    /// date is that moment. A purchase then writes only the new part, however much the account owns, if the store's
    /// signer is an ``HMACReceiptSigner`` and the system is Linux; otherwise the whole file is written. A refund, a
    /// deletion or a change of account rewrites the whole receipt once. For every other store,
    /// ``ReceiptService/appReceipt`` is read before each batch of callbacks and written if it has changed.
    ///
    /// If the file cannot be written, the error goes to the context's log and this is nil.
    public var appReceiptURL: URL? { core.receiptFile.url(core) }
}

/// The content of one copy of a receipt's file.
struct ReceiptCopy {
    /// The file's status after the last write.
    ///
    /// A file with another status was changed externally and is no longer used.
    private var written: stat?
    /// The identity of the entries that it holds, nil while it holds nothing.
    private var entries: ReceiptEntries.Identity?
    private var frontCount = 0
    private var entryCount = 0
    private var entryBytes = 0
    private var byteCount = 0

    /// Creates a copy with nothing written.
    init() {}

    /// Whether the file at a path is this copy, unchanged.
    func isAt(_ path: String) -> Bool {
        var found = stat()
        return lstat(path, &found) == 0 && isIn(found)
    }

    /// Whether the file with a status is this copy, unchanged.
    func isIn(_ found: stat?) -> Bool {
        guard let written, let found else { return false }
        return written.st_ino == found.st_ino && written.st_dev == found.st_dev && written.st_size == found.st_size
            && written.st_nlink == found.st_nlink && Self.hasSameTime(written, found)
    }

    /// Updates the file to a receipt, without rewriting the entries that it already holds.
    mutating func write(_ image: ReceiptImage, to file: LeasedFile) throws {
        if entries !== image.entries.identity || frontCount != image.front.count || entryCount > image.entries.count {
            (frontCount, entryCount, entryBytes) = (image.front.count, 0, 0)
        }
        // Invalid until the write is complete.
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

/// A receipt's file, replaced atomically at the cost of its new part.
///
/// There are two copies: the one that readers see, and a spare. A change is written to the spare, which then
/// atomically changes places with the other, so that no reader sees a partial receipt. A reader may still have the spare
/// open from before. The spare is therefore written only under the system's lease, which is granted to
/// the sole opener of a file and makes further openers wait. Without a lease, the whole receipt goes into a new file.
struct ReplacedFile {
    /// The folder of the file, which holds nothing else.
    private let folder = TemporaryFolder(for: "receipt")
    private let place: String
    private let sparePlace: String
    private var current: ReceiptCopy?
    private var spare: ReceiptCopy?

    /// Creates a file that is not written yet, in a temporary folder of its own.
    init() {
        place = folder.url.appendingPathComponent("StoreKit/receipt").path
        sparePlace = folder.url.appendingPathComponent("spare").path
    }

    var url: URL { URL(fileURLWithPath: place) }

    /// Whether the file is in its place, unchanged since it was written.
    var isInPlace: Bool { current?.isAt(place) ?? false }

    /// Replaces the file with a receipt.
    ///
    /// - Throws: the system's error if a folder or a file cannot be written; the file stays as it was.
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

    /// Deletes the file and the spare.
    mutating func remove() {
        unlink(place)
        unlink(sparePlace)
        (current, spare) = (nil, nil)
    }

    private func newFile() throws -> LeasedFile {
        // A cleanup of temporary files may have deleted the folders too.
        try folder.make()
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        unlink(sparePlace)
        return try LeasedFile(creating: sparePlace)
    }
}

extension ReplacedFile {
    #if os(Linux)
        private typealias Exchange =
            @Sendable @convention(c) (
                Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
            ) -> Int32

        // Looked up at run time: the header declares it only together with GNU's extensions.
        private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Exchange.self) }

        /// Exchanges two files atomically; returns false if the system cannot.
        ///
        /// Unlike renaming one over the other, this does not make ext4 write the new one to disk at once.
        private static func exchange(_ one: String, _ other: String) -> Bool {
            let exchanging: UInt32 = 2
            return renameat2?(AT_FDCWD, one, AT_FDCWD, other, exchanging) == 0
        }
    #else
        private static func exchange(_ one: String, _ other: String) -> Bool { false }
    #endif
}

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

        /// Ends the lease, which a process that is just being started shares until it closes its copy of the descriptor.
        private func endLease() { if isLeased { _ = fcntl(descriptor, Self.setLease, Int32(F_UNLCK)) } }
    #else
        private func lease() -> Bool { false }
        private func endLease() {}
    #endif
}
