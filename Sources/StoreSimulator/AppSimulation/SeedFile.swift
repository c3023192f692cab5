import Foundation
import StoreCore

/// A text file with the seeds of failed lives, one in each line.
struct SeedFile: Sendable {
    let url: URL

    /// Reads the seeds; none if there is no file.
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

    /// Writes a failure's page to the folder of the seed file, and returns the page's file.
    func write(_ failure: AppSimulationFailure) throws -> URL {
        let name = "\(url.deletingPathExtension().lastPathComponent)-\(failure.seed).html"
        let file = url.deletingLastPathComponent().appending(path: name)
        try Data(failure.page.utf8).write(to: file, options: .atomic)
        return file
    }

    /// Adds a seed, unless the file already contains it.
    ///
    /// Several tests and processes may add seeds at the same time.
    func add(_ seed: UInt64) throws {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path]) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
        // Closing the file releases the lock.
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        guard try !seeds(in: text).contains(seed) else { return }
        let beginning = text.isEmpty ? "# Seeds of lives that failed.\n" : text.hasSuffix("\n") ? "" : "\n"
        try file.write(contentsOf: Data("\(beginning)\(seed)\n".utf8))
    }
}

/// The seeds of the lives in progress, in a file beside the seed file.
///
/// The file is removed at the end of the run. A file that remains belongs to a process that ended during one of these
/// lives. After a trap, nothing else reveals the seed.
final class UnderwaySeeds: Sendable {
    private let path: String
    private let descriptor: Int32
    private let seeds: Locked<[UInt64]>

    /// Creates a file, which stays locked until the process ends; nil if that fails.
    ///
    /// - Parameters:
    ///   - file: the file of seeds.
    ///   - first: the seeds whose lives have not begun yet.
    init?(beside file: URL, first: [UInt64]) {
        path = "\(Self.prefix(file))\(UUID().uuidString)"
        // The file gets its name only after it is locked, so no other process takes its seeds.
        let temporary = "\(file.path).new-\(UUID().uuidString)"
        descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        seeds = Locked(first)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, rename(temporary, path) == 0 else {
            unlink(temporary)
            return nil
        }
        write(first)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Moves the seed of a life that begins now to the front.
    func begin(_ seed: UInt64) {
        seeds.withLock { seeds in
            if let index = seeds.firstIndex(of: seed) { seeds.remove(at: index) }
            seeds.insert(seed, at: 0)
            write(seeds)
        }
    }

    func end(_ seed: UInt64) {
        seeds.withLock { seeds in
            if let index = seeds.firstIndex(of: seed) { seeds.remove(at: index) }
            write(seeds)
        }
    }

    /// Removes the file.
    func remove() { unlink(path) }

    private func write(_ seeds: [UInt64]) {
        let text = Array(seeds.map { "\($0)\n" }.joined().utf8)
        _ = pwrite(descriptor, text, text.count, 0)
        ftruncate(descriptor, off_t(text.count))
    }

    // MARK: What processes have left

    private static func prefix(_ file: URL) -> String { "\(file.path).underway-" }

    /// Removes the files of processes that have ended, and returns their seeds without repetitions; in each file, the
    /// latest comes first.
    static func taken(beside file: URL) -> [UInt64] {
        let folder = file.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var seeds: [UInt64] = []
        for name in names.sorted() {
            let path = folder.appending(path: name).path
            guard path.hasPrefix(prefix(file)) else { continue }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // A process that is still running holds the lock.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            for seed in text.split(separator: "\n").compactMap({ UInt64($0) }) where !seeds.contains(seed) {
                seeds.append(seed)
            }
            unlink(path)
        }
        return seeds
    }
}
