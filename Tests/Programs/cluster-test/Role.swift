import Foundation
import StoreCore

/// A process of the run other than the one that runs it.
///
/// It ends when its standard input does: whatever becomes of the runner, nothing is left.
struct Role: Codable {
    enum Kind: String, Codable {
        /// Serves the store, and changes it as its operator.
        case server
        /// Serves the store.
        case watching
        /// Is an app that buys, finishes and restores.
        case selling
        /// Is the same app at its last launch: it finishes everything.
        case settling
    }

    let kind: Kind
    let name: String
    /// The settings of a server's connection to the database, or the URL of an app's store.
    let place: String
    /// The token of an app's device.
    var token: String?
    /// How much its clock is ahead, in seconds.
    let lead: TimeInterval
    let seed: UInt64
    /// The file of an app's journal.
    let journal: URL

    /// The arguments of a process with this role.
    var arguments: [String] {
        get throws { ["--role", String(decoding: try JSONEncoder().encode(self), as: UTF8.self)] }
    }

    /// Reads arguments, nil for those of the runner.
    init?(_ arguments: ArraySlice<String>) throws {
        guard arguments.first == "--role" else { return nil }
        guard let text = arguments.dropFirst().first,
            let role = try? JSONDecoder().decode(Role.self, from: Data(text.utf8))
        else { throw Options.Mistake(description: "--role is for the program itself") }
        self = role
    }

    init(_ kind: Kind, _ name: String, at place: String, token: String?, lead: TimeInterval, seed: UInt64, journal: URL)
    {
        (self.kind, self.name, self.place, self.token) = (kind, name, place, token)
        (self.lead, self.seed, self.journal) = (lead, seed, journal)
    }

    /// The greatest lead of a clock.
    static let longestLead = lead(10)

    /// Returns the lead of a process's clock.
    ///
    /// Most are minutes apart. The two longest are so close that servers with them take turns at renewing subscriptions.
    static func lead(of name: String) -> TimeInterval { lead(name.utf8.reduce(0) { ($0 * 5 + Int($1)) % 11 }) }

    private static func lead(_ number: Int) -> TimeInterval { Double(min(number, 9) * 60 + number) }

    func run() throws -> Never {
        let store = Locked<SandboxStore?>(nil)
        Thread {
            while let line = readLine() {
                guard let command = try? JSONDecoder().decode(Command.self, from: Data(line.utf8)) else { continue }
                if let store = store.withLock({ $0 }) { command.run(on: store) }
            }
            exit(0)
        }.start()
        switch kind {
        case .server, .watching:
            let server = try Server(self)
            store.withLock { $0 = server.store }
            server.run()
            withExtendedLifetime(server) { dispatchMain() }
        case .selling, .settling:
            let client = try Client(self)
            client.run()
            withExtendedLifetime(client) { dispatchMain() }
        }
    }

    /// Prints a message at once: nothing printed is lost with the process.
    static func say(_ message: Message) {
        // Names and numbers can always be written.
        guard let line = try? JSONEncoder().encode(StampedMessage(message: message)) else { return }
        try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
    }
}
