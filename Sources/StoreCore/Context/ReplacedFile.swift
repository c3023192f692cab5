import Foundation

/// A file with a receipt, replaced as a whole at the cost of what is new in it.
///
/// There are two copies, the one that readers find and a spare. A change is written into the spare, which then takes the
/// other's place in one step, so that nobody reads half of it. Somebody may still read the spare from when it was in
/// place: it is written to only under the system's lease, which is given to who alone has a file open, and keeps whoever
/// is about to open it waiting. Where there is no lease the whole receipt goes into a new file.
struct ReplacedFile {
    /// Holds the file and nothing else.
    private let folder = TemporaryFolder(for: "receipt")
    private let place: String
    private let sparePlace: String
    private var current: ReceiptCopy?
    private var spare: ReceiptCopy?

    /// A file that is yet to be written, in a temporary folder of its own.
    init() {
        place = folder.url.appendingPathComponent("StoreKit/receipt").path
        sparePlace = folder.url.appendingPathComponent("spare").path
    }

    var url: URL { URL(fileURLWithPath: place) }

    /// Whether the file is where it was put, as it was written.
    var isInPlace: Bool { current?.isAt(place) ?? false }

    /// Puts a receipt in the file's place.
    ///
    /// - Throws: what the system says of a folder or a file that cannot be written; the file stays as it was.
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

    /// Takes the file away, and the spare with it.
    mutating func remove() {
        unlink(place)
        unlink(sparePlace)
        (current, spare) = (nil, nil)
    }

    private func newFile() throws -> LeasedFile {
        // Whoever cleans up temporary files may have taken the folders too.
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

        // The header keeps it from whoever does not ask for GNU's own functions.
        private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Exchange.self) }

        /// Has two files change places in one step; false where the system cannot.
        ///
        /// Unlike renaming one over the other it does not have ext4 write the new one to the disk at once.
        private static func exchange(_ one: String, _ other: String) -> Bool {
            let exchanging: UInt32 = 2
            return renameat2?(AT_FDCWD, one, AT_FDCWD, other, exchanging) == 0
        }
    #else
        private static func exchange(_ one: String, _ other: String) -> Bool { false }
    #endif
}
