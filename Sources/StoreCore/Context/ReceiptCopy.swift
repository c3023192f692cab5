import Foundation

/// What is in one of the copies of a receipt's file.
struct ReceiptCopy {
    /// What the system said of the file when it was last written.
    ///
    /// A file of which it says something else was changed by somebody, and is of no use any more.
    private var written: stat?
    /// The entries that it holds, nil while it holds nothing.
    private var entries: ReceiptEntries.Identity?
    private var frontCount = 0
    private var entryCount = 0
    private var entryBytes = 0
    private var byteCount = 0

    /// A copy of which nothing is written.
    init() {}

    /// Whether this is what is at a path.
    func isAt(_ path: String) -> Bool {
        var found = stat()
        return lstat(path, &found) == 0 && isIn(found)
    }

    /// Whether this is what is in a file of which the system says so.
    func isIn(_ found: stat?) -> Bool {
        guard let written, let found else { return false }
        return written.st_ino == found.st_ino && written.st_dev == found.st_dev && written.st_size == found.st_size
            && written.st_nlink == found.st_nlink && Self.hasSameTime(written, found)
    }

    /// Makes the file say what a receipt says, writing what is not in it yet.
    mutating func write(_ image: ReceiptImage, to file: LeasedFile) throws {
        if entries !== image.entries.identity || frontCount != image.front.count || entryCount > image.entries.count {
            (frontCount, entryCount, entryBytes) = (image.front.count, 0, 0)
        }
        // Until all of it is written it is of no use.
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
