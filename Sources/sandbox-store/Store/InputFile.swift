import Foundation
import StoreScenario

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

    /// Returns the content of a file.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - failure: a closure that returns the error of a file that cannot be read, from the reason in a few words.
    /// - Returns: the content.
    /// - Throws: ``Command/Mistake`` if the file does not exist, and the error of the closure.
    static func contents(_ path: String, else failure: (_ reason: String) -> any Error) throws -> Data {
        let url = try url(path)
        do {
            return try Data(contentsOf: url)
        } catch {
            throw failure(url.trouble(reading: error))
        }
    }
}
