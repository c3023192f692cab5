import Foundation
import StoreCore

/// A search for a session's configuration file (behavior 202).
enum ConfigurationSearch {
    /// Reads a configuration file.
    ///
    /// - Throws: ``SKTestError/Code/invalidURL`` for a URL that is no file's, ``SKTestError/Code/fileNotFound`` if the
    ///   file does not exist, and a `StoreConfigurationError` that names the location of the error in an invalid file.
    static func configuration(at url: URL) throws -> StoreConfiguration {
        guard url.isFileURL else { throw SKTestError(.invalidURL, "\(url.absoluteString) is not a file URL") }
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw SKTestError(.fileNotFound, "nothing is at \(url.path)")
        }
        return try StoreConfiguration(contentsOf: url)
    }

    /// Returns the URL of a file in the main bundle or in the bundles beside it, which is where SwiftPM puts a test
    /// target's resources.
    ///
    /// - Throws: ``SKTestError/Code/fileNotFound``, with the searched folders.
    static func url(named name: String) throws -> URL {
        let file = name.hasSuffix(".storekit") ? name : "\(name).storekit"
        let folders = folders
        for folder in folders {
            let url = folder.appendingPathComponent(file)
            if FileManager.default.fileExists(atPath: url.path) { return url }
        }
        let searched = folders.map(\.path).joined(separator: ", ")
        throw SKTestError(.fileNotFound, "\(file) is in none of \(searched)")
    }

    /// The folders to search, in the order of the bundles' names, so that the same file is found every time.
    private static var folders: [URL] {
        let main = Bundle.main
        let home = main.bundleURL
        let beside = (try? FileManager.default.contentsOfDirectory(at: home, includingPropertiesForKeys: nil)) ?? []
        let bundles = beside.filter { ["resources", "bundle"].contains($0.pathExtension) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        // A folder that was copied whole, or a bundle of Apple's kind, has its resources one level deeper.
        let within = bundles.flatMap {
            [$0, $0.appendingPathComponent("Resources"), $0.appendingPathComponent("Contents/Resources")]
        }
        return [main.resourceURL ?? home, home] + within
    }
}
