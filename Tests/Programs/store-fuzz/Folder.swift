import Foundation
import StoreCrypto

/// The folder of a fuzzer: its keys, its corpora, and the inputs that failed.
///
/// The keys are kept so that an input that failed fails again.
struct Folder {
    let url: URL

    /// The date of all signatures.
    static let date = Date(timeIntervalSince1970: 1_735_722_000)

    func authority() throws -> CertificateAuthority {
        try CertificateAuthority(folder: url.appending(path: "authority"), now: Self.date)
    }

    /// Writes a target's seeds, and returns the folder of its corpus.
    func writeCorpus(_ name: TargetName, seeds: [[UInt8]]) throws -> URL {
        let corpus = url.appending(path: "corpus/\(name)")
        try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
        for (number, seed) in seeds.enumerated() { try Data(seed).write(to: corpus.appending(path: "seed-\(number)")) }
        return corpus
    }

    /// The beginning of the paths of a target's failed inputs.
    func failurePrefix(_ name: TargetName) -> String { url.appending(path: "\(name)-").path }
}
