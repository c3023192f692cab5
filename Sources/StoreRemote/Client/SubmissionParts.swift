import Foundation
import StoreCore

/// The bodies of the requests that submit commands, in their order: each within the bounds that a store accepts.
struct SubmissionParts: Sequence, IteratorProtocol {
    private var commands: ArraySlice<Data>

    /// Encodes commands.
    init(_ commands: [StoreCommand]) throws {
        let encoder = JSONEncoder()
        self.commands = try commands.map { try encoder.encode($0) }[...]
    }

    /// Returns the next body, a JSON array; a command that is longer than a request should be goes alone.
    mutating func next() -> Data? {
        guard let first = commands.popFirst() else { return nil }
        var body = Data("[".utf8) + first
        var count = 1
        while count < DeviceProtocol.mostCommands, let next = commands.first,
            body.count + next.count < DeviceProtocol.submissionSize
        {
            body += Data(",".utf8) + next
            commands = commands.dropFirst()
            count += 1
        }
        return body + Data("]".utf8)
    }
}
