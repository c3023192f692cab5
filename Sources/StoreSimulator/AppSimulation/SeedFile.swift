import Foundation

/// A text file with the seeds of lives that failed, one in each line.
struct SeedFile: Sendable {
    let url: URL

    /// Reads the seeds, none where there is no file.
    func seeds() throws -> [UInt64] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return try seeds(in: String(contentsOf: url, encoding: .utf8))
    }

    private func seeds(in text: String) throws -> [UInt64] {
        try text
            .split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
            .map { line in
                guard let seed = UInt64(line) else { throw AppSimulationError.noSeed(line, file: url.path) }
                return seed
            }
    }

    /// Writes a failure's page beside the seeds, and returns its file.
    func write(_ failure: AppSimulationFailure) throws -> URL {
        let name = "\(url.deletingPathExtension().lastPathComponent)-\(failure.seed).html"
        let file = url.deletingLastPathComponent().appending(path: name)
        try Data(failure.page.utf8).write(to: file, options: .atomic)
        return file
    }

    /// Adds a seed, unless it is there.
    ///
    /// Several tests and processes may do so at a time.
    func add(_ seed: UInt64) throws {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path]) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
        // Closing the file ends the lock.
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        guard try !seeds(in: text).contains(seed) else { return }
        let beginning = text.isEmpty ? "# Seeds of lives that failed.\n" : text.hasSuffix("\n") ? "" : "\n"
        try file.write(contentsOf: Data("\(beginning)\(seed)\n".utf8))
    }
}
