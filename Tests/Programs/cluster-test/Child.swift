import Foundation
import StoreCore

/// A process that the runner has started, and what it says.
final class Child: Sendable {
    let role: Role
    private let process: Process
    private let input: FileHandle
    private let heard = Heard()
    /// The file of what it said, for whoever looks for a reason.
    private let transcript: FileHandle?

    // unchecked: touched with the condition's lock held.
    private final class Heard: @unchecked Sendable {
        let condition = NSCondition()
        var messages: [Message] = []
        var hasEnded = false
        var isKilled = false
    }

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - role: what it does.
    ///   - folder: the folder of its transcript and its log.
    ///   - hear: is told of each message, on a thread of the child's.
    /// - Throws: the system's error where it cannot be started.
    init(_ role: Role, folder: URL, hear: @escaping @Sendable (StampedMessage) -> Void) throws {
        self.role = role
        process = Process()
        process.executableURL = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        process.arguments = try role.arguments
        // A program that describes crashes outlives the killed process that it describes, with its end of the pipe.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let (input, output) = (Pipe(), Pipe())
        self.input = input.fileHandleForWriting
        process.standardInput = input
        process.standardOutput = output
        transcript = Self.appending(to: folder.appending(path: "\(role.name).said"))
        process.standardError = Self.appending(to: folder.appending(path: "\(role.name).log"))
        try process.run()
        let transcript = transcript
        Thread { [heard] in
            var rest = Data()
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                // Foundation's own way to read stops the process where a signal interrupts it.
                let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                let data = Data(buffer.prefix(count))
                try? transcript?.write(contentsOf: data)
                rest += data
                // An incomplete last line does not count.
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let message = try? JSONDecoder().decode(StampedMessage.self, from: rest[rest.startIndex..<end])
                    rest.removeSubrange(rest.startIndex...end)
                    guard let message else { continue }
                    hear(message)
                    heard.condition.withLock {
                        heard.messages.append(message.message)
                        heard.condition.broadcast()
                    }
                }
            }
            heard.condition.withLock {
                heard.hasEnded = true
                heard.condition.broadcast()
            }
        }.start()
    }

    private static func appending(to file: URL) -> FileHandle? {
        if !FileManager.default.fileExists(atPath: file.path) {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        let handle = try? FileHandle(forWritingTo: file)
        _ = try? handle?.seekToEnd()
        return handle
    }

    /// Whether it has ended without being killed.
    var hasEndedByItself: Bool { heard.condition.withLock { heard.hasEnded && !heard.isKilled } }

    /// Waits for a message.
    ///
    /// - Throws: ``Contradiction`` where it ends, or does not come.
    @discardableResult
    func wait(seconds: Double = 120, for isWanted: (Message) -> Bool) throws -> Message {
        let end = Date(timeIntervalSinceNow: seconds)
        return try heard.condition.withLock {
            while true {
                if let message = heard.messages.first(where: isWanted) { return message }
                if heard.hasEnded { throw Contradiction("\(role.name) has ended by itself") }
                guard heard.condition.wait(until: end) else {
                    throw Contradiction("\(role.name) has not come to an end in \(Int(seconds)) s")
                }
            }
        }
    }

    /// Sends a command.
    ///
    /// What was said before no longer counts for ``wait(seconds:for:)``.
    func send(_ command: Command) throws {
        heard.condition.withLock { heard.messages = [] }
        try input.write(contentsOf: JSONEncoder().encode(command) + Data("\n".utf8))
    }

    /// Kills it, unless that was done, and returns once everything that it said was heard.
    func kill() {
        let isKilled = heard.condition.withLock {
            defer { heard.isKilled = true }
            return heard.isKilled
        }
        // Another process may have its number by now.
        if isKilled { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        heard.condition.withLock { while !heard.hasEnded { heard.condition.wait() } }
        process.waitUntilExit()
        try? input.close()
    }
}

/// What must not be.
struct Contradiction: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
