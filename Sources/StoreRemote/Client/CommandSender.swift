import Foundation
import StoreCore

/// Submits commands in such a way that a command that the store never accepts does not block the others.
struct CommandSender {
    let destination: RemoteDestination
    /// The maximum size of a request's body in bytes; nil if the store has not announced it.
    let limit: Int?
    /// Sends a body, and returns the store's permanent refusal; nil if the store has taken the commands.
    let send: (Data) async throws -> StoreFailure?

    /// Sends commands in order, in as many requests as needed.
    ///
    /// - Returns: the commands that the store refuses permanently. The store has taken all others.
    /// - Throws: a temporary failure.
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

    /// Sends commands in one request.
    ///
    /// If the store refuses it, sends each half by itself, down to the faulty command.
    private func submit(_ part: ArraySlice<EncodedCommand>) async throws -> [RefusedCommand] {
        let body = part.body
        if let limit, body.count > limit, part.count == 1 {
            return [refusal(of: part[part.startIndex].command, "is \(body.count) bytes long, of at most \(limit)")]
        }
        // Does not send a request that is too long: the refusal could be lost while the rest is still being sent.
        if limit ?? .max >= body.count {
            guard let failure = try await send(body) else { return [] }
            if part.count == 1 { return [refusal(of: part[part.startIndex].command, "is refused: \(failure.reason)")] }
        }
        let half = part.startIndex + part.count / 2
        return try await submit(part[..<half]) + submit(part[half...])
    }

    /// Returns a refusal whose sentence names the product and the store.
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

/// A command in the form in which it is sent, encoded only once.
struct EncodedCommand {
    let command: StoreCommand
    let json: Data

    /// Creates the encoded form of a command.
    ///
    /// - Throws: the error of the encoder.
    init(_ command: StoreCommand) throws {
        self.command = command
        json = try JSONEncoder().encode(command)
    }
}

extension ArraySlice<EncodedCommand> {
    /// The body of the request that submits the commands: a JSON array.
    var body: Data {
        var body = Data("[".utf8)
        for command in self {
            if body.count > 1 { body += Data(",".utf8) }
            body += command.json
        }
        return body + Data("]".utf8)
    }
}

/// The requests that submit commands, in order, each within the limits of the store.
struct SubmissionParts: Sequence, IteratorProtocol {
    private var commands: ArraySlice<EncodedCommand>

    init(_ commands: [EncodedCommand]) { self.commands = commands[...] }

    /// Returns the commands of the next request; a command that exceeds the size limit is sent alone.
    mutating func next() -> ArraySlice<EncodedCommand>? {
        guard let first = commands.first else { return nil }
        // The size includes the brackets, and a comma for each further command.
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
