import Foundation

/// A receipt's file, replaced atomically at the cost of its new part.
///
/// There are two copies: the one that readers find, and a spare. A change is written to the spare, which is then
/// exchanged with the other atomically, so that no reader sees a partial receipt. A reader may still have the spare
/// open from when it was in place. The spare is therefore written only under the system's lease, which is granted to
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
