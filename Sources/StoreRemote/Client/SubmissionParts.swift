import Foundation
import StoreCore

/// A command as it crosses, encoded once however often it is sent.
struct EncodedCommand {
    let command: StoreCommand
    let json: Data

    /// - Throws: the error that keeps the command from being encoded.
    init(_ command: StoreCommand) throws {
        self.command = command
        json = try JSONEncoder().encode(command)
    }
}

extension ArraySlice<EncodedCommand> {
    /// The body of the request that submits them: a JSON array.
    var body: Data {
        var body = Data("[".utf8)
        for command in self {
            if body.count > 1 { body += Data(",".utf8) }
            body += command.json
        }
        return body + Data("]".utf8)
    }
}

/// The requests that submit commands, in their order: each within the bounds that a store accepts.
struct SubmissionParts: Sequence, IteratorProtocol {
    private var commands: ArraySlice<EncodedCommand>

    init(_ commands: [EncodedCommand]) { self.commands = commands[...] }

    /// Returns the commands of the next request; a command that is longer than a request should be goes alone.
    mutating func next() -> ArraySlice<EncodedCommand>? {
        guard let first = commands.first else { return nil }
        // With the brackets, and a comma for each.
        var size = first.json.count + 2
        var count = 1
        while count < commands.count, count < DeviceProtocol.mostCommands {
            size += commands[commands.startIndex + count].json.count + 1
            guard size <= DeviceProtocol.submissionSize else { break }
            count += 1
        }
        defer { commands = commands.dropFirst(count) }
        return commands.prefix(count)
    }
}
