import Foundation

/// Where a queue's downloads lie on this device: a temporary folder of its own, made for the first byte.
///
/// To be used by one thread at a time, save for `file`.
struct DownloadFolder: Sendable {
    private let folder = TemporaryFolder(for: "downloads")

    /// The file of a download.
    func file(of number: Int, named name: String) -> URL {
        place(of: number).appendingPathComponent(Self.fileName(name), isDirectory: false)
    }

    /// Puts bytes into a file, which begins anew at 0.
    ///
    /// - Throws: also if the bytes before are not there.
    func write(_ data: Data, to file: URL, at offset: Int64) throws {
        guard offset > 0 else {
            try folder.make()
            let place = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            return try data.write(to: file)
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        let end = try handle.seekToEnd()
        guard end >= UInt64(offset) else { throw CocoaError(.fileReadCorruptFile) }
        // More is there if a piece was written whose download had been paused meanwhile.
        try handle.truncate(atOffset: UInt64(offset))
        try handle.write(contentsOf: data)
    }

    /// Removes a download's file; there need not be one.
    func remove(_ number: Int) { try? FileManager.default.removeItem(at: place(of: number)) }

    /// Removes all files.
    func remove() { folder.remove() }

    private func place(of number: Int) -> URL { folder.url.appendingPathComponent(String(number), isDirectory: true) }

    /// A name that every file system takes.
    private static func fileName(_ identifier: String) -> String {
        let name = String(identifier.prefix(100).map { isPlain($0) ? $0 : "_" })
        return name.isEmpty || name.hasPrefix(".") ? "_\(name)" : name
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
    }
}
