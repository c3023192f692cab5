import Foundation

/// A file that a command line names, and that has to exist.
enum InputFile {
    /// Returns the URL of a file.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - advice: the rest of the sentence about a file that does not exist.
    /// - Returns: the URL.
    /// - Throws: ``Command/Mistake`` if the file does not exist.
    static func url(_ path: String, else advice: String? = nil) throws -> URL {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Command.Mistake("there is no file \(path)" + (advice.map { "; \($0)" } ?? ""))
        }
        return URL(filePath: path)
    }
}
