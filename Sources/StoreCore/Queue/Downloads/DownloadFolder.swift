import Foundation

/// The temporary folder of a queue's downloads on this device, created for the first byte.
///
/// To be used by one thread at a time, except for `file`.
struct DownloadFolder: Sendable {
    private let folder = TemporaryFolder(for: "downloads")

    /// Returns the file of a download.
    func file(of number: Int, named name: String) -> URL {
        place(of: number).appendingPathComponent(Self.fileName(name), isDirectory: false)
    }

    /// Writes bytes into a file, which is replaced at offset 0.
    ///
    /// - Throws: also if the preceding bytes are missing.
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
        // A piece that was written after its download had been paused leaves more bytes.
        try handle.truncate(atOffset: UInt64(offset))
        try handle.write(contentsOf: data)
    }

    /// Removes a download's file, if there is one.
    func remove(_ number: Int) { try? FileManager.default.removeItem(at: place(of: number)) }

    /// Removes all files.
    func remove() { folder.remove() }

    private func place(of number: Int) -> URL { folder.url.appendingPathComponent(String(number), isDirectory: true) }

    /// Returns a name that every file system accepts.
    private static func fileName(_ identifier: String) -> String {
        let name = String(identifier.prefix(100).map { isPlain($0) ? $0 : "_" })
        return name.isEmpty || name.hasPrefix(".") ? "_\(name)" : name
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
    }
}
