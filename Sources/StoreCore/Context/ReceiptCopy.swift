import Foundation

/// The content of one copy of a receipt's file.
struct ReceiptCopy {
    /// The file's status after the last write.
    ///
    /// A file with another status was changed from outside and is not used any more.
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
