import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `sandbox-store serve` of its own, which ends with this object at the latest.
final class Service {
    let line: String
    private let output = Pipe()
    /// What was printed behind the lines that were read.
    private var rest = Data()
    private let process = Process()
    /// Kept: removed before the server has ended, it would be made again by it.
    private let directory: Directory

    /// Starts one in a directory, and waits for its first lines.
    init(_ arguments: [String], in directory: Directory) throws {
        self.directory = directory
        let products = Bundle.module.bundleURL.deletingLastPathComponent()
        process.executableURL = products.appending(path: "sandbox-store")
        process.arguments = ["serve"] + arguments
        process.currentDirectoryURL = directory.url
        process.environment = directory.environment
        process.standardOutput = output
        try process.run()
        var text = Data()
        while text.last != UInt8(ascii: "\n") {
            let part = output.fileHandleForReading.availableData
            if part.isEmpty { break }
            text += part
        }
        line = String(decoding: text, as: UTF8.self)
    }

    /// Waits for the next line that is printed; nil if the output ends before.
    func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let part = output.fileHandleForReading.availableData
            if part.isEmpty { return nil }
            rest += part
        }
    }

    /// Closes the end of the pipe from which the output is read.
    func closeOutput() throws { try output.fileHandleForReading.close() }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var url: URL {
        get throws {
            let address = try #require(line.firstMatch(of: #/https?:[^\s",]+\//#)).output
            return try #require(URL(string: String(address)))
        }
    }

    /// Sends a signal, and returns the exit code.
    func end(_ signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    /// Asks the page's part of the server at a path; with a line, to perform it.
    func ask(_ path: String, _ line: String? = nil) async throws -> (status: Int?, text: String) {
        let page = try #require(
            self.line.split(whereSeparator: \.isWhitespace).last.flatMap { URL(string: String($0)) }
        )
        let token = try #require(page.fragment?.split(separator: "=").last)
        let isAct = line != nil
        var request = URLRequest(url: try url.appending(path: isAct ? "control/v1/commands" : "console/\(path)"))
        request.httpMethod = isAct ? "POST" : "GET"
        request.httpBody = try line.map { try JSONEncoder().encode(["line": $0]) }
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
    }
}
