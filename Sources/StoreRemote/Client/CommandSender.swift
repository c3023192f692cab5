import Foundation
import StoreCore

/// Submits commands, so that none that the store will never take keeps others waiting.
struct CommandSender {
    let destination: RemoteDestination
    /// The most bytes of a request that the store takes; nil where it has not said so.
    let limit: Int?
    /// Sends a body, and returns the store's final refusal; nil where the store has taken it.
    let send: (Data) async throws -> StoreFailure?

    /// Sends commands in their order, in as many requests as it takes.
    ///
    /// - Returns: the commands that the store refuses for good. It has taken all others.
    /// - Throws: the failure for which to try later.
    func submit(_ commands: [StoreCommand]) async throws -> [RefusedCommand] {
        var refused: [RefusedCommand] = []
        var encoded: [EncodedCommand] = []
        for command in commands {
            do {
                encoded.append(try EncodedCommand(command))
            } catch {
                refused.append(refusal(of: command, "cannot be encoded: \(error)"))
            }
        }
        for part in SubmissionParts(encoded) { refused += try await submit(part) }
        return refused
    }

    /// Sends the commands of a request; where the store refuses it, each half by itself, down to the command at fault.
    private func submit(_ part: ArraySlice<EncodedCommand>) async throws -> [RefusedCommand] {
        let body = part.body
        if let limit, body.count > limit, part.count == 1 {
            return [refusal(of: part[part.startIndex].command, "is \(body.count) bytes long, of at most \(limit)")]
        }
        // A request that is too long for the store is not sent at all: the refusal could be lost behind the rest of it.
        if limit ?? .max >= body.count {
            guard let failure = try await send(body) else { return [] }
            if part.count == 1 { return [refusal(of: part[part.startIndex].command, "is refused: \(failure.reason)")] }
        }
        let half = part.startIndex + part.count / 2
        return try await submit(part[..<half]) + submit(part[half...])
    }

    /// Returns a refusal whose sentence names the product, and the store that will not take it.
    private func refusal(of command: StoreCommand, _ reason: String) -> RefusedCommand {
        let name =
            switch command.action {
            case .purchase(let payment): "the payment for \(payment.productIdentifier.prefix(64))"
            case .finish: "the finish of a transaction"
            case .restore: "the restore"
            }
        let sentence = "\(name), sent to the store at \(destination.place), \(reason)"
        return RefusedCommand(id: command.id, failure: .storeKit(.paymentInvalid, sentence))
    }
}

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
