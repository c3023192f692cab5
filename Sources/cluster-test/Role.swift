import Foundation
import StoreCore
import StorePostgres

/// A process of the run other than the one that runs it.
///
/// It ends when its standard input does: whatever becomes of the runner, nothing is left.
struct Role {
    enum Kind: String {
        /// Keeps a store open, and changes it as its operator.
        case server
        /// Keeps a store open.
        case watching
        /// Is an app that buys, finishes and restores.
        case selling
        /// Is the same app at its last launch: it finishes everything.
        case settling
    }

    let kind: Kind
    let name: String
    let settings: String
    /// How much its clock is ahead.
    let minutes: Int
    let seed: UInt64
    /// The file of an app's journal.
    let journal: URL

    /// The arguments of a process with this role.
    var arguments: [String] {
        ["--role", kind.rawValue, name, settings, String(minutes), String(seed), journal.path]
    }

    init(_ kind: Kind, _ name: String, settings: String, minutes: Int, seed: UInt64, journal: URL) {
        (self.kind, self.name, self.settings) = (kind, name, settings)
        (self.minutes, self.seed, self.journal) = (minutes, seed, journal)
    }

    /// Reads arguments, nil for those of the runner.
    init?(_ arguments: ArraySlice<String>) throws {
        let words = Array(arguments)
        guard words.first == "--role" else { return nil }
        guard words.count == 7, let kind = Kind(rawValue: words[1]), let minutes = Int(words[4]),
            let seed = UInt64(words[5])
        else { throw Options.Mistake(description: "--role is for the program itself") }
        self.init(
            kind,
            words[2],
            settings: words[3],
            minutes: minutes,
            seed: seed,
            journal: URL(filePath: words[6])
        )
    }

    func run() throws -> Never {
        let commands = Locked<(@Sendable (Command) -> Void)?>(nil)
        Thread {
            while let line = readLine() {
                if let command = Command(line) { commands.withLock { $0 }?(command) }
            }
            exit(0)
        }.start()
        let database = try Shop.connect(settings, log: .standardError)
        let store = try Shop.open(database, minutes: minutes)
        let client = kind == .server || kind == .watching ? nil : try Client(self, store)
        commands.withLock { $0 = { $0.run(on: store) } }
        Self.say(.opened)
        client?.run()
        if kind == .server { Server(self, store).run() }
        dispatchMain()
    }

    /// Prints a message at once: nothing printed is lost with the process.
    static func say(_ message: Message) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(message.line)\n".utf8))
    }
}
