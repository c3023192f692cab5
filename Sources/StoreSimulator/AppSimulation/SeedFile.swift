import Foundation

/// A text file with the seeds of lives that failed, one in each line.
struct SeedFile: Sendable {
    let url: URL

    /// Reads the seeds, none where there is no file.
    func seeds() throws -> [UInt64] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return try String(contentsOf: url, encoding: .utf8)
            .split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
            .map { line in
                guard let seed = UInt64(line) else { throw AppSimulationError.noSeed(line, file: url.path) }
                return seed
            }
    }

    /// Adds a seed, unless it is there.
    func add(_ seed: UInt64) throws {
        guard try !seeds().contains(seed) else { return }
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? "# Seeds of lives that failed.\n"
        try Data("\(text)\(text.hasSuffix("\n") ? "" : "\n")\(seed)\n".utf8).write(to: url, options: .atomic)
    }
}
